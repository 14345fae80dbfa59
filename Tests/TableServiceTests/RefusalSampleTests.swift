import Testing

@testable import TableService

@Suite struct RefusalSampleTests {
  @Test func oneOfEachCallerInAMinute() {
    var sample = RefusalSample()
    let start = 10_000_000
    #expect(sample.take("a", now: start) == 0)
    for second in 1...5 { #expect(sample.take("a", now: start + second * 1000) == nil) }
    #expect(sample.take("b", now: start + 6000) == 0)
    #expect(sample.take("a", now: start + 60_000) == 5)
    #expect(sample.take("a", now: start + 60_001) == nil)
    #expect(sample.take("b", now: start + 60_001) == 0)
    #expect(sample.take("a", now: start + 180_000) == 1)
  }

  @Test func callersHaveABound() {
    var sample = RefusalSample()
    let count = RefusalSample.maximumCallers
    let taken = (0..<2 * count).count { sample.take("\($0)", now: 100_000) != nil }
    #expect(taken == count)
    #expect(sample.take("another", now: 160_000) == 0)
  }
}
