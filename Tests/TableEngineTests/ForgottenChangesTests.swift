import TableEngine
import TableModel
import TestSupport
import Testing

/// Beside a list of all changes, looked through.
@Suite struct ForgottenChangesTests {
  @Test(arguments: 0..<50 as Range<UInt64>) func theFirstRowIsThatOfAListOfAll(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (epoch, history) = (Epoch.random(), UInt64.random(in: 1...8, using: &random))
    func cursor(_ version: UInt64) -> Cursor { Cursor(epoch: epoch, version: version) }
    var changes = ForgottenChanges()
    var (rows, current): ([UInt64: Int], UInt64) = ([:], .random(in: 1...20, using: &random))
    var sizes: [UInt64: ForgottenChanges.Size] = [:]
    // What came before is not known.
    var start = current
    for _ in 0..<200 {
      let made = (0..<Int.random(in: 0...4, using: &random)).map { _ in randomRow(&random) }
      if Int.random(in: 0..<60, using: &random) == 0 {
        // Some went by unnoted.
        current += UInt64.random(in: 1...3, using: &random)
        start = current
      }
      let previous = current
      for row in made {
        current += 1
        rows[current] = row
      }
      let oldest = current >= history ? current - history + 1 : 1
      for version in previous...current where sizes[version] == nil { sizes[version] = randomSize(&random) }
      let size = try #require(sizes[previous])
      let steps = zip(made, previous + 1...current + 1).compactMap { row, version in sizes[version].map { (row, $0) } }
      changes.note(steps, after: cursor(previous), size, oldest: cursor(oldest))
      let after = UInt64.random(in: 0...current, using: &random)
      let found = changes.firstRow(after: cursor(after), until: cursor(oldest))
      guard after >= start else {
        #expect(found == nil && changes.size(at: cursor(after)) == nil, "seed \(seed), after \(after)")
        continue
      }
      #expect(changes.size(at: cursor(after)) == sizes[after], "seed \(seed), after \(after)")
      let expected = after < oldest ? (after + 1...oldest).compactMap { rows[$0] }.min() ?? .max : .max
      #expect(found == (expected < WindowSize.range.upperBound ? expected : .max), "seed \(seed), after \(after)")
    }
    let other = Cursor(epoch: .random(), version: current)
    #expect(changes.firstRow(after: other, until: cursor(current)) == nil)
    #expect(changes.firstRow(after: other, until: other) == nil)
  }

  private func randomSize(_ random: inout SeededGenerator) -> ForgottenChanges.Size {
    let skipped = Int.random(in: 0..<2, using: &random)
    return ForgottenChanges.Size(of: Table(name: "t", title: "T", state: .ready, skippedItems: skipped))
  }

  private func randomRow(_ random: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Int.random(in: 0..<5, using: &random)
    case 1: Int.max
    default: Int.random(in: 0..<12_000, using: &random)
    }
  }
}
