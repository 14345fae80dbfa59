import TableModel

/// A section's rows without the one that moves: places count among them.
struct OtherRows {
  private let rows: RowList
  /// The place of the moving row, if it is one of them.
  private let moving: Int?

  /// Expected O(1) (``RowList/firstIndex(of:_:)``).
  init(than row: String?, in rows: RowList) {
    self.rows = rows
    moving = row.flatMap { rows.firstIndex(of: $0, Fingerprint(of: $0)) }
  }

  var count: Int { rows.count - (moving == nil ? 0 : 1) }

  var last: Row? { count > 0 ? self[count - 1] : nil }

  subscript(index: Int) -> Row { rows[moving.map { index >= $0 ? index + 1 : index } ?? index] }
}
