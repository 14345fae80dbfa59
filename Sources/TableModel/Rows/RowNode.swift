internal import LongWork
package import Synchronization

/// A part of a list of rows: a chunk of them side by side, or a node over such parts. Immutable, shared by all lists that
/// have it.
///
/// A B⁺-tree: all chunks stand equally deep, and all nodes but the outermost are at least a quarter full. A list that is
/// not long is one chunk, so that what goes over it reads on and on; in a tree chunks are shorter, for an edit copies
/// one, and what differs between two versions is found to within one.
package final class RowNode: Sendable {
  package let count: Int
  /// 0: a chunk.
  package let height: Int
  package let digest: RowsDigest
  /// The rows of a chunk; else empty.
  package let rows: [Row]
  /// `rows[i].key`, side by side, so that a diff reads them in one sweep.
  package let keys: [RowKey]
  /// The children of a node, of the next height, in order.
  package let children: [RowNode]
  /// By child: how many rows there are up to its end.
  private let ends: [Int]
  /// Made when it is first asked for.
  private let index = Mutex<RowIndex?>(nil)
  /// Found when they are first asked for.
  let heldKinds = Mutex<[RowKind]?>(nil)

  /// The search texts of a chunk's rows, made by the module `TableFinding` when it is first searched.
  package let findings = Mutex<(any AnyObject & Sendable)?>(nil)

  /// How many rows a list has in one chunk.
  static let longestChunk = 2048
  /// How many rows a chunk has in a tree, and how many children a node.
  static let chunkSizes = 64...256
  static let nodeSizes = 16...64

  /// The number of chunks of a long list that a thread makes in one go.
  private static let chunksInARun = 16

  static let empty = RowNode(chunk: [])

  /// O(rows).
  convenience init(chunk rows: [Row]) {
    // An array made with room for nothing writes its count into the one storage that all empty arrays share.
    guard !rows.isEmpty else {
      self.init([], keys: [])
      return
    }
    let keys = [RowKey](unsafeUninitializedCapacity: rows.count) { keys, count in
      rows.withUnsafeBufferPointer { rows in
        for row in rows.indices { keys.initializeElement(at: row, to: rows[row].key) }
      }
      count = rows.count
    }
    self.init(rows, keys: keys)
  }

  /// A chunk of rows with these keys. O(rows), none of which is looked at.
  init(_ rows: [Row], keys: [RowKey]) {
    (self.rows, self.keys) = (rows, keys)
    count = rows.count
    digest = keys.withUnsafeBufferPointer { RowsDigest(of: $0) }
    (height, children, ends) = (0, [], [])
  }

  /// O(children). There is at least one, and all are of one height.
  init(children: [RowNode]) {
    self.children = children
    var ends: [Int] = []
    ends.reserveCapacity(children.count)
    var digest = RowsDigest.empty
    for child in children {
      ends.append((ends.last ?? 0) + child.count)
      digest = digest.followed(by: child.digest)
    }
    (self.ends, self.digest) = (ends, digest)
    (count, height) = (ends.last ?? 0, (children.first?.height ?? 0) + 1)
    (rows, keys) = ([], [])
  }

  package var isChunk: Bool { height == 0 }

  /// Calls `body` with where identities stand. O(rows) the first time.
  func withIndex<Result>(_ body: (RowIndex) -> Result) -> Result {
    let index = index.withLock { index in
      let made = index ?? RowIndex(self)
      index = made
      return made
    }
    return body(index)
  }

  /// The child in which a row stands, and where it begins; the last one for what stands behind all rows. O(log children).
  private func child(with row: Int) -> (index: Int, start: Int) {
    var (low, high) = (0, ends.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > row { high = middle } else { low = middle + 1 }
    }
    return (low, low == 0 ? 0 : ends[low - 1])
  }

  /// The chunk in which a row stands, and where it begins. O(log rows).
  package func chunk(with row: Int) -> (chunk: RowNode, start: Int) {
    var (node, start) = (self, 0)
    while !node.isChunk {
      let child = node.child(with: row - start)
      (node, start) = (node.children[child.index], start + child.start)
    }
    return (node, start)
  }
}

// MARK: - Other rows

extension RowNode {
  /// The root of a list of any length. O(rows).
  static func root(_ rows: [Row]) -> RowNode {
    rows.count <= longestChunk ? RowNode(chunk: rows) : root(over: chunks(rows))
  }

  /// The root over parts of one height. One that need not be a tree is none. O(parts), and O(rows) where it is none.
  static func root(over parts: [RowNode]) -> RowNode {
    var parts = parts
    while parts.count > 1 { parts = nodes(parts) }
    guard var root = parts.first else { return empty }
    while !root.isChunk, root.children.count == 1 { root = root.children[0] }
    // Half of what makes a tree, so that a list doesn't become one and none by turns.
    guard !root.isChunk, root.count <= longestChunk / 2 else { return root }
    var rows: [Row] = []
    rows.reserveCapacity(root.count)
    root.forEachChunk { rows += $0.rows }
    return RowNode(chunk: rows)
  }

