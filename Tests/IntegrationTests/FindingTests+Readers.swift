import Foundation
import JSON
import TestSupport
import Testing

/// Searches beside all else that readers have: streams, polls of several tables, views, cells, restarts, replicas.
extension FindingTests {
  @Test func `a stream and a multi-poll's plain tables stand beside it`() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream?q=swift")
    _ = try stream.receiveHead("the stream")
    var events = ""
    while !events.contains("\n\n") { events += try stream.receiveChunk("the snapshot") }
    #expect(events.contains("~fswift") && events.contains("Learn Swift") && !events.contains("Straße"))
    #expect(try service.request("PATCH", "/v1/tables/todo/items/2", body: ["title": "Swift, too"]).status == 200)
    events = ""
    while !events.contains("\n\n") { events += try stream.receiveChunk("what is found now") }
    #expect(events.contains("Swift, too") && events.contains("\"stages\""), "\(events)")
  }

  @Test func `each table of a multi-poll has a search of its own`() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let first = try service.snapshot("todo", query: "?q=swift&filter=label:a")["cursor"]?.text ?? ""
    let other = try service.snapshot("todo", query: "?sort=flat&rows=1-2")["cursor"]?.text ?? ""
    let pairs = "after=todo;;q=swift;filter=label%3Aa:\(first)&after=todo;;sort=flat;rows=1-2:\(other)"
    let waiter = try service.client()
    try waiter.send("GET", "/v1/changes?\(pairs)&wait=50")
    try service.awaitPolls(1)
    #expect(try service.request("PATCH", "/v1/tables/todo/items/1", body: ["secret": "pear", "size": 5]).status == 200)
    #expect(try service.request("PATCH", "/v1/tables/todo/items/2", body: ["title": "A Swift"]).status == 200)
    let reply = try waiter.receive("both")
    let changes = try (reply.json["changes"] ?? .null).elements
    #expect(changes.contains { $0["pair"] == 0 }, "\(reply.text)")
    #expect(reply["Link"].contains("q=swift") || reply["Link"].contains("q%3Dswift"))
    let bad = try service.request("GET", "/v1/changes?after=todo;;sort=odd:&after=todo;;q=a:&wait=0").json
    let entries = (bad["changes"] ?? .null).elements
    #expect(entries.first { $0["pair"] == 0 }?["problem"]?["status"] == 400, "\(bad)")
    #expect(entries.first { $0["pair"] == 1 }?["snapshot"] != nil, "\(bad)")
  }

  @Test func `views and cells are drawn over what is found`() throws {
    let service = try ServiceProcess(
      """
      store: memory
      cells:
        Label: {fields: {title: string}}
        Long: {fields: {title: string, open: boolean}, expands: open, fallback: Label}
      tables:
        t:
          source: {local: {items: [{title: one, k: a}, {title: two, k: b}, {title: three, k: b}]}}
          cell: Long
          payload: {title: "${title}", open: false}
          find: {search: [title], filters: {k: {by: k}}}
      """,
      arguments: ["--insecure"]
    )
    var mirror = try service.mirror("t", query: "?view=v&q=t")
    #expect(mirror.rows == ["2", "3"])
    #expect(try service.request("POST", "/v1/tables/t/rows/3/tap?view=v").status == 200)
    try mirror.apply(try service.changes("t", after: mirror.cursor, query: "&view=v&q=t"))
    try mirror.check(equals: service.snapshot("t", query: "?view=v&q=t"))
    #expect(mirror.row("3")?["payload"]?["open"] == true)
    try mirror.apply(try service.changes("t", after: mirror.cursor, query: "&view=v&filter=k:b&rows=1"))
    try mirror.check(equals: service.snapshot("t", query: "?view=v&filter=k:b&rows=1"))
    let label = try service.snapshot("t", ["Accept-Cells": "Label"], query: "?q=one")
    #expect(label["sections"]?.elements.first?["rows"]?.elements.first?["cellIdentifier"] == "Label", "\(label)")
  }

  @Test func `what rows are found by outlasts the process`() throws {
    let folder = try TemporaryFolder()
    let configuration = "store: {path: \"\(folder.url.path)/store.sqlite\"}\n" + Self.tables
    let cursor: String
    do {
      let service = try ServiceProcess(configuration, arguments: ["--insecure"])
      cursor = try service.snapshot("todo", query: "?q=app")["cursor"]?.text ?? ""
      #expect(try service.end() == 0)
    }
    let service = try ServiceProcess(configuration, arguments: ["--insecure"])
    let table = try service.snapshot("todo", query: "?q=app&filter=label:b")
    #expect(Self.titles(table) == [["Learn Swift"]])
    #expect(Self.headers(table) == ["today: 1, 3"])
    let changes = try service.changes("todo", after: cursor, query: "&q=swi")
    #expect(changes["reset"] == nil && changes["from"]?.text == cursor, "\(changes)")
  }

  /// What one maps all find, with the same cursors and counts, whoever edits.
  @Test func `replicas find the same`() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let configuration = "store: {postgres: \"\(address)\"}\n" + Self.tables
    let replicas = try (0..<2).map { _ in try ServiceProcess(configuration, arguments: ["--insecure"]) }
    let queries = ["q=swi", "filter=state:open&sort=flat", "sort=size&rows=1-2", "find=1"]
    var mirrors = try queries.map { try replicas[0].mirror("todo", query: "?\($0)") }
    for round in 0..<6 {
      let item: JSONValue = [
        "title": .string("Swift \(round)"), "state": round % 2 == 0 ? "open" : "closed", "group": "later",
      ]
      #expect(try replicas[round % 2].request("POST", "/v1/tables/todo/items", body: item).status == 201)
      for (index, query) in queries.enumerated() {
        try awaited("the same bytes for \(query)") {
          Set(try replicas.map { try $0.request("GET", "/v1/tables/todo?\(query)").text }).count == 1
        }
        // A cursor of one is the other's.
        let changes = try replicas[(round + 1) % 2].changes("todo", after: mirrors[index].cursor, query: "&\(query)")
        try mirrors[index].apply(changes)
        try mirrors[index].check(equals: replicas[round % 2].snapshot("todo", query: "?\(query)"))
      }
    }
    #expect(mirrors.allSatisfy { $0.resets.allSatisfy { $0 == "large" } }, "\(mirrors.map(\.resets))")
  }
}
