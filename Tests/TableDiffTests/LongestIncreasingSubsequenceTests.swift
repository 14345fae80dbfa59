import Testing

@testable import TableDiff

@Suite struct LongestIncreasingSubsequenceTests {
  @Test func whatStaysIncreasesAndIsLongest() {
    var random = SplitMix64(state: 3)
    var subsequence = LongestIncreasingSubsequence()
    for _ in 0..<2000 {
      let count = Int.random(in: 0...40, using: &random)
      var values = (0..<Int32(count)).shuffled(using: &random)
      if Bool.random(using: &random) { values[..<(count / 2)].sort() }
      for index in values.indices where Int.random(in: 0..<8, using: &random) == 0 { values[index] = -1 }
      var staying = values
      subsequence.forEachOutside(values) { staying[$0] = -1 }
      staying.removeAll { $0 < 0 }
      #expect(zip(staying, staying.dropFirst()).allSatisfy { $0 < $1 })
      #expect(staying.count == Oracle.longestIncreasingSubsequence(values.filter { $0 >= 0 }.map { Int($0) }))
    }
  }

  @Test func amongTheLongestOneWithThePreferred() {
    #expect(longestIncreasingSubsequence(of: [1, 0], preferring: [true, false]) == [true, false])
    #expect(longestIncreasingSubsequence(of: [1, 0], preferring: [false, true]) == [false, true])
    #expect(
      longestIncreasingSubsequence(of: [2, 0, 1], preferring: [true, false, false]) == [false, true, true],
      "length comes first"
    )
    #expect(longestIncreasingSubsequence(of: [], preferring: []) == [])
  }
}
