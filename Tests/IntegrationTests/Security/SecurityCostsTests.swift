import Foundation
import JSON
import TestSupport
import Testing

/// What one client can cost the others.
@Suite struct SecurityCostsTests {
  /// Patterns that take a backtracking matcher for ever are matched in time linear in the value.
  @Test func patternsStopNoEventLoop() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(
      """
      store: memory
      sources: {list: {url: "\(upstream.url)/${$params.q}", every: 0s}}
      tables:
        list:
          source: list
          row: {id: "${number}"}
          parameters: {q: {pattern: "([A-Za-z0-9]+[-_.]?)+"}}
      """
    )
    let hostile = String(repeating: "a", count: 26) + "!"
    for _ in 0..<16 {
      #expect(try service.client().request("GET", "/v1/tables/list;q=\(hostile)").status == 400)
    }
    #expect(try service.mirror("list;q=good-one").state == "ready")
  }

  /// Tokens' patterns with several stars are linear in a name, whether it is a table's or not.
  @Test func starsInTokensPatterns() throws {
    let pattern = String(repeating: "a*", count: 24) + "b"
    let service = try ServiceProcess(
      """
      store: memory
      auth: {reading: tokens, tokens: [{name: t, sha256: "\(try sha256("t"))", allow: [read], tables: ["\(pattern)"]}]}
      tables:
        \(String(repeating: "a", count: 48)): {source: {local: {items: [{title: A}]}}}
        \(String(repeating: "a", count: 48))b: {source: {local: {items: [{title: A}]}}}
      """
    )
    let headers = ["Authorization": "Bearer t"]
    for length in [48, 500, 4000] {
      let table = String(repeating: "a", count: length)
      #expect(try service.client().request("GET", "/v1/tables/\(table)", headers).status == 403)
    }
    #expect(try service.request("GET", "/v1/tables/\(String(repeating: "a", count: 48))b", headers).status == 200)
    #expect(try service.request("GET", "/v1/tables", headers).json["tables"]?.elements.count == 1)
  }

  /// A patch of very many members costs as much as its members.
  @Test func aPatchOfManyMembers() throws {
    let service = try ServiceProcess("limits: {itemBytes: 1MB}\n" + todo)
    let patch = JSONValue.object((0..<40_000).map { .init(name: "member\($0)", value: .integer(Int64($0))) })
    let client = try service.client()
    for _ in 0..<2 {
      #expect(try client.request("PATCH", "/v1/tables/todo/items/1", body: patch).status == 200)
    }
  }

  /// Nobody has the service keep a body that it will not look at.
  @Test func bodiesOfRequestsThatCannotBeAllowed() throws {
    let service = try ServiceProcess(
      """
      store: memory
      auth: {tokens: [{name: t, sha256: "\(try sha256("t"))", allow: [read, edit]}]}
      tables:
        t: {source: {local: {items: [{title: A}]}}}
      """
    )
    let authorized = "Authorization: Bearer t\r\n"
    let cases = [
      ("POST /v1/tables/t/items", "", 401), ("POST /v1/tables/none/items", "", 401), ("POST /v1/nothing", "", 404),
      ("POST /v1/tables/t/snapshot", authorized, 404), ("GET /v1/tables/t", "", 413), ("POST /v1/tables/t", "", 405),
      ("DELETE /v1/tables/t/items/1", authorized, 413),
    ]
    for (request, fields, status) in cases {
      for announced in ["Content-Length: 1000000\r\n", "Content-Length: 5\r\nExpect: 100-continue\r\n"] {
        let client = try service.client()
        try client.send(raw: Array("\(request) HTTP/1.1\r\nHost: localhost\r\n\(fields)\(announced)\r\n".utf8))
        // None of the body is sent.
        let reply = try client.receive("a refusal of \(request)")
        #expect(reply.status == status && reply["Connection"] == "close", "\(request), \(announced): \(reply.status)")
      }
    }
    let patch = JSONValue.object([.init(name: "title", value: .string(String(repeating: "x", count: 50_000)))])
    let reply = try service.request("PATCH", "/v1/tables/t/items/1", ["Authorization": "Bearer t"], body: patch)
    #expect(reply.status == 200)
  }

  /// Nor does anyone try tokens that way without being counted.
  @Test func refusalsByTheHeadAreCounted() throws {
    let service = try ServiceProcess(
      """
      store: memory
      limits: {requestsPerMinute: 3}
      auth: {tokens: [{name: t, sha256: "\(try sha256("t"))", allow: [read, edit]}]}
      tables:
        t: {source: {local: {items: [{title: A}]}}}
      """
    )
    let statuses = try (0..<8).map { token in
      let client = try service.client()
      let head = "POST /v1/tables/t/items HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
      try client.send(raw: Array("\(head)Content-Length: 900000\r\n\r\n".utf8))
      return try client.receive("a refusal").status
    }
    #expect(statuses.first == 401 && statuses.last == 429, "\(statuses)")
  }

  // MARK: Shares

  @Test func tooFewDescriptorsAreSaidAtTheStart() throws {
    let (status, log) = try ServiceProcess.refused("store: memory\n" + todoTables, descriptors: 40)
    #expect(status == 1 && log.contains("40 descriptors may be open at once"), "\(status): \(log)")
  }

  /// Few descriptors and many polls: an edit still reaches the store, and a fetch its upstream.
  @Test func descriptorsAreKeptForTheStore() throws {
    let service = try ServiceProcess("store: {path: \"{folder}/t.sqlite\"}\n" + todoTables, descriptors: 128)
    let cursor = try service.mirror("todo").cursor
    var polls: [HTTPClient] = []
    for _ in 0..<160 {
      guard let client = try? service.client() else { continue }
      try? client.send("GET", "/v1/tables/todo/changes?after=\(cursor)&wait=50")
      polls.append(client)
    }
    var edited: Reply?
    for _ in 0..<50 where edited?.status != 201 {
      edited = try? service.request("POST", "/v1/tables/todo/items", body: ["title": "X"])
      if let edited { #expect([201, 429, 503].contains(edited.status), "\(edited.text)") }
    }
    #expect(edited?.status == 201)
    withExtendedLifetime(polls) {}
  }

  @Test func acceptCellsAreBounded() throws {
    let service = try ServiceProcess(todo)
    let many = (0..<500).map { "CellThatNobodyHas\($0)" }.joined(separator: ", ")
    let reply = try service.request("GET", "/v1/tables/todo?view=v", ["Accept-Cells": "Label, \(many)"])
    #expect(reply.status == 200 && reply["ETag"].utf8.count < 220)
    let cursor = try required(reply.json["cursor"]?.text, "a cursor")
    #expect(cursor.utf8.count <= 200)
    let few = try service.request("GET", "/v1/tables/todo?view=v", ["Accept-Cells": "Label"])
    #expect(few["ETag"] == reply["ETag"], "cells that nobody configured make no difference")
    let more = (0..<600).map { "C\($0)" }.joined(separator: ",")
    #expect(try service.request("GET", "/v1/tables/todo", ["Accept-Cells": more]).status == 400)
  }

  // MARK: Sizes

  @Test func itemsAndTablesHaveSizes() throws {
    let service = try ServiceProcess("limits: {itemBytes: 1KB, tableBytes: 3KB}\n" + todo)
    func body(_ count: Int) -> JSONValue { ["title": .string(String(repeating: "x", count: count))] }
    func add(_ count: Int) throws -> Reply {
      try service.request("POST", "/v1/tables/todo/items", body: body(count))
    }
    let tooLarge = try add(1100)
    #expect(tooLarge.status == 413 && tooLarge.text.contains("itemBytes"), "\(tooLarge.text)")
    #expect(try service.request("PATCH", "/v1/tables/todo/items/1", body: body(1100)).status == 413)
    let batch: JSONValue = ["edits": [["op": "add", "item": ["title": "fits"]], ["op": "add", "item": body(1100)]]]
    let refused = try service.request("POST", "/v1/tables/todo/edits", body: batch)
    #expect(try refused.status == 413 && refused.json["at"] == 1)
    let added = try (0..<3).map { _ in try required(add(800).json["id"]?.text, "an identity") }
    let full = try add(800)
    #expect(full.status == 413 && full.text.contains("tableBytes"), "\(full.text)")
    #expect(try service.mirror("todo").rows.count == 6, "nothing is half done")
    #expect(try service.request("PATCH", "/v1/tables/todo/items/\(added[0])", body: body(10)).status == 200)
    #expect(try service.request("DELETE", "/v1/tables/todo/items/\(added[1])").status == 200)
    #expect(try add(700).status == 201, "there is room again")
  }

  // MARK: How often

  @Test func requestsAndEditsOfOneCaller() throws {
    let tokens = try ["one", "other"].map { "{name: \($0), sha256: \"\(try sha256($0))\", allow: [read, edit]}" }
    let service = try ServiceProcess(
      """
      limits: {requestsPerMinute: 12, editsPerMinute: 3}
      trustedProxies: [127.0.0.0/8]
      auth: {tokens: [\(tokens.joined(separator: ", "))]}
      \(todo)
      """
    )
    func statuses(_ count: Int, _ method: String = "GET", _ path: String = "", _ headers: [String: String]) throws
      -> [Int]
    {
      try (0..<count).map { _ in
        let body: JSONValue? = method == "GET" ? nil : [:]
        let reply = try service.request(method, "/v1/tables/todo\(path)", headers, body: body)
        if reply.status == 429 { #expect(Int(reply["Retry-After"]) ?? 0 >= 1) }
        return reply.status
      }
    }
    let one = ["Authorization": "Bearer one"]
    #expect(try statuses(4, "POST", "/items", one) == [201, 201, 201, 429])
    #expect(try statuses(1, "POST", "/rows/1/tap?view=v", one) == [200], "a tap of a view is a kind of reading")
    #expect(try statuses(8, "GET", "", one) == [200, 200, 200, 200, 200, 200, 200, 429])
    #expect(try statuses(1, "POST", "/items", ["Authorization": "Bearer other"]) == [201])
    // Tokens that nobody knows are no callers of their own.
    let garbage = try (0..<14).map { number in
      let headers = ["Authorization": "Bearer g\(number)", "X-Forwarded-For": "192.0.2.7"]
      return try statuses(1, "GET", "", headers)[0]
    }
    #expect(garbage.prefix(12).allSatisfy { $0 == 200 } && garbage.suffix(2).allSatisfy { $0 == 429 })
    #expect(try statuses(1, "GET", "", ["X-Forwarded-For": "192.0.2.8"]) == [200])
    #expect(try service.request("GET", "/healthz").status == 200)
    #expect(try service.metric("requests_limited_total{limit=\"requestsPerMinute\"}") == 3)
    #expect(try service.metric("requests_limited_total{limit=\"editsPerMinute\"}") == 1)
    // Reading the configuration again gives nobody a new minute.
    service.signal(SIGHUP)
    try service.logged("read again")
    #expect(try statuses(1, "GET", "", ["X-Forwarded-For": "192.0.2.7"]) == [429])
  }

  /// A batch counts as many as it has, all or none. What is read counts as none, also where it takes the right to edit.
  @Test func editsAreCountedOneByOne() throws {
    let service = try ServiceProcess("limits: {editsPerMinute: 5}\n" + todo)
    func batch(_ count: Int) throws -> Reply {
      let edits = [JSONValue](repeating: ["op": "add", "item": ["title": "X"]], count: count)
      return try service.request("POST", "/v1/tables/todo/edits", body: ["edits": .array(edits)])
    }
    for _ in 1...6 { #expect(try service.request("GET", "/v1/tables/todo/skipped").status == 200) }
    #expect(try batch(3).status == 200)
    let refused = try batch(3)
    #expect(refused.status == 429 && (1...12).contains(Int(refused["Retry-After"]) ?? 0), "\(refused)")
    #expect(try batch(2).status == 200)
    #expect(try service.request("POST", "/v1/tables/todo/items", body: [:]).status == 429)
    // As many never are there at once: such a batch takes a whole minute's.
    #expect(try batch(6).status == 429)
    #expect(try service.metric("requests_limited_total{limit=\"editsPerMinute\"}") == 3)
    let other = try ServiceProcess("limits: {editsPerMinute: 5}\n" + todo)
    let edits = [JSONValue](repeating: ["op": "add", "item": ["title": "X"]], count: 6)
    #expect(try other.request("POST", "/v1/tables/todo/edits", body: ["edits": .array(edits)]).status == 200)
    #expect(try other.request("POST", "/v1/tables/todo/items", body: [:]).status == 429)
  }

  @Test func waitersOfOneCaller() throws {
    let service = try ServiceProcess("limits: {waitersPerCaller: 2}\ntrustedProxies: [127.0.0.0/8]\n" + todo)
    let cursor = try service.mirror("todo").cursor
    let (one, other) = (["X-Forwarded-For": "192.0.2.1"], ["X-Forwarded-For": "192.0.2.2"])
    let first = try service.poll("todo", after: cursor, wait: 50, one)
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream?after=\(cursor)", one)
    #expect(try stream.receiveHead("the stream").status == 200)
    try service.awaitPolls(1)
    for target in ["tables/todo/changes?after=\(cursor)&wait=50", "changes?after=todo:\(cursor)&wait=50"] {
      let reply = try service.request("GET", "/v1/\(target)", one)
      #expect(reply.status == 429 && !reply["Retry-After"].isEmpty, "\(reply.text)")
    }
    #expect(try service.request("GET", "/v1/tables/todo/stream", one).status == 429)
    #expect(try service.request("GET", "/v1/tables/todo/changes?after=\(cursor)&wait=0", one).status == 200)
    let neighbour = try service.poll("todo", after: cursor, wait: 50, other)
    try service.awaitPolls(2)
    #expect(try service.request("POST", "/v1/tables/todo/items", one, body: [:]).status == 201)
    let next = try required(first.value().json["to"]?.text, "a cursor")
    #expect(try neighbour.value().status == 200)
    // What is over is given back.
    let again = try service.poll("todo", after: next, wait: 50, one)
    try service.awaitPolls(1)
    #expect(try service.request("POST", "/v1/tables/todo/items", one, body: [:]).status == 201)
    #expect(try again.value().status == 200)
  }
}
