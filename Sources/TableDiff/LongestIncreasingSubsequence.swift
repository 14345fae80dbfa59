/// Things that stand side by side, in the same order, in an old list and in a new one; often just one thing.
struct Run {
  /// The first rows in the old list and in the new one, and their number. These are 32 bits wide so that more of them
  /// fit into a cache; that many rows would need more memory than machines have.
  let from: Int32
  let to: Int32
  let count: Int32

  @inline(__always)
  init(from: Int, to: Int, count: Int = 1) {
    self.from = Int32(truncatingIfNeeded: from)
    self.to = Int32(truncatingIfNeeded: to)
    self.count = Int32(truncatingIfNeeded: count)
  }
}

/// Finds what must move: everything outside a longest increasing subsequence of new places in old order.
///
/// Things that keep their relative order need no move, and a longest increasing subsequence is the largest set of
/// such things; so what it leaves out is the fewest moves. Found by patience sorting: each place goes on the
/// leftmost pile whose top is not smaller, and there are as many piles as the longest subsequence has elements.
///
/// The places of a run follow each other, and no other place lies between them. So where its first one goes on pile
/// `p`, the next goes on `p + 1`, and so on: a run costs one search, however long it is.
struct LongestIncreasingSubsequence {
  // Kept between calls, so that many short sections share one allocation.
  /// By pile, the place on its top; behind the last pile, the largest number there is.
  private var tops: [Int32] = []
  /// By run, the pile of its first place.
  private var piles: [Int32] = []

  /// Calls `body` with each thing that is not part of the subsequence, from last to first in the old list.
  ///
  /// `runs` are in the order of the old list, and no two share a place in the new one. O(things + runs × log things),
  /// and O(things) where runs arrive in order.
  @inline(__always)
  mutating func forEachOutside(_ runs: [Run], _ body: (_ from: Int, _ to: Int) -> Void) {
    var wanted = sort(runs) - 1
    piles.withUnsafeBufferPointer { piles in
      // From the right, the first place on the last pile, then the first on the pile before, and so on. The tops of
      // a pile only fall with time, so the latest is also the smallest: it fits if any does.
      for index in runs.indices.reversed() {
        let run = runs[index]
        let first = Int(piles[index])
        var rest = Int(run.count)
        let isWanted = first <= wanted && wanted < first + rest
        let kept = isWanted ? wanted - first + 1 : 0
        while rest > kept {
          rest -= 1
          body(Int(run.from) + rest, Int(run.to) + rest)
        }
        if isWanted { wanted = first - 1 }
      }
    }
  }

  /// Notes the pile of each run's first place, and returns the number of piles.
  private mutating func sort(_ runs: [Run]) -> Int {
    let count = runs.reduce(0) { $0 + Int($1.count) }
    // Eight more, so that eight can be read and written anywhere.
    if tops.count < count + 8 { tops = [Int32](repeating: .max, count: count + 8) }
    if piles.count < runs.count { piles = [Int32](repeating: 0, count: runs.count) }
    return tops.withUnsafeMutableBufferPointer { tops in
      piles.withUnsafeMutableBufferPointer { piles in
        // Copies, for what a closure is given by reference is read anew for each element.
        let (tops, piles) = (tops, piles)
        for index in 0..<count + 8 { tops[index] = .max }
        // A place makes at most one pile, so there are no more piles than things, and every index is in range.
        var length = 0
        for index in runs.indices {
          let run = runs[index]
          let pile = Self.pile(for: run.to, tops, length)
          piles[index] = Int32(truncatingIfNeeded: pile)
          Self.put(run, on: pile, tops)
          length = max(length, pile + Int(run.count))
        }
        return length
      }
    }
  }

