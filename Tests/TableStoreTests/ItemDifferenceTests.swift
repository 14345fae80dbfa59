import JSON
import TableStore
import TestSupport
import Testing

/// What differs between two lists of items of which one was made from the other, beside what a walk over both finds.
@Suite struct ItemDifferenceTests {
  @Test(arguments: UInt64(1)...30)
  func whatEditsHaveMadeIsFound(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = [0, 1, 60, 3_000].randomElement(using: &random) ?? 1
    var items = try LocalItems(seed: (0..<count).map { ["n": .integer(Int64($0))] })
    for _ in 0..<20 {
      let before = items
      for _ in 0..<([0, 1, 3, 200].randomElement(using: &random) ?? 1) { try edit(&items, &random) }
      let found = try #require(items.differences(from: before, atMost: .max))
      let (old, new) = (byID(before), byID(items))
      for id in Set(old.keys).union(new.keys) {
        let (one, other) = (old[id], new[id])
        let isSame = one?.rank == other?.rank && one?.item === other?.item
        #expect((found[id] == nil) == isSame, "seed \(seed), item \(id)")
        guard let difference = found[id] else { continue }
        #expect(difference.before?.item === one?.item && difference.after?.item === other?.item, "seed \(seed)")
        #expect(difference.before?.rank == one?.rank && difference.after?.rank == other?.rank, "seed \(seed)")
      }
      if found.count > 2 { #expect(items.differences(from: before, atMost: 2) == nil) }
    }
  }

  private func byID(_ items: LocalItems) -> [ItemID: StoredItem] {
    Dictionary(uniqueKeysWithValues: items.stored.map { ($0.item.id, $0) })
  }

  private func edit(_ items: inout LocalItems, _ random: inout SeededGenerator) throws {
    let place = Int.random(in: 0...items.count, using: &random)
    guard place < items.count else {
      try items.insert(["n": -1], at: .index(place))
      return
    }
    let id = items[place].id
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try items.insert(["n": -1], at: .index(place))
    case 1: try items.patch(id, with: ["n": .integer(Int64.random(in: 0..<5, using: &random))])
    case 2: try items.delete(id)
    default: try items.move(id, to: .index(Int.random(in: 0..<items.count, using: &random)))
    }
  }
}
