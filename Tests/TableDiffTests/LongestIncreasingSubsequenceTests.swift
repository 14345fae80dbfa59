import TestSupport
import Testing

@testable import TableDiff

@Suite struct LongestIncreasingSubsequenceTests {
  @Test("What stays increases and is longest, whatever the runs", arguments: [1, 2, 8] as [Int32])
  func whatStays(longestRun: Int32) {
    var random = SeededGenerator(seed: 3)
    var subsequence = LongestIncreasingSubsequence()
    for _ in 0..<1000 {
      let runs = Self.runs(upTo: longestRun, using: &random)
      let values = runs.flatMap { run in (run.to..<run.to + run.count).map(Int.init) }
      var staying: [Int?] = values
      var last = Int.max
      subsequence.forEachOutside(runs) { from, to in
        #expect(values[from] == to && from < last, "each once, from last to first")
        staying[from] = nil
        last = from
      }
      let stayed = staying.compactMap { $0 }
      #expect(zip(stayed, stayed.dropFirst()).allSatisfy { $0 < $1 })
      #expect(stayed.count == Oracle.longestIncreasingSubsequence(values))
    }
  }

  /// Runs in old order, with gaps in the new order as rows that arrived leave them.
  private static func runs(upTo longest: Int32, using random: inout SeededGenerator) -> [Run] {
    let counts = (0..<Int.random(in: 0...24, using: &random)).map { _ in Int32.random(in: 1...longest, using: &random) }
    var places = [Int32](repeating: 0, count: counts.count)
    var place: Int32 = 0
    var order = Array(counts.indices)
    if Bool.random(using: &random) { order.shuffle(using: &random) } else { order[..<(order.count / 2)].reverse() }
    for index in order {
      places[index] = place + Int32.random(in: 0...1, using: &random)
      place = places[index] + counts[index]
    }
    var from = 0
    return zip(counts, places).map { count, place in
      defer { from += Int(count) }
      return Run(from: from, to: Int(place), count: Int(count))
    }
  }

  @Test func amongTheLongestOneWithThePreferred() {
    func members(_ values: [Int], _ preferred: [Bool]) -> [Bool] {
      var subsequence = LongestIncreasingSubsequence()
      return subsequence.members(of: values, preferring: preferred)
    }
    #expect(members([1, 0], [true, false]) == [true, false])
    #expect(members([1, 0], [false, true]) == [false, true])
    #expect(members([2, 0, 1], [true, false, false]) == [false, true, true], "length comes first")
    #expect(members([], []) == [])
  }

  @Test func noneOfTheLongestHasMorePreferred() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let values = (0..<Int.random(in: 0...9, using: &random)).shuffled(using: &random).map { $0 * 3 }
      let preferred = values.map { _ in Bool.random(using: &random) }
      var subsequence = LongestIncreasingSubsequence()
      let isMember = subsequence.members(of: values, preferring: preferred)
      let found = values.indices.filter { isMember[$0] }
      #expect(zip(found, found.dropFirst()).allSatisfy { values[$0] < values[$1] })
      // By trying all of them.
      var best = (length: 0, preferred: 0)
      for subset in 0..<(1 << values.count) {
        let chosen = values.indices.filter { subset >> $0 & 1 == 1 }
        guard zip(chosen, chosen.dropFirst()).allSatisfy({ values[$0] < values[$1] }) else { continue }
        let found = (chosen.count, chosen.count { preferred[$0] })
        if found > best { best = found }
      }
      #expect((found.count, found.count { preferred[$0] }) == best)
    }
  }
}
