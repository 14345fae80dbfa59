import TableModel

/// The parts that two lists of rows share, as far as they stand in the same order in both.
///
/// Of two trees, what lies under a node that is in both needs no comparing. So the lists are gone down in step, from
/// one height to the next, and only where nodes differ: of lists that follow from each other by a few edits, that is
/// little more than the way down to each.
struct SharedParts {
  /// In order, in both.
  private(set) var runs: [Run] = []

  /// O(nodes that are not shared × children).
  init(_ old: RowNode, _ new: RowNode) { align([old], at: 0, [new], at: 0) }

  /// All of one height in each list. Neither list is empty.
  private mutating func align(_ old: [RowNode], at from: Int, _ new: [RowNode], at to: Int) {
    if old[0].height > new[0].height { return align(old.flatMap(\.children), at: from, new, at: to) }
    if new[0].height > old[0].height { return align(old, at: from, new.flatMap(\.children), at: to) }
    var (oldNext, newNext) = (0, 0)
    var (from, to) = (from, to)
    /// Goes on to a pair of nodes: down between the last pair and this one.
    func go(to pair: (old: Int, new: Int)) {
      let (oldRest, newRest) = (old[oldNext..<pair.old], new[newNext..<pair.new])
      if !oldRest.isEmpty, !newRest.isEmpty, !oldRest[oldNext].isChunk {
        align(oldRest.flatMap(\.children), at: from, newRest.flatMap(\.children), at: to)
      }
      from += oldRest.reduce(0) { $0 + $1.count }
      to += newRest.reduce(0) { $0 + $1.count }
      (oldNext, newNext) = pair
    }
    for pair in Self.pairs(old, new) {
      go(to: pair)
      let count = old[pair.old].count
      runs.append(Run(from: from, to: to, count: count))
      (oldNext, newNext, from, to) = (oldNext + 1, newNext + 1, from + count, to + count)
    }
    go(to: (old.count, new.count))
  }

  /// Returns the places of nodes that both lists have: as many as can be in order, ascending.
  private static func pairs(_ old: [RowNode], _ new: [RowNode]) -> [(old: Int, new: Int)] {
    var places: [ObjectIdentifier: Int] = [:]
    places.reserveCapacity(old.count)
    for (index, node) in old.enumerated() { places[ObjectIdentifier(node)] = index }
    var pairs: [(old: Int, new: Int)] = []
    for (index, node) in new.enumerated() {
      if let place = places.removeValue(forKey: ObjectIdentifier(node)) { pairs.append((place, index)) }
    }
    guard !zip(pairs, pairs.dropFirst()).allSatisfy({ $0.old < $1.old }) else { return pairs }
    var subsequence = LongestIncreasingSubsequence()
    let members = subsequence.members(of: pairs.map(\.old), preferring: pairs.map { _ in false })
    return zip(pairs, members).filter(\.1).map(\.0)
  }
}
