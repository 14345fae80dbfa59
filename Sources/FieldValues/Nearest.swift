/// The name that was probably meant.
public enum Nearest {
  /// The candidate at the smallest edit distance (insertions, deletions, substitutions and swaps of neighbours; letter
  /// case does not count) from a word, the first of several; nil where none is near enough to be a slip.
  /// Complexity: O(candidates · length²), of at most 64 characters.
  public static func name(to word: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(word.lowercased().unicodeScalars.prefix(longest))
    let tolerance = max(1, typed.count / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != word {
      let distance = distance(typed, Array(candidate.lowercased().unicodeScalars.prefix(longest)))
      if distance <= tolerance, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  private static let longest = 64

  /// Damerau's distance with adjacent swaps (optimal string alignment).
  private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
    guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
    var beforeLast = [Int](repeating: 0, count: second.count + 1)
    var last = Array(0...second.count)
    for row in 1...first.count {
      var current = [Int](repeating: row, count: second.count + 1)
      for column in 1...second.count {
        let same = first[row - 1] == second[column - 1]
        current[column] = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1))
        if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
          current[column] = min(current[column], beforeLast[column - 2] + 1)
        }
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