  func forEachChunk(_ body: (RowNode) -> Void) {
    if isChunk { body(self) } else { for child in children { child.forEachChunk(body) } }
  }

  /// The root of the list with other rows in a range.
  ///
  /// O(log rows + new rows), and O(rows) in a list of one chunk. What the range doesn't touch is shared.
  func replacing(_ range: Range<Int>, with new: some Collection<Row>) -> RowNode {
    guard isChunk else { return Self.root(over: parts(range, new)) }
    let root = Self.root(joined(range, new))
    root.inheritKinds(of: self, replacing: range, with: new)
    return root
  }

  private func joined(_ range: Range<Int>, _ new: some Collection<Row>) -> [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(count - range.count + new.count)
    rows += self.rows[..<range.lowerBound]
    rows += new
    rows += self.rows[range.upperBound...]
    return rows
  }

  /// Nodes of this one's height, in place of this one; the first and the last may be less than a quarter full.
  private func parts(_ range: Range<Int>, _ new: some Collection<Row>) -> [RowNode] {
    guard !isChunk else {
      let chunks = Self.chunks(joined(range, new))
      if chunks.count == 1 { chunks[0].inheritKinds(of: self, replacing: range, with: new) }
      return chunks
    }
    let first = child(with: range.lowerBound)
    var replaced: [RowNode]
    var last = first.index
    if range.upperBound <= ends[first.index] {
      let local = range.lowerBound - first.start..<range.upperBound - first.start
      replaced = children[first.index].parts(local, new)
    } else {
      let end = child(with: range.upperBound)
      last = end.index
      let (one, other) = (children[first.index], children[end.index])
      replaced = one.parts(range.lowerBound - first.start..<one.count, new)
      replaced += other.parts(0..<range.upperBound - end.start, EmptyCollection<Row>())
    }
    // With a neighbour on each side, for whatever has become too small.
    let (low, high) = (max(0, first.index - 1), min(children.count, last + 2))
    let filled = Self.filled(children[low..<first.index] + replaced + children[last + 1..<high])
    let nodes = Self.nodes(children[..<low] + filled + children[high...])
    if nodes.count == 1 { nodes[0].inheritKinds(of: self) }
    return nodes
  }

  /// The same rows in nodes that are all a quarter full, if they are enough for one that is.
  static func filled(_ parts: [RowNode]) -> [RowNode] {
    var result: [RowNode] = []
    for part in parts where part.count > 0 {
      if let last = result.last, last.isTooSmall || part.isTooSmall {
        result.removeLast()
        result += part.isChunk ? chunks(last.rows + part.rows) : nodes(last.children + part.children)
      } else {
        result.append(part)
      }
    }
    return result
  }

  private var isTooSmall: Bool {
    isChunk ? count < Self.chunkSizes.lowerBound : children.count < Self.nodeSizes.lowerBound
  }

  /// Chunks of about one size; one where they are few.
  static func chunks(_ rows: [Row]) -> [RowNode] {
    if rows.count <= chunkSizes.upperBound { return rows.isEmpty ? [] : [RowNode(chunk: rows)] }
    let pieces = pieces(rows, chunkSizes.upperBound / 2)
    guard rows.count > longestChunk else { return pieces.map { RowNode(chunk: Array($0)) } }
    return [RowNode](unsafeUninitializedCapacity: pieces.count) { chunks, count in
      // Each place is written by one thread.
      nonisolated(unsafe) let chunks = chunks
      let runs = (pieces.count + chunksInARun - 1) / chunksInARun
      LongWork.perform(iterations: runs) { run in
        for chunk in run * chunksInARun..<min((run + 1) * chunksInARun, pieces.count) {
          chunks.initializeElement(at: chunk, to: RowNode(chunk: Array(pieces[chunk])))
        }
      }
      count = pieces.count
    }
  }

  static func nodes(_ parts: [RowNode]) -> [RowNode] {
    if parts.count <= nodeSizes.upperBound { return parts.isEmpty ? [] : [RowNode(children: parts)] }
    return pieces(parts, nodeSizes.upperBound / 2).map { RowNode(children: Array($0)) }
  }

  /// As many pieces as can have `size` elements, and these as even as can be.
  private static func pieces<Element>(_ elements: [Element], _ size: Int) -> [ArraySlice<Element>] {
    let count = max(1, elements.count / size)
    return (0..<count).map { elements[$0 * elements.count / count..<($0 + 1) * elements.count / count] }
  }
}
