import Foundation
import Testing

@testable import TablecastClient

/// `Tests/ClientCases/replies.jsonl`: what a client is sent, and what it has to show then.
@Suite struct RepliesCasesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var number: Int
    var json: JSONText
    var testDescription: String { "\(number) \(json["name"]?.string ?? "")" }
  }

  static let cases: [Case] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("ClientCases/replies.jsonl")
    let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
    return lines.enumerated().compactMap { number, line in
      (try? JSONText(String(line))).map { Case(number: number, json: $0) }
    }
  }()

  @Test(arguments: cases) func whatIsSentIsShown(_ test: Case) throws {
    var mirror: TableMirror?
    for step in test.json["steps"]?.elements ?? [] {
      let (sent, shown) = (try #require(step["sent"]), try #require(step["shown"]))
      switch try #require(TableReply.read(Array(sent.text.utf8)).first).outcome {
      case .reset(let content, _): mirror = try TableMirror(content)
      case .stages(let stages, let from, let to):
        #expect(mirror?.content.cursor == from)
        try mirror?.apply(stages, to: to)
      case .problem(let problem): Issue.record("a problem: \(problem)")
      case .malformed(let reason): Issue.record("malformed: \(reason)")
      }
      let content = try #require(mirror?.content)
      #expect(content.cursor.text == shown["cursor"]?.string)
      let sections = shown["sections"]?.elements ?? []
      #expect(content.sections.map(\.id) == sections.compactMap { $0["id"]?.string })
      for (section, expected) in zip(content.sections, sections) {
        #expect(section.rows.map(\.id) == (expected["rows"]?.elements ?? []).compactMap { $0["id"]?.string })
        #expect(section.header?["payload"]?.text == expected["header"]?.text)
        for (row, cell) in zip(section.rows, expected["rows"]?.elements ?? []) {
          #expect(row.cellIdentifier == cell["cellIdentifier"]?.string && row.json["payload"] == cell["payload"])
        }
      }
    }
  }

  @Test func thereAreCases() { #expect(Self.cases.count > 20) }
}
