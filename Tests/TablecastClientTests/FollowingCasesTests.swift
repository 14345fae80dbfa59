import Foundation
import Testing

@testable import TablecastClient

/// What a client does with what it is answered, on a clock of its own (`Tests/ClientCases`).
@Suite struct FollowingCasesTests {
  @Test(arguments: FollowingCase.all) func aCase(_ script: FollowingCase) throws {
    for seed in UInt64(0)..<20 {
      var run = FollowerRun(script, seed: seed)
      try run.run()
      let expected = script.expect
      let note = Comment(rawValue: "\(script.name), seed \(seed): \(run.targets.prefix(12)), \(run.connections)")
      let count = run.targets.count
      #expect(count >= expected.requests[0] && count <= expected.requests[1], "\(count) requests; \(note)")
      for (target, pattern) in zip(run.targets, expected.targets ?? []) {
        #expect(matches(target, pattern), "\(target) is not \(pattern); \(note)")
      }
      #expect(run.targets.count >= (expected.targets ?? []).count, note)
      if let last = expected.last { #expect(run.targets.last == last, note) }
      if let shown = expected.shown { #expect(run.shown == shown, note) }
      if let connections = expected.connections { #expect(run.connections == connections, note) }
      let address = script.tables[0].address
      if let cursor = expected.cursor { #expect(run.follower.tables[address]?.content?.cursor.text == cursor, note) }
      for row in expected.never ?? [] { #expect(!run.shown.contains { $0.contains(row) }, note) }
      for (index, gap) in (expected.gaps ?? []).enumerated() where index + 1 < run.times.count {
        #expect(run.times[index + 1] - run.times[index] >= gap, note)
      }
    }
  }

  @Test func thereAreCases() { #expect(FollowingCase.all.count > 25) }

  private func matches(_ target: String, _ pattern: String) -> Bool {
    let parts = pattern.components(separatedBy: "…")
    guard parts.count > 1 else { return target == pattern }
    guard target.hasPrefix(parts[0]), target.hasSuffix(parts[parts.count - 1]) else { return false }
    var rest = target[...]
    for part in parts where !part.isEmpty {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
