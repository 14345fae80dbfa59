import TableModel

/// Two versions of a table, as a shape makes them.
struct Versions {
  let old: Table
  /// What follows `old`: rows that did not change are its rows, as in the service.
  let new: Table
  /// Equal to `new`, but each row is an object of its own, as when a version was read from disk.
  var apart: Table {
    Table(new, sections: new.sections.map { Section(id: $0.id, rows: $0.rows.map(Row.init(copying:))) })
  }

  init(_ shape: Shape) {
    let (oldDrafts, newDrafts) = shape.drafts()
    let old = Table(
      name: "bench",
      title: "Bench",
      state: .ready,
      sections: oldDrafts.map { draft in Section(id: "section-\(draft.id)", rows: draft.rows.map(Row.init)) }
    )
    self.old = old
    // An old row's number says where it stands.
    let length = shape.rowsPerSection
    let unchanged = Shape.Draft.areSame(oldDrafts, newDrafts)
    new = Table(
      old,
      sections: newDrafts.enumerated().map { place, draft in
        if unchanged[place] { return old.sections[draft.id] }
        return Section(
          id: "section-\(draft.id)",
          rows: draft.rows.map { row in
            row.id >= 0 && row.content == 0 ? old.sections[row.id / length].rows[row.id % length] : Row(row)
          }
        )
      }
    )
  }

  var rowCount: Int { old.sections.reduce(0) { $0 + $1.rows.count } }
}

extension Row {
  private static let cell = CellChain(CellPart(cellIdentifier: "TableViewCellWithLabel", payload: 0..<2))

  /// Some 170 bytes, as a row with a title and a subtitle has.
  convenience init(_ draft: Shape.RowDraft) {
    let id = "row-\(draft.id)"
    let encoded = """
      {"id":"\(id)","cellIdentifier":"TableViewCellWithLabel","payload":{"title":"The title of row \(draft.id)",\
      "subtitle":"with content \(draft.content)"},"can":{"edit":true,"move":true,"select":true}}
      """
    self.init(id: id, encoded: Array(encoded.utf8), cells: Self.cell, permissions: .select)
  }

  /// With bytes of its own too.
  convenience init(copying row: Row) {
    let encoded = row.encoded.withUnsafeBufferPointer { Array($0) }
    self.init(id: row.id, encoded: encoded, cells: row.cells, permissions: row.permissions)
  }
}

extension Table {
  init(_ table: Table, sections: [Section]) {
    self = table
    self.sections = sections
  }

  var ids: [String] { sections.flatMap { $0.rows.map(\.id) } }
}
