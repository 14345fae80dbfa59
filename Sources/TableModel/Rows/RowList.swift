/// The rows of a section: a persistent list, so that an edit or a window of a long one doesn't cost the whole.
///
/// Up to some 2,000 rows it is an array; a longer list is a tree, whose parts the lists that follow from it share. What it
/// costs to replace, insert or remove a row, to cut the list, or to find out what differs between two lists of which one
/// was made from the other, depends on the change and on the logarithm of the length.
public struct RowList: Sendable {
  package let root: RowNode

  init(root: RowNode) { self.root = root }

  /// O(rows). An array that is not long is taken over as it is.
  public init(_ rows: [Row]) { root = RowNode.root(rows) }

  /// The list of `rows` that shares with another what they have in common: so that versions that were made anew, as by
  /// a refresh, can be told apart as fast as those that were made by edits.
  ///
  /// - Parameter other: Only rows that are the same objects in both are shared.
  /// - Complexity: O(rows), without hashing those that are shared.
  public init(_ rows: [Row], sharing other: RowList) { root = RowNode.root(rows, sharing: other.root) }

  /// Returns whether both are the same one in memory. O(1).
  package func isVery(_ other: RowList) -> Bool { root === other.root }

  /// The chunk in which a row stands, and where it begins. O(log rows). Not inlined: another module would read each node by calls.
  @inline(never)
  package func chunk(with row: Int) -> (chunk: RowNode, start: Int) { root.chunk(with: row) }

  /// A digest that two lists share if and only if they have the same rows in the same order, content included.
  public var digest: RowsDigest { root.digest }

  /// The list with other rows in a range.
  ///
  /// - Complexity: O(log rows + new rows); O(rows) for some 2,000 rows at most.
  public func replacing(_ range: Range<Int>, with rows: some Collection<Row>) -> RowList {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within \(count) rows")
    return RowList(root: root.replacing(range, with: rows))
  }

  /// The list with other rows at some places.
  ///
  /// - Parameter rows: by ascending places, which the list has.
  /// - Complexity: O(chunks with such a place · rows of a chunk); all other chunks are shared.
  public func replacing(_ rows: [(place: Int, row: Row)]) -> RowList {
    rows.isEmpty ? self : RowList(root: root.replacing(rows[...], from: 0))
  }

  /// The list with another row at a place. As fast as ``replacing(_:with:)``.
  public func replacing(_ index: Int, with row: Row) -> RowList {
    replacing(index..<index + 1, with: CollectionOfOne(row))
  }

  /// The list with a row more, which then stands at `index`. As fast as ``replacing(_:with:)``.
  public func inserting(_ row: Row, at index: Int) -> RowList {
    replacing(index..<index, with: CollectionOfOne(row))
  }

  /// The list without a row. As fast as ``replacing(_:with:)``.
  public func removing(at index: Int) -> RowList {
    replacing(index..<index + 1, with: EmptyCollection())
  }

  /// The list's first rows; itself where it has no more. O(log rows), and O(`count`) for some 2,000 rows at most.
  public func first(_ count: Int) -> RowList { part(0..<Swift.min(count, self.count)) }

  /// Some of the list's rows, side by side; itself where these are all.
  ///
  /// - Complexity: O(log rows + range) for some 2,000 rows at most, else O(log rows).
  public func part(_ range: Range<Int>) -> RowList {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within \(count) rows")
    return range.count < count ? RowList(root: root.part(range)) : self
  }

  /// Returns the rows outside some ranges, which ascend. O(ranges).
  public func without(_ ranges: [Range<Int>]) -> [Slice<RowList>] {
    var (parts, next): ([Slice<RowList>], Int) = ([], 0)
    for range in ranges + [count..<count] {
      if next < range.lowerBound { parts.append(self[next..<range.lowerBound]) }
      next = range.upperBound
    }
    return parts
  }
}

extension RowList {
  /// Returns the place of the first row with an identity.
  ///
  /// - Parameter identity: The fingerprint of `id`.
  /// - Complexity: Expected O(1) for a list of one chunk, and O(rows / 8,000) for a longer one; O(rows) where it is first
  ///   asked. Lists that follow from each other share what makes it fast.
  public func firstIndex(of id: String, _ identity: Fingerprint) -> Int? { root.firstIndex(identity) { $0.id == id } }

  /// The same, for who has only the fingerprint.
  public func firstIndex(of identity: Fingerprint) -> Int? { root.firstIndex(identity) { _ in true } }
}

extension RowList: RandomAccessCollection, ExpressibleByArrayLiteral {
  public init(arrayLiteral rows: Row...) { self.init(rows) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { root.count }

  /// O(log rows) to read; to write as fast as ``replacing(_:with:)``: many rows are better changed in an array, and
  /// made a list that shares with this one.
  public subscript(index: Int) -> Row {
    get {
      if root.isChunk { return root.rows[index] }
      precondition(index >= 0 && index < count, "row \(index) is not within \(count)")
      let (chunk, start) = root.chunk(with: index)
      return chunk.rows[index - start]
    }
    set { self = replacing(index, with: newValue) }
  }

  /// Calls the body where the list is one chunk.
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Row>) throws -> Result
  ) rethrows -> Result? {
    root.isChunk ? try root.rows.withUnsafeBufferPointer(body) : nil
  }

  public func makeIterator() -> Iterator { Iterator(root, from: 0) }

  /// Goes from chunk to chunk.
  public struct Iterator: IteratorProtocol {
    private let root: RowNode
    private var rows: [Row]
    private var position = 0
    /// How many rows stand before this chunk.
    private var start = 0

    init(_ root: RowNode, from index: Int) {
      self.root = root
      let (chunk, start) = root.chunk(with: index)
      (rows, self.start, position) = (chunk.rows, start, index - start)
    }

    public mutating func next() -> Row? {
      if position == rows.count {
        start += rows.count
        guard start < root.count else {
          (rows, position) = ([], 0)
          return nil
        }
        (rows, position) = (root.chunk(with: start).chunk.rows, 0)
      }
      defer { position += 1 }
      return rows[position]
    }
  }
}

extension [Row] {
  /// O(rows), and O(1) for a list of one chunk.
  public init(_ list: RowList) {
    if list.root.isChunk {
      self = list.root.rows
    } else {
      self = []
      reserveCapacity(list.count)
      list.root.forEachChunk { append(contentsOf: $0.rows) }
    }
  }
}

// MARK: - Keys

extension RowList {
  /// The rows' keys, by the same indexes.
  public var keys: Keys { Keys(rows: self) }

  public struct Keys: RandomAccessCollection, Sendable {
    fileprivate let rows: RowList

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }

    /// O(log rows).
    public subscript(index: Int) -> RowKey {
      if rows.root.isChunk { return rows.root.keys[index] }
      precondition(index >= 0 && index < rows.count, "row \(index) is not within \(rows.count)")
      let (chunk, start) = rows.root.chunk(with: index)
      return chunk.keys[index - start]
    }
  }
}
