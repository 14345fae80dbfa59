import TableModel

/// Items in the order of their ranks: a persistent list, found by place and by rank in O(log n).
///
/// A value: a copy shares all nodes, and an edit makes those on one way from the root anew, some 60 times the logarithm of the
/// length, whatever the length is.
struct ItemSequence: Sendable {
  private(set) var root: Node

  init() { root = Node(chunk: []) }

  /// O(n); `entries` are sorted by rank.
  init(sorted entries: [StoredItem]) { root = Node.root(entries) }

  var count: Int { root.count }

  /// The entry at a place, 0 ..< count. O(log n).
  subscript(index: Int) -> StoredItem {
    let (chunk, start) = root.chunk(with: index)
    return chunk.elements[index - start]
  }

  /// The first place whose rank is not less than this one. O(log n).
  func index(atLeast rank: Int64) -> Int {
    var (node, before) = (root, 0)
    while !node.isChunk {
      // The last child that begins below it; what stands before that one is less.
      let child = Swift.max(0, (node.children.firstIndex { $0.firstRank >= rank } ?? node.children.count) - 1)
      if child > 0 { before += node.ends[child - 1] }
      node = node.children[child]
    }
    return before + (node.elements.firstIndex { $0.rank >= rank } ?? node.elements.count)
  }

  /// Exchanges an entry; its rank has to fit between its neighbours'. O(log n).
  mutating func replace(at index: Int, with entry: StoredItem) {
    root = root.replacing(index..<index + 1, with: CollectionOfOne(entry))
  }

  /// O(log n).
  mutating func insert(_ entry: StoredItem, at index: Int) {
    root = root.replacing(index..<index, with: CollectionOfOne(entry))
  }

  /// O(log n).
  mutating func remove(at index: Int) -> StoredItem {
    let entry = self[index]
    root = root.replacing(index..<index + 1, with: EmptyCollection())
    return entry
  }

  /// Everything in order. O(n).
  func forEach(_ body: (StoredItem) -> Void) { root.forEachChunk { $0.elements.forEach(body) } }
}

extension ItemSequence {
  /// A part of a sequence, with its first rank.
  final class Node: ListNode {
    let count: Int
    let height: Int
    let elements: [StoredItem]
    let children: [Node]
    let ends: [Int]
    let firstRank: Int64

    static var longestChunk: Int { 64 }
    static var chunkSizes: ClosedRange<Int> { 16...64 }
    static var nodeSizes: ClosedRange<Int> { 16...64 }

    init(chunk entries: [StoredItem]) {
      (elements, children, ends) = (entries, [], [])
      (count, height, firstRank) = (entries.count, 0, entries.first?.rank ?? .max)
    }

    init(children: [Node]) {
      (elements, self.children, ends) = ([], children, Node.ends(of: children))
      (count, height, firstRank) = (ends.last ?? 0, children[0].height + 1, children[0].firstRank)
    }
  }
}
