/// Finds what must move: everything outside a longest increasing subsequence of new places in old order.
///
/// Rows that keep their relative order need no move, and a longest increasing subsequence is the largest set of
/// such rows; so what it leaves out is the fewest moves. Found by patience sorting: each value goes on the
/// leftmost pile whose top is not smaller, and there are as many piles as the longest subsequence has elements.
struct LongestIncreasingSubsequence {
  // Kept between calls, so that many short sections share one allocation.
  private var tops: [Int32] = []
  private var piles: [Int32] = []

  /// Calls `body` with the index of each value that is not part of the subsequence, from last to first.
  ///
  /// Negative values are no part of the sequence and are skipped; all others are distinct. O(n) where values
  /// arrive in order, O(n log n) at worst.
  mutating func forEachOutside(_ values: [Int32], _ body: (Int) -> Void) {
    if tops.count < values.count {
      tops = [Int32](repeating: 0, count: values.count)
      piles = [Int32](repeating: 0, count: values.count)
    }
    tops.withUnsafeMutableBufferPointer { tops in
      piles.withUnsafeMutableBufferPointer { piles in
        values.withUnsafeBufferPointer { values in
          let length = Self.sort(values, tops: tops, piles: piles)
          // From the right, the first value on the last pile, then the first on the pile before, and so on.
          // The tops of a pile only fall with time, so the latest is also the smallest: it fits if any does.
          var wanted = Int32(truncatingIfNeeded: length) - 1
          var index = values.count - 1
          while index >= 0 {
            if values[index] >= 0 {
              if piles[index] == wanted { wanted -= 1 } else { body(index) }
            }
            index -= 1
          }
        }
      }
    }
  }

  /// Notes each value's pile and returns the number of piles. `tops` and `piles` are as long as `values`, and a
  /// value makes at most one pile, so every index here is in range.
  @inline(__always)
  private static func sort(
    _ values: UnsafeBufferPointer<Int32>,
    tops: UnsafeMutableBufferPointer<Int32>,
    piles: UnsafeMutableBufferPointer<Int32>
  ) -> Int {
    var length = 0
    for index in 0..<values.count {
      let value = values[index]
      if value < 0 { continue }
      var pile = length
      if length == 0 || tops[length - 1] < value {
        // In order with all before: most rows of most changes.
        length += 1
      } else if length > 1, tops[length - 2] < value {
        // In order again, after a row that came from further up.
        pile = length - 1
      } else {
        // The first top that is not smaller; the last top is one such, and the search keeps one at the end of its
        // range. A comparison is a mask here and not a branch, which for rows in no
        // order would be foreseen wrongly half of the time.
        pile = 0
        var count = length
        while count > 1 {
          let half = count >> 1
          pile &+= half & isSmaller(tops[pile &+ half &- 1], value)
          count &-= half
        }
      }
      tops[pile] = value
      piles[index] = Int32(truncatingIfNeeded: pile)
    }
    return length
  }

  /// All bits set if `first < second`, else none; neither is negative, so their difference fits. (In wider integers
  /// the compiler would see through it, and branch.)
  @inline(__always)
  private static func isSmaller(_ first: Int32, _ second: Int32) -> Int {
    Int((first &- second) >> 31)
  }
}

/// Which values make up a longest increasing subsequence and, among the longest, one with the most preferred
/// values. Values are distinct and not negative. O(n log n + largest value).
///
/// Used for sections, where it matters which ones move: a section whose rows change too should stay.
func longestIncreasingSubsequence(of values: [Int], preferring preferred: [Bool]) -> [Bool] {
  // Length first, preference second: no number of preferred values outweighs one more value.
  let unit = values.count + 1
  // best[v], a Fenwick tree: the heaviest subsequence that ends in a value of its range, as the index of its end.
  var best = [Int](repeating: -1, count: (values.max() ?? 0) + 2)
  var weights = [Int](repeating: 0, count: values.count)
  var predecessors = [Int](repeating: -1, count: values.count)
  var heaviest = -1
  for (index, value) in values.enumerated() {
    var predecessor = -1
    var node = value
    while node > 0 {
      let candidate = best[node]
      if candidate >= 0, predecessor < 0 || weights[candidate] > weights[predecessor] { predecessor = candidate }
      node &= node - 1
    }
    predecessors[index] = predecessor
    weights[index] = (predecessor < 0 ? 0 : weights[predecessor]) + unit + (preferred[index] ? 1 : 0)
    node = value + 1
    while node < best.count {
      if best[node] < 0 || weights[best[node]] < weights[index] { best[node] = index }
      node += node & -node
    }
    if heaviest < 0 || weights[index] > weights[heaviest] { heaviest = index }
  }
  var isPart = [Bool](repeating: false, count: values.count)
  while heaviest >= 0 {
    isPart[heaviest] = true
    heaviest = predecessors[heaviest]
  }
  return isPart
}
