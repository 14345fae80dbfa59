/// A part of a persistent list: a chunk of elements side by side, or a node over such parts. Immutable, shared by all lists
/// that have it.
///
/// A B⁺-tree: all chunks stand equally deep, and nodes but the outermost are at least a quarter full. A removal across
/// two nodes may leave a smaller part between what stays of them: it costs memory, and no look-up is longer for it. A
/// list that is not long is one chunk. A class that conforms adds a summary of what stands under it, such as a digest
/// or a first rank; its initialisers make it of the elements or of the children's summaries.
///
/// All code here is inlinable, so that each module has it specialised for its own nodes.
public protocol ListNode: AnyObject, Sendable {
  associatedtype Element

  /// How many elements stand under it.
  var count: Int { get }
  /// 0: a chunk.
  var height: Int { get }
  /// The elements of a chunk; else empty.
  var elements: [Element] { get }
  /// The children of a node, of the next height, in order; else empty.
  var children: [Self] { get }
  /// By child: how many elements there are up to its end.
  var ends: [Int] { get }

  /// How many elements a list has in one chunk.
  static var longestChunk: Int { get }
  /// How many elements a chunk has in a tree.
  static var chunkSizes: ClosedRange<Int> { get }
  /// How many children a node has.
  static var nodeSizes: ClosedRange<Int> { get }

  /// A chunk. O(elements).
  init(chunk elements: [Element])
  /// A node over parts of one height, of which there is at least one. O(children).
  init(children: [Self])
  /// Makes a chunk of each piece. One after the other, unless the class does better.
  static func chunks(of pieces: [ArraySlice<Element>]) -> [Self]

  /// Takes over what the chunk knows that this one was made from by replacing a range. Nothing by default.
  func inherit(from former: Self, replacing range: Range<Int>, with new: some Collection<Element>)
  /// Takes over what the node knows that this one was made from by exchanging children. Nothing by default.
  func inherit(from former: Self)
}

extension ListNode {
  @inlinable public static func chunks(of pieces: [ArraySlice<Element>]) -> [Self] {
    pieces.map { Self(chunk: Array($0)) }
  }

  @inlinable public func inherit(from: Self, replacing: Range<Int>, with: some Collection<Element>) {}

  @inlinable public func inherit(from: Self) {}
}

// MARK: - Reading

extension ListNode {
  @inlinable public var isChunk: Bool { height == 0 }

  /// The child in which an element stands, and where it begins; the last one for what stands behind all. O(log children).
  @inlinable public func child(with place: Int) -> (index: Int, start: Int) {
    var (low, high) = (0, ends.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > place { high = middle } else { low = middle + 1 }
    }
    return (low, low == 0 ? 0 : ends[low - 1])
  }

  /// The chunk in which an element stands, and where it begins. O(log elements).
  @inlinable public func chunk(with place: Int) -> (chunk: Self, start: Int) {
    var (node, start) = (self, 0)
    while !node.isChunk {
      let child = node.child(with: place - start)
      (node, start) = (node.children[child.index], start + child.start)
    }
    return (node, start)
  }

  @inlinable public func forEachChunk(_ body: (Self) -> Void) {
    if isChunk { body(self) } else { for child in children { child.forEachChunk(body) } }
  }

  /// Calls the body with the chunks in which a range's elements stand, and which of theirs these are. O(chunks · log elements).
  @inlinable public func forEachSlice(_ range: Range<Int>, _ body: (Self, Range<Int>) -> Void) {
    var next = range.lowerBound
    while next < range.upperBound {
      let (chunk, start) = chunk(with: next)
      let end = min(range.upperBound - start, chunk.count)
      body(chunk, next - start..<end)
      next = start + end
    }
  }
}

// MARK: - Making

extension ListNode {
  /// By child: how many elements there are up to its end. O(children).
  @inlinable public static func ends(of children: [Self]) -> [Int] {
    var end = 0
    return children.map {
      end += $0.count
      return end
    }
  }

  /// The root of a list of any length. O(elements).
  @inlinable public static func root(_ elements: [Element]) -> Self {
    elements.count <= longestChunk ? Self(chunk: elements) : root(over: chunks(elements))
  }

