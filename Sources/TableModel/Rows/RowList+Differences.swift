extension RowList {
  /// The first place where two lists have different rows, content included; the shorter's end where all that it has are
  /// the same, and nil where both are.
  ///
  /// - Complexity: O(log² rows), whether or not they share anything; O(rows) for some 2,000 rows at most.
  public static func firstDifference(_ old: RowList, _ new: RowList) -> Int? {
    if old.root === new.root || old.digest == new.digest { return nil }
    // Halving what is left: if the digests of so many rows agree, the difference is behind them.
    var (low, high) = (0, Swift.min(old.count, new.count))
    while high - low > RowNode.chunkSizes.upperBound {
      let middle = (low + high) / 2
      if old.root.digest(ofFirst: middle) == new.root.digest(ofFirst: middle) { low = middle } else { high = middle }
    }
    while low < high, old.keys[low] == new.keys[low] { low += 1 }
    return low
  }

  /// How many rows stand in parts at their ends that both lists have. O(log rows).
  public static func commonEnd(_ old: RowList, _ new: RowList) -> Int { RowNode.sharedSuffix(old.root, new.root) }

  /// How many rows, content included, are the same at their ends: all of them, or as many as can be found by a look at no more
  /// than a long chunk beside what both share. O(log rows) for each row that is looked at.
  public static func sameEnd(_ old: RowList, _ new: RowList) -> Int {
    let shorter = Swift.min(old.count, new.count)
    var count = Swift.min(commonEnd(old, new), shorter)
    let (oldKeys, newKeys, most) = (old.keys, new.keys, Swift.min(shorter, count + RowNode.longestChunk))
    while count < most, oldKeys[old.count - 1 - count] == newKeys[new.count - 1 - count] { count += 1 }
    return count
  }

  /// How many rows two lists have in common at the beginning, and how many more at the end.
  ///
  /// - Parameter areSame: Not asked for what the lists share.
  /// - Complexity: O(log rows + rows that are asked about).
  public static func commonEnds(
    _ old: RowList,
    _ new: RowList,
    where areSame: (Row, Row) -> Bool
  ) -> (prefix: Int, suffix: Int) {
    let shorter = Swift.min(old.count, new.count)
    var prefix = RowNode.sharedPrefix(old.root, new.root)
    let (oldRest, newRest) = (Iterator(old.root, from: prefix), Iterator(new.root, from: prefix))
    for (one, other) in zip(IteratorSequence(oldRest), IteratorSequence(newRest)) {
      guard areSame(one, other) else { break }
      prefix += 1
    }
    var suffix = Swift.min(RowNode.sharedSuffix(old.root, new.root), shorter - prefix)
    while suffix < shorter - prefix, areSame(old[old.count - 1 - suffix], new[new.count - 1 - suffix]) { suffix += 1 }
    return (prefix, suffix)
  }
}

extension RowNode {
  /// Returns the digest of the list's first rows. O(log rows), and O(rows of a chunk).
  func digest(ofFirst rows: Int) -> RowsDigest {
    var (node, left, digest) = (self, rows, RowsDigest.empty)
    while left > 0 {
      if left == node.count { return digest.followed(by: node.digest) }
      if node.isChunk {
        return digest.followed(by: node.keys.withUnsafeBufferPointer { RowsDigest(of: .init(rebasing: $0[..<left])) })
      }
      for child in node.children {
        if left < child.count {
          node = child
          break
        }
        digest = digest.followed(by: child.digest)
        left -= child.count
      }
    }
    return digest
  }

  /// How many rows stand in parts at the beginning that both lists have. O(log rows).
  static func sharedPrefix(_ old: RowNode, _ new: RowNode) -> Int {
    if old === new { return old.count }
    if old.height > new.height { return sharedPrefix(old.children[0], new) }
    if new.height > old.height { return sharedPrefix(old, new.children[0]) }
    var count = 0
    for (old, new) in zip(old.children, new.children) {
      guard old === new else { return count + sharedPrefix(old, new) }
      count += old.count
    }
    return count
  }

  /// How many rows stand in parts at the end that both lists have. O(log rows).
  static func sharedSuffix(_ old: RowNode, _ new: RowNode) -> Int {
    if old === new { return old.count }
    if old.height > new.height { return sharedSuffix(old.children[old.children.count - 1], new) }
    if new.height > old.height { return sharedSuffix(old, new.children[new.children.count - 1]) }
    var count = 0
    for (old, new) in zip(old.children.reversed(), new.children.reversed()) {
      guard old === new else { return count + sharedSuffix(old, new) }
      count += old.count
    }
    return count
  }
}
