extension RowNode {
  /// The root of a list of some of the rows, side by side.
  ///
  /// O(log rows + range) for as many as have one chunk, whatever the list's length; O(log rows) for more.
  func part(_ range: Range<Int>) -> RowNode {
    guard range.count < count else { return self }
    guard range.count <= Self.longestChunk else {
      return replacing(range.upperBound..<count, with: EmptyCollection<Row>())
        .replacing(0..<range.lowerBound, with: EmptyCollection<Row>())
    }
    guard !range.isEmpty else { return Self.empty }
    if isChunk { return RowNode(Array(rows[range]), keys: Array(keys[range])) }
    var (rows, keys): ([Row], [RowKey]) = ([], [])
    rows.reserveCapacity(range.count)
    keys.reserveCapacity(range.count)
    forEachSlice(range) {
      rows += $0.rows[$1]
      keys += $0.keys[$1]
    }
    return RowNode(rows, keys: keys)
  }

  /// The digest of some of the rows, side by side. O(log rows + range), and O(log rows + rows of a chunk) where it
  /// goes over whole ones.
  func digest(of range: Range<Int>) -> RowsDigest {
    if range.count == count { return digest }
    var digest = RowsDigest.empty
    forEachSlice(range) { chunk, rows in
      digest = digest.followed(
        by: rows.count == chunk.count
          ? chunk.digest
          : chunk.keys.withUnsafeBufferPointer { RowsDigest(of: .init(rebasing: $0[rows])) }
      )
    }
    return digest
  }

  /// The chunks in which a range's rows stand, and which of theirs these are. O(chunks · log rows).
  private func forEachSlice(_ range: Range<Int>, _ body: (RowNode, Range<Int>) -> Void) {
    var next = range.lowerBound
    while next < range.upperBound {
      let (chunk, start) = chunk(with: next)
      let end = min(range.upperBound - start, chunk.count)
      body(chunk, next - start..<end)
      next = start + end
    }
  }
}

extension RowList {
  /// Returns whether two lists have the same rows, content included, in a range of each.
  ///
  /// - Complexity: O(log rows + range), at the speed of memory.
  public static func haveSame(_ old: RowList, _ oldRange: Range<Int>, _ new: RowList, _ newRange: Range<Int>) -> Bool {
    guard oldRange.count == newRange.count else { return false }
    if old.root === new.root, oldRange == newRange { return true }
    return old.root.digest(of: oldRange) == new.root.digest(of: newRange)
  }
}
