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

/// Where a row stands: in a section that stays, by its index in `SectionMatching.pairs`, and there at an index.
///
/// These are 32 bits wide to keep a stray within half a cache line; that many rows would need more memory than
/// machines have.
struct Place {
  let pair: Int32
  let row: Int32

  @inline(__always)
  init(pair: Int, row: Int) {
    self.pair = Int32(truncatingIfNeeded: pair)
    self.row = Int32(truncatingIfNeeded: row)
  }

  static let nowhere = Place(pair: -1, row: -1)
}

/// A row that the sweep left over.
struct Stray {
  let identity: UInt64
  /// Not retained: the tables that are compared hold their rows for as long as the comparison lasts.
  let row: Unmanaged<Row>
  let place: Place
  /// Where it stands in the other table; `nowhere`: the row is deleted or inserted.
  var counterpart = Place.nowhere

  var id: String { row._withUnsafeGuaranteedRef { $0.id } }
  var isMatched: Bool { counterpart.pair >= 0 }
  var staysInSection: Bool { counterpart.pair == place.pair }

  @inline(__always)
  init(_ index: Int, of rows: UnsafeRows, pair: Int) {
    identity = rows.keys[index].identity.rawValue
    row = rows.rows[index]
    place = Place(pair: pair, row: index)
  }

  @inline(__always)
  func isSame(as other: Stray) -> Bool {
    row.toOpaque() == other.row.toOpaque()
      || identity == other.identity && UnsafeRows.haveSameID(row, other.row)
  }
}
