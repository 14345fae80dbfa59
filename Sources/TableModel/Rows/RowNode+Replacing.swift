extension RowList {
  /// The list with other rows at some places.
  ///
  /// - Parameter rows: by ascending places, which the list has.
  /// - Complexity: O(chunks with such a place · rows of a chunk); all other chunks are shared.
  public func replacing(_ rows: [(place: Int, row: Row)]) -> RowList {
    rows.isEmpty ? self : RowList(root: root.replacing(rows[...], from: 0))
  }
}

extension RowNode {
  /// - Parameter start: the place of this node's first row.
  fileprivate func replacing(_ new: ArraySlice<(place: Int, row: Row)>, from start: Int) -> RowNode {
    guard isChunk else {
      var (children, rest, start) = (children, new, start)
      for child in children.indices where !rest.isEmpty {
        let end = start + children[child].count
        let own = rest.prefix { $0.place < end }
        rest = rest[own.endIndex...]
        if !own.isEmpty { children[child] = children[child].replacing(own, from: start) }
        start = end
      }
      let node = RowNode(children: children)
      node.inheritKinds(of: self)
      return node
    }
    var (rows, keys) = (rows, keys)
    for (place, row) in new { (rows[place - start], keys[place - start]) = (row, row.key) }
    let chunk = RowNode(rows, keys: keys)
    chunk.inheritKinds(of: self, new.lazy.map { ($0.row, self.rows[$0.place - start]) })
    return chunk
  }
}
