import TableDiff
import TableModel
import TestSupport
import Testing

/// What a lens is told is made of what all are told: the same as a diff of what it shows.
@Suite struct SeenChangesetTests {
  /// How one client is shown rows: some toggled, some in another cell, and of some not all that there is.
  private struct Drawing {
    var toggled: Set<String> = []
    var hasOtherCells = false
    var hidesContent = false

    func callAsFunction(_ row: Row) -> Row {
      var words = String(decoding: row.encoded, as: UTF8.self).split(separator: " ").map(String.init)
      var cell = row.cellIdentifier
      if toggled.contains(row.id) { words.append("toggled") }
      if hasOtherCells, cell == "Image" {
        cell = "Label"
        words = words.map { $0 == "Image" ? "Label" : $0 }
      }
      if hidesContent { words = words.map { ["0", "1", "2"].contains($0) ? "-" : $0 } }
      let encoded = Array(words.joined(separator: " ").utf8)
      if encoded == row.encoded { return row }
      let chain = CellChain(CellPart(cellIdentifier: cell, payload: 0..<1))
      return Row(id: row.id, encoded: encoded, cells: chain, permissions: row.permissions)
    }

    func table(_ table: Table) -> Table {
      var drawn = table
      drawn.sections = table.sections.map { section in
        Section(id: section.id, header: section.header, footer: section.footer, rows: section.rows.map { self($0) })
      }
      return drawn
    }
  }

  @Test(arguments: seeds(of: 16))
  func whatIsSeenIsWhatDiffers(seed: UInt64) throws {
    var generator = TableGenerator(seed: seed)
    for number in 0..<1_500 {
      let (old, new) = generator.pair()
      let ids = (old.sections + new.sections).flatMap { $0.rows.map(\.id) }
      func some(_ random: inout SeededGenerator) -> Set<String> {
        Set(ids.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      }
      var before = Drawing(toggled: some(&generator.random))
      before.hasOtherCells = Bool.random(using: &generator.random)
      before.hidesContent = Bool.random(using: &generator.random)
      var after = before
      if Bool.random(using: &generator.random) { after.toggled = some(&generator.random) }
      let changes = Changeset(from: old, to: new)
      let seen = changes.seen(
        before: { before($0) },
        after: { after($0) },
        turned: Self.turned(changes, in: new, before.toggled.symmetricDifference(after.toggled))
      )
      let (from, to) = (before.table(old), after.table(new))
      do {
        var view = StrictTableView(from)
        try view.perform(seen)
        try view.checkShows(to)
        let (found, expected) = (Oracle(seen), Oracle(from: from, to: to))
        guard found == expected else { throw StrictTableView.Refusal("not minimal: \(found); expected \(expected)") }
        guard Table.same(try from.applying(seen), to) else { throw StrictTableView.Refusal("applying differs") }
      } catch {
        Issue.record("seed \(seed), case \(number): \(error)\n\(text(from))\n\(text(to))")
        return
      }
    }
  }

  /// The rows that are toggled on one side alone, but for those that come or are updated.
  private static func turned(_ changes: Changeset, in new: Table, _ ids: Set<String>) -> [Changeset.RowUpdate] {
    var others = ids
    for stage in changes.stages {
      for insert in stage.sections.insert { others.subtract(insert.section.rows.map(\.id)) }
      others.subtract(stage.rows.insert.map(\.row.id))
      others.subtract(stage.rows.update.map(\.row.id))
    }
    return others.sorted().compactMap { id in
      new.indexPath(of: id).map { path in
        let row = new.sections[path.section].rows[path.row]
        return Changeset.RowUpdate(at: path, row: row, reload: false, former: row)
      }
    }
  }
}