  /// Puts a run's places on as many piles.
  ///
  /// Eight at a time, and what that writes behind its end is put back: how often a loop over single places goes
  /// round is never foreseen.
  @inline(__always)
  private static func put(_ run: Run, on pile: Int, _ tops: UnsafeMutableBufferPointer<Int32>) {
    let bytes = UnsafeMutableRawBufferPointer(tops)
    let end = (pile &+ Int(run.count)) &* MemoryLayout<Int32>.size
    let behind = bytes.loadUnaligned(fromByteOffset: end, as: SIMD8<Int32>.self)
    var places = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7) &+ run.to
    var offset = pile &* MemoryLayout<Int32>.size
    repeat {
      bytes.storeBytes(of: places, toByteOffset: offset, as: SIMD8<Int32>.self)
      places &+= 8
      offset &+= MemoryLayout<SIMD8<Int32>>.size
    } while offset < end
    bytes.storeBytes(of: behind, toByteOffset: end, as: SIMD8<Int32>.self)
  }

  /// The leftmost of the first `length` piles whose top is not smaller than `place`, or a new one.
  @inline(__always)
  private static func pile(for place: Int32, _ tops: UnsafeMutableBufferPointer<Int32>, _ length: Int) -> Int {
    if length == 0 { return 0 }
    // In order with all before, or with all but a row that came from further up: most rows of most changes. Which of the
    // two can't be foreseen, so it is counted instead of branched on.
    if length == 1 || tops[length - 2] < place { return length - (tops[length - 1] < place ? 0 : 1) }
    // Halving foresees every other step wrongly where places are in no order. So at the end all tops are counted
    // instead, eight at a time and without a branch. What lies behind them in the last eight is larger.
    var (pile, count) = (0, length)
    while count > counted {
      let half = count >> 1
      if tops[pile + half - 1] < place { pile += half }
      count -= half
    }
    let bytes = UnsafeRawBufferPointer(tops)
    let places = SIMD8<UInt32>(repeating: UInt32(bitPattern: place))
    var smaller = SIMD8<UInt32>.zero
    for offset in stride(from: pile, to: pile + count, by: 8) {
      let eight = bytes.loadUnaligned(fromByteOffset: offset &* MemoryLayout<Int32>.size, as: SIMD8<UInt32>.self)
      // Neither is negative, so the sign of the difference is the comparison.
      smaller &+= (eight &- places) &>> 31
    }
    return pile + Int(smaller.wrappedSum())
  }

  /// So many tops are counted as fast as two steps go wrong.
  private static let counted = 64
}

// MARK: Which ones move

extension LongestIncreasingSubsequence {
  /// Returns the values of a longest increasing subsequence: among the longest, one with the most preferred values.
  /// Values are distinct and not negative. O(n log n).
  ///
  /// Used for sections, where it matters which ones move: a section whose rows change too should stay.
  mutating func members(of values: [Int], preferring preferred: [Bool]) -> [Bool] {
    let length = sort(values.map { Run(from: 0, to: $0) })
    let groups = Groups(piles[..<values.count], count: length)
    // A longest subsequence has one value of each pile. So go from pile to pile, and for each value find the
    // best of those on the pile before that came earlier and are smaller.
    var weights = preferred.map { $0 ? 1 : 0 }
    var predecessors = [Int](repeating: -1, count: values.count)
    var window = Window()
    for pile in 1..<max(1, length) {
      // On a pile, values fall with time. So those that came earlier are the first ones, those that are smaller the
      // last ones, and going along this pile both ends of the window only move on.
      var candidates = groups[pile - 1].makeIterator()
      var candidate = candidates.next()
      window.removeAll()
      for index in groups[pile] {
        while let earlier = candidate, earlier < index {
          window.append(earlier, weights)
          candidate = candidates.next()
        }
        let best = window.first { values[$0] < values[index] }
        predecessors[index] = best
        weights[index] += weights[best]
      }
    }
    var isMember = [Bool](repeating: false, count: values.count)
    var member = length == 0 ? -1 : groups[length - 1].max { weights[$0] < weights[$1] } ?? -1
    while member >= 0 {
      isMember[member] = true
      member = predecessors[member]
    }
    return isMember
  }

  /// Indexes by pile, in each in the order of time.
  private struct Groups {
    private var indexes: [Int]
    private var ends: [Int]

    /// O(indexes), by counting.
    init(_ piles: ArraySlice<Int32>, count: Int) {
      indexes = [Int](repeating: 0, count: piles.count)
      ends = [Int](repeating: 0, count: count + 1)
      for pile in piles { ends[Int(pile) + 1] += 1 }
      for pile in 0..<count { ends[pile + 1] += ends[pile] }
      // `ends[p]` is where the group begins now; filling it moves it to where the group ends.
      for (index, pile) in piles.enumerated() {
        indexes[ends[Int(pile)]] = index
        ends[Int(pile)] += 1
      }
    }

    subscript(pile: Int) -> ArraySlice<Int> { indexes[(pile == 0 ? 0 : ends[pile - 1])..<ends[pile]] }
  }

  /// The candidates from which a maximum may still come: each outweighs all that came after it.
  private struct Window {
    private var indexes: [Int] = []
    private var start = 0

    mutating func removeAll() {
      indexes.removeAll(keepingCapacity: true)
      start = 0
    }

    mutating func append(_ index: Int, _ weights: [Int]) {
      while indexes.count > start, let last = indexes.last, weights[last] <= weights[index] { indexes.removeLast() }
      indexes.append(index)
    }

    /// Drops candidates up to the first that fits, and returns that. Patience sorting guarantees that there is one:
    /// the latest candidate fits, and it is never dropped for another.
    mutating func first(where fits: (Int) -> Bool) -> Int {
      while start < indexes.count - 1, !fits(indexes[start]) { start += 1 }
      return indexes[start]
    }
  }
}
