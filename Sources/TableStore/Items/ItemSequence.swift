/// Items in the order of their ranks: a balanced tree, found by place and by rank in O(log n).
///
/// A value: a copy shares all nodes, and an edit after it copies the nodes on one way from the root, some 60 times the
/// logarithm of the length, whatever the length is.
struct ItemSequence: Sendable {
  private(set) var root: Node

  init() { root = Node(entries: []) }

  /// O(n); `entries` are sorted by rank.
  init(sorted entries: [StoredItem]) {
    var nodes = stride(from: 0, to: Swift.max(entries.count, 1), by: Node.filling).map { start in
      Node(entries: Array(entries[Swift.min(start, entries.count)..<Swift.min(start + Node.filling, entries.count)]))
    }
    while nodes.count > 1 {
      nodes = stride(from: 0, to: nodes.count, by: Node.filling).map { start in
        Node(children: Array(nodes[start..<Swift.min(start + Node.filling, nodes.count)]))
      }
    }
    root = nodes[0]
  }

  var count: Int { root.count }

  /// The entry at a place, 0 ..< count. O(log n).
  subscript(index: Int) -> StoredItem {
    var (node, rest) = (root, index)
    while !node.children.isEmpty {
      let (child, offset) = node.child(at: rest)
      (node, rest) = (node.children[child], offset)
    }
    return node.entries[rest]
  }

  /// The first place whose rank is not less than this one. O(log n).
  func index(atLeast rank: Int64) -> Int {
    var (node, before) = (root, 0)
    while !node.children.isEmpty {
      // The last child that begins below it; what stands before that one is less.
      var child = 0
      while child + 1 < node.children.count, node.children[child + 1].firstRank < rank { child += 1 }
      before += node.children[..<child].reduce(0) { $0 + $1.count }
      node = node.children[child]
    }
    return before + (node.entries.firstIndex { $0.rank >= rank } ?? node.entries.count)
  }

  /// Exchanges an entry; its rank has to fit between its neighbours'. O(log n).
  mutating func replace(at index: Int, with entry: StoredItem) {
    own()
    root.replace(at: index, with: entry)
  }

  /// O(log n).
  mutating func insert(_ entry: StoredItem, at index: Int) {
    own()
    if let half = root.insert(entry, at: index) { root = Node(children: [root, half]) }
  }

  /// O(log n).
  mutating func remove(at index: Int) -> StoredItem {
    own()
    let entry = root.remove(at: index)
    while root.children.count == 1 { root = root.children[0] }
    return entry
  }

  /// Everything in order. O(n).
  func forEach(_ body: (StoredItem) -> Void) { root.forEach(body) }

  private mutating func own() {
    if !isKnownUniquelyReferenced(&root) { root = root.copy() }
  }
}

extension ItemSequence {
  /// Entries in a leaf, else children.
  ///
  /// `@unchecked Sendable`: a node is changed only by a sequence that alone refers to it; all others are immutable.
  final class Node: @unchecked Sendable {
    private(set) var entries: [StoredItem] = []
    private(set) var children: [Node] = []
    private(set) var count: Int
    private(set) var firstRank: Int64

    static let capacity = 64
    /// How full they are made: some may come in before they split.
    static let filling = 48

    init(entries: [StoredItem]) {
      self.entries = entries
      count = entries.count
      firstRank = entries.first?.rank ?? .max
    }

    init(children: [Node]) {
      self.children = children
      count = children.reduce(0) { $0 + $1.count }
      firstRank = children.first?.firstRank ?? .max
    }

    func copy() -> Node { children.isEmpty ? Node(entries: entries) : Node(children: children) }

    /// Returns the child that a place is in, and the place in it; one past the end is the end of the last.
    func child(at index: Int) -> (child: Int, offset: Int) {
      var (child, rest) = (0, index)
      while child + 1 < children.count, rest >= children[child].count {
        rest -= children[child].count
        child += 1
      }
      return (child, rest)
    }

    private func own(_ child: Int) -> Node {
      if !isKnownUniquelyReferenced(&children[child]) { children[child] = children[child].copy() }
      return children[child]
    }

    private func update() {
      firstRank = children.first?.firstRank ?? entries.first?.rank ?? .max
    }

    func replace(at index: Int, with entry: StoredItem) {
      if children.isEmpty {
        entries[index] = entry
      } else {
        let (child, offset) = child(at: index)
        own(child).replace(at: offset, with: entry)
      }
      update()
    }

    /// The second half, where it had to be split.
    func insert(_ entry: StoredItem, at index: Int) -> Node? {
      count += 1
      if children.isEmpty {
        entries.insert(entry, at: index)
      } else {
        let (child, offset) = child(at: index)
        if let half = own(child).insert(entry, at: offset) { children.insert(half, at: child + 1) }
      }
      update()
      return Swift.max(entries.count, children.count) > Self.capacity ? split() : nil
    }

    private func split() -> Node {
      let half: Node
      if children.isEmpty {
        half = Node(entries: Array(entries[(entries.count / 2)...]))
        entries.removeLast(half.entries.count)
      } else {
        half = Node(children: Array(children[(children.count / 2)...]))
        children.removeLast(half.children.count)
      }
      count -= half.count
      return half
    }

    func remove(at index: Int) -> StoredItem {
      count -= 1
      defer { update() }
      guard !children.isEmpty else { return entries.remove(at: index) }
      let (child, offset) = child(at: index)
      let entry = own(child).remove(at: offset)
      if children[child].count == 0, children.count > 1 { children.remove(at: child) } else { merge(child) }
      return entry
    }

    /// Takes a child that has become small together with its neighbour, so that the tree stays flat.
    private func merge(_ child: Int) {
      let first = child > 0 ? child - 1 : child
      guard first + 1 < children.count else { return }
      let (left, right) = (children[first], children[first + 1])
      let size = left.entries.count + right.entries.count + left.children.count + right.children.count
      guard size <= Self.capacity / 2 else { return }
      let both =
        left.children.isEmpty
        ? Node(entries: left.entries + right.entries) : Node(children: left.children + right.children)
      children.replaceSubrange(first...(first + 1), with: [both])
    }

    func forEach(_ body: (StoredItem) -> Void) {
      for entry in entries { body(entry) }
      for child in children { child.forEach(body) }
    }
  }
}
