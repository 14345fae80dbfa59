import TableModel

/// Rows that change places within their section: those outside a longest increasing subsequence.
struct RowMoves {
  /// Indexes in the old section and in the new one.
  struct Move {
    let from: Int32
    let to: Int32
  }

  /// By section in the order of `RowSweep.pairs`, in each from the last old row to the first.
  private(set) var moves: [Move] = []
  /// The end of each section's moves in `moves`.
  private(set) var ends: [Int] = []

  /// O(rows where some moved + moved rows × log rows). Runs that the sweep found are taken as one.
  init(_ matching: RowMatching) {
    var subsequence = LongestIncreasingSubsequence()
    var runs: [Run] = []
    // The rows that the sweep paired increase already, so no more than the strays can move.
    moves.reserveCapacity(matching.staying.reduce(0, +))
    ends.reserveCapacity(matching.staying.count)
    for (index, pair) in matching.sweep.pairs.enumerated() {
      // Without a stray that stays, nothing has moved: the sweep pairs in order.
      if matching.staying[index] > 0 {
        matching.collect(pair, into: &runs)
        subsequence.forEachOutside(runs) { from, to in
          moves.append(Move(from: Int32(truncatingIfNeeded: from), to: Int32(truncatingIfNeeded: to)))
        }
      }
      ends.append(moves.count)
    }
  }

  var count: Int { moves.count }

  func moves(ofPair index: Int) -> ArraySlice<Move> {
    moves[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }
}

extension RowMatching {
  /// All rows of a section that stay and may have moved, in old order: the sweep's runs, and strays as runs of one.
  fileprivate func collect(_ pair: RowSweep.Pair, into result: inout [Run]) {
    result.removeAll(keepingCapacity: true)
    var stray = pair.oldStrays.lowerBound
    var run = pair.runs.lowerBound
    sweep.forEachGap(of: pair) { gap, _ in
      for row in gap {
        let destination = destinations[stray]
        stray += 1
        if Int(destination.pair) == pair.index { result.append(Run(from: row, to: Int(destination.row))) }
      }
      if run < pair.runs.upperBound { result.append(sweep.runs[run]) }
      run += 1
    }
  }
}
