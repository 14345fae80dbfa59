import Foundation
import Testing

@testable import TablecastClient

/// `Tests/ClientCases/following.json`, which the JavaScript client runs, too; the README beside it says what steps mean.
@Suite struct SharedCasesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var steps: [JSONText]
    var testDescription: String { name }
  }

  /// Steps of cases that this client does elsewhere: drags are held by `TableDriver`.
  static let elsewhere: Set<String> = ["hold", "release"]

  static let cases: [Case] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("ClientCases/following.json")
    guard let data = try? Data(contentsOf: file), let json = try? JSONText([UInt8](data)) else { return [] }
    return (json["cases"]?.elements ?? []).map {
      Case(name: $0["name"]?.string ?? "", steps: $0["steps"]?.elements ?? [])
    }.filter { !$0.steps.contains { step in step.members.contains { elsewhere.contains($0.name) } } }
  }()

  @Test(arguments: cases) func aCase(_ test: Case) throws {
    var run = SharedCaseRun()
    for (index, step) in test.steps.enumerated() {
      if let difference = run.take(step) {
        Issue.record("\(test.name), step \(index) \(step.text.prefix(160)): \(difference)")
        return
      }
    }
  }

  @Test func thereAreCases() { #expect(Self.cases.count > 40) }
}
