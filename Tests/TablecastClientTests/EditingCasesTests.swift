import Foundation
import Testing

@testable import TablecastClient

/// `Tests/ClientCases/editing.json`, which the JavaScript client runs, too: whatever is on the way, what a person has
/// done is there, or in front of them.
@Suite struct EditingCasesTests {
  static let cases: [SharedCasesTests.Case] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("ClientCases/editing.json")
    guard let data = try? Data(contentsOf: file), let json = try? JSONText([UInt8](data)) else { return [] }
    return (json["cases"]?.elements ?? []).map {
      SharedCasesTests.Case(name: $0["name"]?.string ?? "", steps: $0["steps"]?.elements ?? [])
    }
  }()

  @Test(arguments: cases) func aCase(_ test: SharedCasesTests.Case) throws {
    let run = try EditingCaseRun()
    for (index, step) in test.steps.enumerated() {
      if let difference = run.take(step) {
        Issue.record("\(test.name), step \(index) \(step.text.prefix(200)): \(difference)")
        return
      }
    }
  }

  @Test func thereAreCases() { #expect(Self.cases.count > 60) }
}
