import TableDiff
import TableModel

/// What a change, a window and a look-up of one long section cost, by its rows: where a list is persistent, hardly more for
/// a million than for a thousand.
func printLongSections() {
  print("\nMicroseconds, medians. One section; versions follow from each other, as by edits and refreshes.\n")
  let sizes = [1000, 10_000, 100_000, 1_000_000]
  let report = Report(["what"] + sizes.map { "\($0 / 1000)k" } + ["growth"], first: 54)
  let versions = sizes.map(LongVersions.init)
  func curve(_ name: String, _ body: (LongVersions) -> Void) {
    let times = versions.map { versions in median(budget: .milliseconds(100)) { body(versions) } * 1000 }
    report.row([name] + times.map { number($0, 1) } + ["× " + number(times[times.count - 1] / times[0], 1)])
  }
  curve("one row replaced") { sink &+= $0.old.sections[0].rows.replacing($0.middle, with: $0.row).count }
  curve("one row inserted") { sink &+= $0.old.sections[0].rows.inserting($0.row, at: $0.middle).count }
  curve("the changeset of one edit") { diff($0.old, $0.edited) }
  curve("the changeset of 0.1 % updates") { diff($0.old, $0.refreshed) }
  curve("from which row on they differ") { sink &+= Table.firstAffectedRow(from: $0.old, to: $0.edited) ?? 0 }
  curve("a window of 50 rows") { sink &+= $0.old.cut(to: $0.window).sections.count }
  curve("50 rows out of the middle") { sink &+= $0.old.cut(to: $0.middleWindow).sections.count }
  curve("the changeset of a window of 50 rows") {
    diff($0.old.cut(to: $0.window), $0.refreshed.cut(to: $0.window))
  }
  curve("where a row stands") { sink &+= $0.old.indexPath(of: $0.id)?.row ?? 0 }
  curve("a version made anew shares with the one before") {
    sink &+= RowList($0.refreshedRows, sharing: $0.old.sections[0].rows).count
  }
}

/// Versions of a table with one section.
private struct LongVersions {
  let old: Table
  /// One row replaced.
  let edited: Table
  /// 0.1 % replaced.
  let refreshed: Table
  let refreshedRows: [Row]
  let middle: Int
  let row: Row
  let id: String
  let window: WindowRange
  let middleWindow: WindowRange

  init(_ count: Int) {
    var random = SplitMix64(state: 42)
    let rows = (0..<count).map { Row(Shape.RowDraft(id: $0)) }
    let list = RowList(rows)
    middle = count / 2
    row = Row(Shape.RowDraft(id: middle, content: 1))
    id = rows[count - 1].id
    var changed = rows
    for _ in 0..<max(1, count / 1000) {
      let index = Int.random(in: 0..<count, using: &random)
      changed[index] = Row(Shape.RowDraft(id: index, content: 1))
    }
    refreshedRows = changed
    func table(_ rows: RowList) -> Table {
      Table(name: "bench", title: "Bench", state: .ready, sections: [Section(id: "main", rows: rows)])
    }
    old = table(list)
    edited = table(list.replacing(middle, with: row))
    refreshed = table(RowList(changed, sharing: list))
    guard let first = WindowRange(50), let other = WindowRange(from: middle, rows: 50) else {
      preconditionFailure("50 rows are a window")
    }
    (window, middleWindow) = (first, other)
  }
}
