import Foundation
import JSON
import TestSupport
import Testing

/// The lines in the record of edits.
@Suite struct AuditLineTests {
  private static let audit = "\naudit: {path: \"{folder}/audit.log\", bodies: true}\n"

  private static func lines(_ service: ServiceProcess) throws -> [JSONValue] {
    try String(contentsOf: service.folder.file("audit.log"), encoding: .utf8).split(separator: "\n")
      .map { try JSONValue(parsing: String($0)) }
  }

  /// What a batch brings beside its edits stands in no line, and what an edit brings in its own alone.
  @Test func eachLineOfABatchHasItsOwnEdit() throws {
    let service = try ServiceProcess(todo + Self.audit)
    let edits: [JSONValue] = (1...50).map { ["op": "add", "item": ["title": .string("T\($0)")]] }
    let unused = JSONValue.string(String(repeating: "x", count: 100_000))
    for batch in [["edits": .array(edits), "unused": unused], .array(edits)] as [JSONValue] {
      let reply = try service.request("POST", "/v1/tables/todo/edits", body: batch)
      #expect(reply.status == 200, "\(reply.text)")
    }
    let lines = try Self.lines(service)
    #expect(lines.compactMap { $0["body"] } == edits + edits)
    #expect(lines.allSatisfy { $0["op"] == "insert" && $0["outcome"] == "done" && $0["row"] != .null })
  }

  @Test func aRefusedBatchHasOneLine() throws {
    let service = try ServiceProcess(todo + Self.audit)
    let batch: JSONValue = ["edits": [["op": "delete", "id": "1"], ["op": "delete", "id": "none"]]]
    #expect(try service.request("POST", "/v1/tables/todo/edits", body: batch).status == 404)
    let lines = try Self.lines(service)
    #expect(lines.count == 1)
    let line = try required(lines.first, "a line")
    #expect(line["op"] == "batch" && line["outcome"] == "refused" && line["status"]?.number == 404)
    #expect(line["row"] == .null && line["body"] == batch)
  }
}
