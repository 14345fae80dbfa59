import TableDiff
import TableModel
import TestSupport
import Testing

/// What holds for every pair of tables, on 20,000 of them, or 80,000 (`make seeds`).
@Suite struct PropertyTests {
  private static let casesPerSeed = 5_000

  @Test("Random changesets are legal, minimal and exact", arguments: seeds(of: 16))
  func random(seed: UInt64) {
    var generator = TableGenerator(seed: seed)
    for number in 0..<Self.casesPerSeed {
      let state = generator.random.state
      let (old, new) = generator.pair()
      do {
        try verify(from: old, to: new)
      } catch {
        Issue.record("seed \(seed), case \(number), generator state \(state): \(error)\n\(text(old))\n\(text(new))")
        return
      }
    }
  }
}

/// Throws unless the changeset between two tables is legal, minimal and exact, and applies.
@discardableResult
func verify(from old: Table, to new: Table) throws -> Changeset {
  let changeset = Changeset(from: old, to: new)
  var view = StrictTableView(old)
  try view.perform(changeset)
  try view.checkShows(new)
  let (found, expected) = (Oracle(changeset), Oracle(from: old, to: new))
  guard found == expected else { throw StrictTableView.Refusal("not minimal: \(found); expected \(expected)") }
  guard Table.same(try old.applying(changeset), new) else { throw StrictTableView.Refusal("applying differs") }
  return changeset
}

func text(_ table: Table) -> String {
  table.sections.map { "\($0.id): " + $0.rows.map(\.id).joined(separator: ", ") }.joined(separator: " | ")
}
