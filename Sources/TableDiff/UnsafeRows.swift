import TableModel

/// A section's rows as the matching reads them: keys and references side by side, nothing retained.
///
/// Indexes are not checked in release builds; whoever uses one has it from a range within `0..<count`.
struct UnsafeRows {
  let keys: UnsafeBufferPointer<RowKey>
  let rows: UnsafeBufferPointer<Unmanaged<Row>>

  var count: Int { keys.count }

  @inline(__always)
  subscript(index: Int) -> UnsafeRow { UnsafeRow(key: keys[index], row: rows[index]) }

  @inline(__always)
  subscript(range: Range<Int>) -> UnsafeRows {
    UnsafeRows(keys: .init(rebasing: keys[range]), rows: .init(rebasing: rows[range]))
  }

  @inline(__always)
  func dropFirst(_ count: Int) -> UnsafeRows { self[count..<self.count] }

  func id(_ index: Int) -> String { rows[index]._withUnsafeGuaranteedRef { $0.id } }
}

/// A row without ownership: the tables that are compared hold their rows for as long as the comparison lasts.
struct UnsafeRow {
  let key: RowKey
  let row: Unmanaged<Row>

  /// What became of an old row.
  enum Match {
    case unchanged
    /// The identity is the same, the content is another.
    case changed
  }

  /// How `new` continues this row; nil if it is another one. Rows themselves are read only where content changed.
  @inline(__always)
  func match(_ new: UnsafeRow) -> Match? {
    if row.toOpaque() == new.row.toOpaque() { return .unchanged }
    guard key.identity == new.key.identity else { return nil }
    if key.content == new.key.content { return .unchanged }
    return haveSame(\.id, new) ? .changed : nil
  }

  func haveSame(_ text: (Row) -> String, _ other: UnsafeRow) -> Bool {
    row._withUnsafeGuaranteedRef { row in
      other.row._withUnsafeGuaranteedRef { other in text(row) == text(other) }
    }
  }
}

extension Section {
  /// Calls `body` with the rows' keys and references, which are valid during the call.
  func withUnsafeRows<Result>(_ body: (UnsafeRows) -> Result) -> Result {
    keys.withUnsafeBufferPointer { keys in
      rows.withUnsafeBufferPointer { rows in
        // An `Unmanaged` is the bare reference: same layout, without ownership.
        rows.withMemoryRebound(to: Unmanaged<Row>.self) { body(UnsafeRows(keys: keys, rows: $0)) }
      }
    }
  }
}
