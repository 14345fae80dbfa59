import TableModel

/// The place of a row: the index of a section that stays in `SectionMatching.pairs`, and an index in it.
///
/// These are 32 bits wide so that more of them fit into a cache; that many rows would need more memory than machines
/// have.
struct RowSlot: Comparable {
  let pair: Int32
  let row: Int32

  @inline(__always)
  init(pair: Int, row: Int) {
    self.pair = Int32(truncatingIfNeeded: pair)
    self.row = Int32(truncatingIfNeeded: row)
  }

  @inline(__always)
  func advanced(by rows: Int) -> RowSlot { RowSlot(pair: Int(pair), row: Int(row) + rows) }

  static let nowhere = RowSlot(pair: -1, row: -1)

  var isSomewhere: Bool { pair >= 0 }

  static func < (first: RowSlot, second: RowSlot) -> Bool { (first.pair, first.row) < (second.pair, second.row) }
}

/// A row in both tables whose content changed.
struct RowUpdate: Comparable {
  /// In the new table.
  let place: RowSlot
  /// The tables that are compared hold it.
  let former: Unmanaged<Row>
  /// True if the cell identifier changed too.
  let isReload: Bool

  init(_ old: UnsafeRow, _ new: UnsafeRow, at place: RowSlot) {
    (self.place, former) = (place, old.row)
    isReload = !old.haveSame(\.cellIdentifier, new)
  }

  static func == (first: RowUpdate, second: RowUpdate) -> Bool { first.place == second.place }
  static func < (first: RowUpdate, second: RowUpdate) -> Bool { first.place < second.place }
}
