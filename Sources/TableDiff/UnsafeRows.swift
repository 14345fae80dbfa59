import TableModel

/// Rows side by side as the matching reads them: keys and references, nothing retained.
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

  var id: String { row._withUnsafeGuaranteedRef { $0.id } }

  func haveSame(_ text: (Row) -> String, _ other: UnsafeRow) -> Bool {
    row._withUnsafeGuaranteedRef { row in
      other.row._withUnsafeGuaranteedRef { other in text(row) == text(other) }
    }
  }
}

extension RowNode {
  /// Calls `body` with a chunk's rows, which are valid during the call.
  @inline(__always)
  func withUnsafeRows<Result>(_ body: (UnsafeRows) -> Result) -> Result {
    keys.withUnsafeBufferPointer { keys in
      rows.withUnsafeBufferPointer { rows in
        // An `Unmanaged` is the bare reference: same layout, without ownership.
        rows.withMemoryRebound(to: Unmanaged<Row>.self) { body(UnsafeRows(keys: keys, rows: $0)) }
      }
    }
  }
}

extension RowList {
  /// Calls `body` with the rows of a range side by side, which are valid during the call. O(1) where the list is one
  /// chunk, else they are gathered first, in O(log rows + range).
  @inline(__always)
  func withUnsafeRows<Result>(in range: Range<Int>, _ body: (UnsafeRows) -> Result) -> Result {
    if root.isChunk { return root.withUnsafeRows { body($0[range]) } }
    var keys: [RowKey] = []
    var rows: [Unmanaged<Row>] = []
    keys.reserveCapacity(range.count)
    rows.reserveCapacity(range.count)
    forEachChunk(in: range) { chunk, start in
      chunk.withUnsafeRows { part in
        let wanted = range.clamped(to: start..<start + part.count)
        let local = wanted.lowerBound - start..<wanted.upperBound - start
        keys.append(contentsOf: part[local].keys)
        rows.append(contentsOf: part[local].rows)
      }
      return true
    }
    return keys.withUnsafeBufferPointer { keys in
      rows.withUnsafeBufferPointer { body(UnsafeRows(keys: keys, rows: $0)) }
    }
  }

  /// Calls `body` with a way to go over the rows of ranges.
  @inline(__always)
  func withReader<Result>(_ body: (RowReader) -> Result) -> Result {
    if root.isChunk { return root.withUnsafeRows { body(RowReader(list: self, chunk: $0)) } }
    return body(RowReader(list: self, chunk: nil))
  }
}

/// Goes over parts of a list of rows.
struct RowReader {
  fileprivate let list: RowList
  /// All rows, where the list is one chunk.
  fileprivate let chunk: UnsafeRows?

  /// Calls `body` with each row of a range and its index. O(range), and O(log rows) in a list of several chunks.
  @inline(__always)
  func forEach(in range: Range<Int>, _ body: (Int, UnsafeRow) -> Void) {
    if let chunk {
      for index in range { body(index, chunk[index]) }
    } else {
      list.forEachChunk(in: range) { chunk, start in
        chunk.withUnsafeRows { rows in
          for index in range.clamped(to: start..<start + rows.count) { body(index, rows[index - start]) }
        }
        return true
      }
    }
  }

  @inline(__always)
  func id(_ index: Int) -> String {
    if let chunk { return chunk[index].id }
    return list[index].id
  }
}
