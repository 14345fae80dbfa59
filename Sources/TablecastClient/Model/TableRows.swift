/// The rows of a section, as a list of chunks. If a state differs from the one before in a few rows, the two share all
/// other chunks.
///
/// Reading and replacing a row is O(1). An insertion or a deletion is O(rows after it). Comparing two lists skips the
/// chunks that they share.
public struct TableRows: Hashable, Sendable {
  /// What is copied to exchange one row, against the number of chunks that every new state counts up.
  private static var width: Int { 16 }

  /// Full but for the last one, none empty.
  private var chunks: [[TableRow]] = []
  public private(set) var count = 0

  public init() {}
}

extension TableRows: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// Chunk by chunk: to look for each row's chunk would take half as long again.
  public func makeIterator() -> FlattenSequence<[[TableRow]]>.Iterator { chunks.joined().makeIterator() }

  public subscript(position: Int) -> TableRow {
    get { chunks[position / Self.width][position % Self.width] }
    set { chunks[position / Self.width][position % Self.width] = newValue }
  }
}

extension TableRows {
  /// Returns the places of the rows that are not the same objects as in another list; nil where the lists are not equally long.
  /// O(chunks), and O(rows) of the chunks that the lists don't share.
  public func places(differingFrom other: TableRows) -> [Int]? {
    guard count == other.count else { return nil }
    var places: [Int] = []
    for (index, (chunk, otherChunk)) in zip(chunks, other.chunks).enumerated() {
      let isShared = chunk.withUnsafeBufferPointer { chunk in
        otherChunk.withUnsafeBufferPointer { $0.baseAddress == chunk.baseAddress }
      }
      guard !isShared else { continue }
      for offset in chunk.indices where chunk[offset] !== otherChunk[offset] {
        places.append(index * Self.width + offset)
      }
    }
    return places
  }
}

extension TableRows: RangeReplaceableCollection {
  public mutating func replaceSubrange(_ subrange: Range<Int>, with rows: some Collection<TableRow>) {
    precondition(subrange.lowerBound >= 0 && subrange.upperBound <= count, "rows outside the section")
    let first = subrange.lowerBound / Self.width
    var behind = Array(self[first * Self.width..<subrange.lowerBound])
    behind.append(contentsOf: rows)
    behind.append(contentsOf: self[subrange.upperBound...])
    chunks.removeSubrange(first...)
    count = first * Self.width
    fill(behind)
  }

  public init(_ rows: some Sequence<TableRow>) { fill(Array(rows)) }

  /// Behind full chunks.
  private mutating func fill(_ rows: [TableRow]) {
    chunks.reserveCapacity(chunks.count + (rows.count + Self.width - 1) / Self.width)
    for start in stride(from: 0, to: rows.count, by: Self.width) {
      chunks.append(Array(rows[start...].prefix(Self.width)))
    }
    count += rows.count
  }
}

extension TableRows: ExpressibleByArrayLiteral {
  public init(arrayLiteral rows: TableRow...) { fill(rows) }
}
