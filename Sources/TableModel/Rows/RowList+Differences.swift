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

  /// How many rows two lists have in common at the beginning, and how many more at the end. Tests measure by it how
  /// much two versions share; the service has no use for it.
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

  /// Returns whether two lists have the same rows, content included, in a range of each.
  ///
  /// - Complexity: O(log rows + range), at the speed of memory.
  public static func haveSame(_ old: RowList, _ oldRange: Range<Int>, _ new: RowList, _ newRange: Range<Int>) -> Bool {
    guard oldRange.count == newRange.count else { return false }
    if old.root === new.root, oldRange == newRange { return true }
    return old.root.digest(of: oldRange) == new.root.digest(of: newRange)
  }
}
