import TableModel

/// Rows that change places within their section: those outside a longest increasing subsequence.
struct RowMoves {
  struct Move {
    let from: Int
    let to: Int
  }

  /// By section in the order of `RowMatching.pairs`, in each from the last old row to the first.
  private(set) var moves: [Move] = []
  /// Where each section's moves end in `moves`.
  private(set) var ends: [Int] = []

  /// O(rows) where few moved, O(rows × log rows) for shuffles, only of sections where a row may have moved.
  init(_ matching: RowMatching) {
    var subsequence = LongestIncreasingSubsequence()
    var destinations: [Int32] = []
    // The rows that the sweep paired increase already, so no more than the strays can move.
    moves.reserveCapacity(matching.matches - matching.crossings)
    ends.reserveCapacity(matching.pairs.count)
    for pair in matching.pairs {
      if fill(&destinations, pair, matching) {
        subsequence.forEachOutside(destinations) { index in
          moves.append(Move(from: pair.middle.lowerBound + index, to: Int(destinations[index])))
        }
      }
      ends.append(moves.count)
    }
  }

  var count: Int { moves.count }

  func moves(ofPair index: Int) -> ArraySlice<Move> {
    moves[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  /// Sets `destinations[i]` to the new place of the middle's row `i` if it stays in the section, else to -1.
  /// False where nothing can have moved: the sweep paired all rows that stay, and it pairs in order.
  private func fill(_ destinations: inout [Int32], _ pair: RowMatching.Pair, _ matching: RowMatching) -> Bool {
    let first = pair.middle.lowerBound
    let hasMoved = matching.oldStrays[pair.oldStrays].contains(where: matching.staysInSection)
    guard hasMoved else { return false }
    destinations.removeAll(keepingCapacity: true)
    destinations.append(contentsOf: repeatElement(-1, count: pair.middle.count))
    // Every row of a run and every stray is a row of the middle, so all indexes are in range.
    destinations.withUnsafeMutableBufferPointer { destinations in
      for stray in matching.oldStrays[pair.oldStrays] where matching.staysInSection(stray) {
        destinations[Int(stray.index) - first] = matching.newStrays[Int(stray.match)].index
      }
      for run in matching.runs[pair.runs] {
        var destination = Int32(truncatingIfNeeded: run.to)
        for index in run.from - first..<run.from - first + run.count {
          destinations[index] = destination
          destination &+= 1
        }
      }
    }
    return true
  }
}
