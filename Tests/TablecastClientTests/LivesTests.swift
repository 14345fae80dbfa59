import Foundation
import Testing

/// Random lives of an app. `make lives` runs 1,000 of them: TABLECAST_LIVES, and TABLECAST_LIVES_SEED for the first.
@Suite struct LivesTests {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test func everyEditWasDoneOnceOrStandsThereWithItsReason() throws {
    let lives = Self.number("TABLECAST_LIVES") ?? 40
    let first = Self.number("TABLECAST_LIVES_SEED") ?? UInt64.random(in: 0..<1_000_000_000)
    var counts: [String: Int] = [:]
    var failed = 0
    for seed in first..<first + lives {
      let life = Life(seed: seed)
      let wrong = life.live()
      counts.merge(life.counts, uniquingKeysWith: +)
      guard !wrong.isEmpty else { continue }
      failed += 1
      if failed <= 20 {
        Issue.record("TABLECAST_LIVES=1 TABLECAST_LIVES_SEED=\(seed): \(wrong.joined(separator: "; "))")
      }
    }
    print("\(lives) lives, seeds from \(first): \(counts.sorted { $0.key < $1.key }), \(failed) went wrong")
    #expect(counts["done", default: 0] > 0)
  }
}