  /// The root over parts of one height. One that need not be a tree is none. O(parts), and O(elements) where it is none.
  @inlinable public static func root(over parts: [Self]) -> Self {
    var parts = parts
    while parts.count > 1 { parts = nodes(parts) }
    guard var root = parts.first else { return Self(chunk: []) }
    while !root.isChunk, root.children.count == 1 { root = root.children[0] }
    // Half of what makes a tree, so that a list doesn't become one and none by turns.
    guard !root.isChunk, root.count <= longestChunk / 2 else { return root }
    var elements: [Element] = []
    elements.reserveCapacity(root.count)
    root.forEachChunk { elements += $0.elements }
    return Self(chunk: elements)
  }

  /// The root of the list with other elements in a range.
  ///
  /// O(log elements + new elements), and O(elements) in a list of one chunk. What the range doesn't touch is shared.
  @inlinable public func replacing(_ range: Range<Int>, with new: some Collection<Element>) -> Self {
    guard isChunk else { return Self.root(over: parts(range, new)) }
    let root = Self.root(joined(range, new))
    root.inherit(from: self, replacing: range, with: new)
    return root
  }

  @inlinable func joined(_ range: Range<Int>, _ new: some Collection<Element>) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(count - range.count + new.count)
    elements += self.elements[..<range.lowerBound]
    elements += new
    elements += self.elements[range.upperBound...]
    return elements
  }

  /// Nodes of this one's height, in place of this one; the first and the last may be less than a quarter full.
  @inlinable func parts(_ range: Range<Int>, _ new: some Collection<Element>) -> [Self] {
    guard !isChunk else {
      let chunks = Self.chunks(joined(range, new))
      if chunks.count == 1 { chunks[0].inherit(from: self, replacing: range, with: new) }
      return chunks
    }
    let first = child(with: range.lowerBound)
    var replaced: [Self]
    var last = first.index
    if range.upperBound <= ends[first.index] {
      let local = range.lowerBound - first.start..<range.upperBound - first.start
      replaced = children[first.index].parts(local, new)
    } else {
      let end = child(with: range.upperBound)
      last = end.index
      let (one, other) = (children[first.index], children[end.index])
      replaced = one.parts(range.lowerBound - first.start..<one.count, new)
      replaced += other.parts(0..<range.upperBound - end.start, EmptyCollection<Element>())
    }
    if replaced.count == 1, last == first.index, !replaced[0].isTooSmall {
      var children = children
      children[last] = replaced[0]
      let node = Self(children: children)
      node.inherit(from: self)
      return [node]
    }
    // With a neighbour on each side, for whatever has become too small.
    let (low, high) = (max(0, first.index - 1), min(children.count, last + 2))
    let filled = Self.filled(children[low..<first.index] + replaced + children[last + 1..<high])
    let nodes = Self.nodes(children[..<low] + filled + children[high...])
    if nodes.count == 1 { nodes[0].inherit(from: self) }
    return nodes
  }

  /// The same elements in parts that are all a quarter full, if they are enough for one that is. Only these: their own
  /// children stay as they are.
  @inlinable public static func filled(_ parts: [Self]) -> [Self] {
    var result: [Self] = []
    for part in parts where part.count > 0 {
      if let last = result.last, last.isTooSmall || part.isTooSmall {
        result.removeLast()
        result += part.isChunk ? chunks(last.elements + part.elements) : nodes(last.children + part.children)
      } else {
        result.append(part)
      }
    }
    return result
  }

  @inlinable var isTooSmall: Bool {
    isChunk ? count < Self.chunkSizes.lowerBound : children.count < Self.nodeSizes.lowerBound
  }

  /// Chunks of about one size; one where they are few.
  @inlinable public static func chunks(_ elements: [Element]) -> [Self] {
    if elements.count <= chunkSizes.upperBound { return elements.isEmpty ? [] : [Self(chunk: elements)] }
    return chunks(of: pieces(elements, chunkSizes.upperBound / 2))
  }

  /// Nodes over parts of one height, of about one size; one where they are few.
  @inlinable public static func nodes(_ parts: [Self]) -> [Self] {
    if parts.count <= nodeSizes.upperBound { return parts.isEmpty ? [] : [Self(children: parts)] }
    return pieces(parts, nodeSizes.upperBound / 2).map { Self(children: Array($0)) }
  }

  /// As many pieces as can have `size` elements, and these as even as can be.
  @inlinable static func pieces<Piece>(_ elements: [Piece], _ size: Int) -> [ArraySlice<Piece>] {
    let count = max(1, elements.count / size)
    return (0..<count).map { elements[$0 * elements.count / count..<($0 + 1) * elements.count / count] }
  }
}
