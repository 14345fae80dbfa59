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

  /// Neither of the two credentials says who it is.
  @Test(arguments: [1, 100_000]) func anEditWithTwoCredentialsHasItsLine(length: Int) throws {
    let service = try ServiceProcess(todo + Self.audit)
    let headers = ["Authorization": "Bearer one", "authorization": "Bearer two"]
    let item: JSONValue = ["title": .string(String(repeating: "x", count: length))]
    let reply = try service.request("POST", "/v1/tables/todo/items", headers, body: item)
    #expect(try reply.status == 400 && reply.json["field"] == "Authorization", "\(reply.text)")
    let lines = try Self.lines(service)
    #expect(lines.map { $0["op"] } == ["insert"] && lines.map { $0["status"]?.number } == [400])
    #expect(lines.map { $0["outcome"] } == ["refused"] && lines.map { $0["caller"] } == [.null])
    #expect(lines.allSatisfy { $0["body"] == nil })
  }

  @Test func anEditThatMayBeDoneIsNotCalledRefused() throws {
    let upstream = try ListUpstream()
    let service = try ServiceProcess(upstream.configuration + Self.audit)
    let caller = ["Authorization": "Bearer someone"]
    _ = try service.mirror("t", caller)
    upstream.refusal.change { $0 = .cutOff }
    let reply = try service.request("PATCH", "/v1/tables/t/items/1", caller, body: ["title": "x"])
    #expect(reply.status == 504, "\(reply.text)")
    let lines = try Self.lines(service)
    #expect(lines.map { $0["outcome"] } == ["unknown"] && lines.map { $0["status"]?.number } == [504])
  }

  /// A line of a stranger is short.
  @Test func whoeverMayNotEditFillsNoRecord() throws {
    let token = "auth: {tokens: [{name: editor, sha256: \"\(try sha256("good"))\", allow: [read, edit]}]}\n"
    let service = try ServiceProcess("limits: {requestsPerMinute: 3}\n" + token + todo + Self.audit)
    let large: JSONValue = ["title": .string(String(repeating: "x", count: 50_000))]
    let statuses = try (0..<20).map { number in
      let headers = ["Authorization": "Bearer guess\(number)"]
      return try service.request("PATCH", "/v1/tables/todo/items/1", headers, body: large).status
    }
    #expect(statuses.prefix(3).allSatisfy { $0 == 401 } && statuses.contains(429), "\(statuses)")
    let lines = try Self.lines(service)
    #expect(lines.allSatisfy { $0["body"] == nil && $0["outcome"] == "refused" })
    #expect(lines.count { $0["status"]?.number == 401 } == statuses.count { $0 == 401 })
    #expect(lines.count { $0["status"]?.number == 429 } == statuses.count { $0 == 429 })
  }

  /// Its table waits for the upstream's first answer before the edit is looked at.
  @Test func anEditThatIsRefusedAfterAWaitHasItsLine() throws {
    let upstream = try ScriptedUpstream { _ in .silence }
    let service = try ServiceProcess(
      """
      store: memory
      sources: {list: {url: "\(upstream.url)/${$params.q}", every: 0s, retries: 0}}
      tables: {list: {source: list, row: {id: "${number}"}, parameters: {q: {}}}}
      """ + Self.audit
    )
    let client = try service.client()
    try client.send("PATCH", "/v1/tables/list;q=a/items/1", body: [])
    try upstream.requests.wait(for: "the fetch") { $0.isEmpty ? nil : true }
    upstream.answer([issue(1)])
    #expect(try client.receive("the refusal").status == 422)
    let lines = try Self.lines(service)
    #expect(lines.map { $0["op"] } == ["patch"] && lines.map { $0["status"]?.number } == [422])
    #expect(lines.map { $0["table"] } == ["list;q=a"] && lines.map { $0["row"] } == ["1"])
  }
}
