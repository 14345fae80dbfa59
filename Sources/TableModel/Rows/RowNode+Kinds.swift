import Synchronization

extension RowNode {
  /// The kinds of its rows, each once. O(rows) where it is first asked; lists that follow from each other share what they
  /// share of it.
  var kinds: [RowKind] {
    heldKinds.withLock { held in
      if let held { return held }
      var kinds: [RowKind] = []
      if isChunk {
        for row in rows where !kinds.contains(where: { $0.includes(row) }) { kinds.append(RowKind(row)) }
      } else {
        for child in children { kinds.add(child.kinds) }
      }
      held = kinds
      return kinds
    }
  }
}

extension RowNode {
  /// Takes over the kinds of the chunk that this one was made from by replacing a range, where each new row is of the kind of
  /// the one whose place it takes, or of any where it takes none. In proportion to the new rows; what is removed without a row
  /// in its place may have been the last of its kind.
  package func inherit(from chunk: RowNode, replacing range: Range<Int>, with new: some Collection<Row>) {
    guard isChunk, range.count <= new.count else { return }
    inheritKinds(
      of: chunk,
      new.enumerated().lazy.map { ($1, $0 < range.count ? chunk.rows[range.lowerBound + $0] : nil) }
    )
  }

  /// The same of rows, each with the one whose place it takes.
  func inheritKinds(of chunk: RowNode, _ rows: some Sequence<(row: Row, former: Row?)>) {
    guard let known = chunk.heldKinds.withLock({ $0 }) else { return }
    for (row, former) in rows {
      guard let kind = known.first(where: { $0.includes(row) }), former.map(kind.includes) ?? true else { return }
    }
    heldKinds.withLock { $0 = known }
  }

  /// Takes over the kinds of the node that this one was made from, where each other child has those of the one whose place it
  /// takes. O(children).
  package func inherit(from node: RowNode) {
    guard !isChunk, node.children.count == children.count, let known = node.heldKinds.withLock({ $0 }) else { return }
    for (child, former) in zip(children, node.children) where child !== former {
      guard let kinds = child.heldKinds.withLock({ $0 }), kinds == former.heldKinds.withLock({ $0 }) else { return }
    }
    heldKinds.withLock { $0 = known }
  }
}
