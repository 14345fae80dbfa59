import TableDiff
import TableModel
import TestSupport
import Testing

/// Sections long enough for the sweep to lose its place, look ahead in vain, and give up.
@Suite struct LongSectionTests {
  @Test("Long sections in every disorder", arguments: 1...24)
  func disorders(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<8 {
      let count = Int.random(in: 60...240, using: &random)
      let old = (0..<count).map(String.init)
      var new = old
      for _ in 0..<Int.random(in: 1...3, using: &random) { disarrange(&new, using: &random) }
      // Half of the rows are in a second section that moves, to have strays of several sections meet.
      let half = Int.random(in: 0...new.count, using: &random)
      let (first, second) = (new[..<half].joined(separator: " "), new[half...].joined(separator: " "))
      let from = table(
        "A: \(old[..<(count / 2)].joined(separator: " ")) | B: \(old[(count / 2)...].joined(separator: " "))"
      )
      let into = number % 2 == 0 ? table("A: \(first) | B: \(second)") : table("B: \(first) | A: \(second)")
      do {
        try verify(from: from, to: into)
      } catch {
        Issue.record("seed \(seed), case \(number): \(error)")
      }
    }
  }

  private func disarrange(_ rows: inout [String], using random: inout SeededGenerator) {
    guard !rows.isEmpty else { return }
    let start = Int.random(in: 0..<rows.count, using: &random)
    let end = Int.random(in: start..<rows.count, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: rows.reverse()
    case 1: rows = Array(rows[start...] + rows[..<start])
    case 2: rows.shuffle(using: &random)
    case 3: rows[start...end].shuffle(using: &random)
    case 4: for row in stride(from: start, to: end, by: 2) { rows.swapAt(row, row + 1) }
    case 5: for row in stride(from: 0, to: rows.count, by: 2) { rows[row] = "new\(row)" }
    case 6: for row in start...end { rows[row] += "'" }
    case 7: rows.removeSubrange(start...end)
    default: rows.insert(contentsOf: (0..<40).map { "more\($0)" }, at: start)
    }
    // Applied twice, a disorder must not bring an identity twice.
    var seen: Set<String> = []
    rows.removeAll { !seen.insert($0.filter { $0 != "'" }).inserted }
  }

  @Test func firstOfAThousandRowsToTheEndIsOneMove() throws {
    let rows = (0..<1000).map(String.init)
    let old = table("A: " + rows.joined(separator: " "))
    let new = table("A: " + (rows.dropFirst() + rows.prefix(1)).joined(separator: " "))
    #expect(text(Changeset(from: old, to: new)) == "[0,0]>[0,999]")
  }
}
