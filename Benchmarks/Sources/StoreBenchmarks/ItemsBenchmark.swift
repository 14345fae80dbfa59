import Foundation
import JSON
import TableStore

/// What edits of local items cost in memory, without a store: microseconds an edit, the best of many rounds of 1,000. A copy is
/// kept of the items before each edit, as a version keeps them, or only before each round.
func printItemEdits() throws {
  print("microseconds an edit of local items, best of 31 rounds of 1,000")
  print("| items | copies | replaced | inserted | moved | deleted |\n| ---: | --- | ---: | ---: | ---: | ---: |")
  for count in [1000, 20_000, 200_000] {
    var items = try LocalItems(seed: (0..<count).map { ["step": .integer(Int64($0))] }, limit: count * 2)
    _ = items.takeChanges()
    let ids = items.map(\.id)
    for isCopied in [true, false] {
      func micros(_ edit: (inout LocalItems, Int) throws -> Void) rethrows -> String {
        var best = Double.infinity
        for _ in 0..<31 {
          var (edited, kept) = (items, items)
          let start = clock()
          for number in 0..<1000 {
            if isCopied { kept = edited }
            try edit(&edited, number * 7919 % count)
          }
          best = min(best, Double(clock() - start) / 1000)
          precondition(kept.endIndex > 0)
        }
        return String(format: "%.2f", best)
      }
      let replaced = try micros { try $0.patch(ids[$1], with: ["step": .integer(Int64($1) + 1_000_000)]) }
      let inserted = try micros { try $0.insert(["step": 1], at: .index($1)) }
      let moved = try micros { try $0.move(ids[$1], to: .index((count - $1) / 2)) }
      let deleted = try micros { try $0.delete(ids[$1]) }
      print(
        "| \(count) | \(isCopied ? "each edit" : "each round") | \(replaced) | \(inserted) | \(moved) | \(deleted) |"
      )
    }
  }
}
