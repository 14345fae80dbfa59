import TableModel

/// Rows that change places within their section: those outside a longest increasing subsequence.
struct RowMoves {
  /// Indexes in the old section and in the new one.
  struct Move {
    let from: Int32
    let to: Int32
  }

  /// By section in the order of `RowMatching.pairs`, in each from the last old row to the first.
  private(set) var moves: [Move] = []
  /// Where each section's moves end in `moves`.
  private(set) var ends: [Int] = []

  /// O(rows where some moved + moved rows × log rows). Runs that the sweep found are taken as one.
  init(_ matching: RowMatching) {
    var subsequence = LongestIncreasingSubsequence()
    var runs: [Run] = []
    // The rows that the sweep paired increase already, so no more than the strays can move.
    moves.reserveCapacity(matching.matches - matching.crossings)
    ends.reserveCapacity(matching.pairs.count)
    for pair in matching.pairs {
      let strays = matching.oldStrays[pair.oldStrays]
      // Where no stray stays, nothing has moved: the sweep pairs in order.
      if strays.contains(where: \.staysInSection) {
        Self.merge(matching.runs[pair.runs], strays, into: &runs)
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

  /// All rows that stay in a section and may have moved, in old order: the sweep's runs, and strays as runs of one.
  private static func merge(_ runs: ArraySlice<Run>, _ strays: ArraySlice<Stray>, into result: inout [Run]) {
    result.removeAll(keepingCapacity: true)
    var runs = runs
    for stray in strays where stray.staysInSection {
      while let run = runs.first, run.from < stray.place.row {
        result.append(run)
        runs.removeFirst()
      }
      result.append(Run(from: Int(stray.place.row), to: Int(stray.counterpart.row)))
    }
    result += runs
  }
}
