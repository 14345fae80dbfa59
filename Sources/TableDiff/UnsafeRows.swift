import TableModel

/// A section's rows as the sweep reads them: keys and references side by side, nothing retained.
///
/// Indexes are not checked in release builds; whoever uses one has it from a range within `0..<count`.
struct UnsafeRows {
  let keys: UnsafeBufferPointer<RowKey>
  let rows: UnsafeBufferPointer<Unmanaged<Row>>

  var count: Int { keys.count }

  func id(_ index: Int) -> String { rows[index]._withUnsafeGuaranteedRef { $0.id } }

  /// Whether row `index` and row `other` of `rows` have one identity.
  @inline(__always)
  func isSame(_ index: Int, as other: Int, in others: UnsafeRows) -> Bool {
    if rows[index].toOpaque() == others.rows[other].toOpaque() { return true }
    return keys[index].identity.rawValue == others.keys[other].identity.rawValue
      && Self.haveSameID(rows[index], others.rows[other])
  }

  /// Whether row `index` differs from row `other` of `rows`, which has the same identity.
  @inline(__always)
  func isChanged(_ index: Int, as other: Int, in others: UnsafeRows) -> Bool {
    if rows[index].toOpaque() == others.rows[other].toOpaque() { return false }
    return keys[index].content.rawValue != others.keys[other].content.rawValue
      || Self.isChanged(rows[index], others.rows[other])
  }

  static func isChanged(_ first: Unmanaged<Row>, _ second: Unmanaged<Row>) -> Bool {
    if first.toOpaque() == second.toOpaque() { return false }
    return first._withUnsafeGuaranteedRef { first in
      second._withUnsafeGuaranteedRef { second in !Row.same(first, second) }
    }
  }

  fileprivate static func haveSameID(_ first: Unmanaged<Row>, _ second: Unmanaged<Row>) -> Bool {
    first._withUnsafeGuaranteedRef { first in
      second._withUnsafeGuaranteedRef { second in first.id == second.id }
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

/// A row that the sweep left over.
struct Stray {
  let identity: UInt64
  /// Not retained: the tables that are compared hold their rows for as long as the comparison lasts.
  let row: Unmanaged<Row>
  /// Index in `SectionMatching.pairs`. These are 32 bits wide to keep a stray within half a cache line; that
  /// many rows would need more memory than machines have.
  let pair: Int32
  /// Index in its section.
  let index: Int32
  /// Index among the strays of the other table; -1: none, the row is deleted or inserted.
  var match: Int32 = -1

  var id: String { row._withUnsafeGuaranteedRef { $0.id } }

  @inline(__always)
  init(_ index: Int, of rows: UnsafeRows, pair: Int) {
    identity = rows.keys[index].identity.rawValue
    row = rows.rows[index]
    self.pair = Int32(truncatingIfNeeded: pair)
    self.index = Int32(truncatingIfNeeded: index)
  }

  @inline(__always)
  func isSame(as other: Stray) -> Bool {
    row.toOpaque() == other.row.toOpaque()
      || identity == other.identity && UnsafeRows.haveSameID(row, other.row)
  }
}
