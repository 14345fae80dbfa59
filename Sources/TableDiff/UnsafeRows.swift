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

  /// The fate of an old row.
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
    guard haveSame(\.id, new) else { return nil }
    return looksSame(new) ? .unchanged : .changed
  }

  /// Nobody need be told of a row that is found by something else, and shows what it showed.
  private func looksSame(_ other: UnsafeRow) -> Bool {
    row._withUnsafeGuaranteedRef { row in
      other.row._withUnsafeGuaranteedRef { other in
        (!row.findable.isEmpty || !other.findable.isEmpty) && row.encoded == other.encoded
      }
    }
  }

  var id: String { row._withUnsafeGuaranteedRef { $0.id } }

  func haveSame(_ text: (Row) -> String, _ other: UnsafeRow) -> Bool {
    row._withUnsafeGuaranteedRef { row in
      other.row._withUnsafeGuaranteedRef { other in text(row) == text(other) }
    }
  }
}

extension RowNode {
  /// A chunk's rows. **Valid only while the chunk lives**: its arrays are never written, so that their elements stay where
  /// they are.
  @inline(__always)
  var unsafeRows: UnsafeRows {
    keys.withUnsafeBufferPointer { keys in
      rows.withUnsafeBufferPointer { rows in
        // An `Unmanaged` is the bare reference: same layout, without ownership.
        rows.withMemoryRebound(to: Unmanaged<Row>.self) { UnsafeRows(keys: keys, rows: $0) }
      }
    }
  }
}

/// Goes over parts of a list of rows, which must live as long.
struct RowReader {
  private let list: RowList
  /// All rows, where the list is one chunk.
  private let whole: UnsafeRows?

  init(_ list: RowList) {
    self.list = list
    whole = list.root.isChunk ? list.root.unsafeRows : nil
  }

  /// The rows of a range that lie side by side from its beginning on: all of them, or as far as their chunk goes.
  /// O(log rows), and O(1) where the list is one chunk.
  @inline(__always)
  func part(_ range: Range<Int>) -> UnsafeRows {
    if let whole { return whole[range] }
    return partOfTree(range)
  }

  private func partOfTree(_ range: Range<Int>) -> UnsafeRows {
    let (chunk, start) = list.chunk(with: range.lowerBound)
    return chunk.unsafeRows[range.lowerBound - start..<min(range.upperBound - start, chunk.count)]
  }

  /// Calls `body` with each row of a range and its index. O(range), and O(log rows) in a list of several chunks.
  @inline(__always)
  func forEach(in range: Range<Int>, _ body: (Int, UnsafeRow) -> Void) {
    if let whole {
      // Most gaps are of a row or two: what is done for each gap counts.
      for index in range { body(index, whole[index]) }
      return
    }
    var next = range.lowerBound
    while next < range.upperBound {
      let rows = part(next..<range.upperBound)
      for index in 0..<rows.count { body(next + index, rows[index]) }
      next += rows.count
    }
  }

  /// Calls `body` with the rows of a range side by side, which are valid during the call: where they lie, if they do so
  /// side by side, else gathered first.
  @inline(__always)
  func withRows<Result>(_ range: Range<Int>, _ body: (UnsafeRows) -> Result) -> Result {
    let first = part(range)
    if first.count == range.count { return body(first) }
    var keys = Array(first.keys)
    var rows = Array(first.rows)
    while rows.count < range.count {
      let next = part(range.lowerBound + rows.count..<range.upperBound)
      keys.append(contentsOf: next.keys)
      rows.append(contentsOf: next.rows)
    }
    return keys.withUnsafeBufferPointer { keys in
      rows.withUnsafeBufferPointer { body(UnsafeRows(keys: keys, rows: $0)) }
    }
  }

  /// O(log rows), and O(1) where the list is one chunk.
  @inline(__always)
  subscript(index: Int) -> UnsafeRow { whole.map { $0[index] } ?? partOfTree(index..<index + 1)[0] }
}
