import TableModel

extension ItemSequence {
  /// Calls `body` with each entry that one of two sequences has and the other has not, or that is another one in them, in
  /// the order of the ranks.
  ///
  /// Of two sequences of which one was made from the other by edits, only the nodes that they don't share are looked at.
  ///
  /// - Complexity: O(differences · log n).
  static func forEachDifference(
    _ old: ItemSequence,
    _ new: ItemSequence,
    _ body: (_ before: StoredItem?, _ after: StoredItem?) throws -> Void
  ) rethrows {
    var (old, new) = (Remainder(old.root), Remainder(new.root))
    while true {
      switch (old.next, new.next) {
      case (nil, nil): return
      case (.entry(let entry)?, nil):
        try body(entry, nil)
        old.drop()
      case (nil, .entry(let entry)?):
        try body(nil, entry)
        new.drop()
      case (.node?, nil): old.open()
      case (nil, .node?): new.open()
      case (.entry(let before)?, .entry(let after)?):
        if before.rank < after.rank {
          try body(before, nil)
          old.drop()
        } else if after.rank < before.rank {
          try body(nil, after)
          new.drop()
        } else {
          if before.item !== after.item { try body(before, after) }
          old.drop()
          new.drop()
        }
      // What stands before all of the other's rest is not in it.
      case (.entry(let entry)?, .node(let node)?):
        if entry.rank < node.firstRank {
          try body(entry, nil)
          old.drop()
        } else {
          new.open()
        }
      case (.node(let node)?, .entry(let entry)?):
        if entry.rank < node.firstRank {
          try body(nil, entry)
          new.drop()
        } else {
          old.open()
        }
      case (.node(let one)?, .node(let other)?):
        if one === other {
          old.drop()
          new.drop()
        } else {
          // The larger one, so that what both have comes up on both sides at once.
          let (count, otherCount) = (one.count, other.count)
          if one.height == other.height {
            Remainder.open(one, in: &old, other, in: &new)
          } else {
            if count >= otherCount { old.open() }
            if otherCount >= count { new.open() }
          }
        }
      }
    }
  }

  /// The part of a sequence that was not looked at yet: nodes, and the entries of those that were opened.
  private struct Remainder {
    enum Part {
      case node(Node)
      case entry(StoredItem)
    }

    /// The last one is the next.
    private var parts: [Part]

    init(_ root: Node) { parts = root.count == 0 ? [] : [.node(root)] }

    var next: Part? { parts.last }

    mutating func drop() { parts.removeLast() }

    /// Goes on with the parts of the next node. O(its parts).
    mutating func open() {
      guard case .node(let node)? = parts.popLast() else { return }
      open(node, node.children.indices, node.elements.indices)
    }

    /// Goes on with the parts of two nodes of one height, each the next of its sequence, but for those that both begin or end
    /// with. O(their parts).
    static func open(_ node: Node, in one: inout Remainder, _ otherNode: Node, in other: inout Remainder) {
      one.drop()
      other.drop()
      let (children, otherChildren) = node.children.differing(from: otherNode.children) { $0 === $1 }
      let (elements, otherElements) = node.elements.differing(from: otherNode.elements) {
        $0.item === $1.item && $0.rank == $1.rank
      }
      one.open(node, children, elements)
      other.open(otherNode, otherChildren, otherElements)
    }

    private mutating func open(_ node: Node, _ children: Range<Int>, _ elements: Range<Int>) {
      parts += node.children[children].reversed().map { .node($0) }
      parts += node.elements[elements].reversed().map { .entry($0) }
    }
  }
}
