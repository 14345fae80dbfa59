import Foundation
import JSON
import TestSupport
import Testing

/// Changes that come before the sources have answered for the first time, as after a restart: what a client has kept must not be
/// refused for good because the service does not know its rows yet.
@Suite struct EarlyEditTests {
  @Test func changesOfUnknownRowsAreForLater() throws {
    let upstream = try ScriptedUpstream { _ in .silence }
    let service = try ServiceProcess(
      """
      store: memory
      sources:
        items: {url: "\(upstream.url)/items", every: 1h, timeout: 30s}
      tables:
        t:
          source: items
          row: {id: "${number}"}
          cell: TableViewCellWithLabel
          payload: {title: "${title}"}
          actions: {close: {title: Close, request: {method: POST, url: "\(upstream.url)/items/${$id}/close"}}}
          edits:
            patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
      """
    )
    let changes: [(method: String, path: String)] = [
      ("PATCH", "items/1"), ("POST", "rows/1/actions/close"), ("POST", "rows/1/tap?view=mine"),
    ]
    func answers() throws -> [Reply] {
      try changes.map { change in
        // The same key each time, as clients repeat what is not decided.
        let fields = ["Idempotency-Key": "key of \(change.path)"]
        return try service.request(change.method, "/v1/tables/t/\(change.path)", fields, body: ["title": "One!"])
      }
    }
    #expect(try service.request("GET", "/v1/tables/t").json["state"] == "loading")
    for reply in try answers() {
      #expect(reply.status == 503 && reply["Retry-After"] == "1", "\(reply.text)")
      #expect(try reply.json["detail"]?.text?.contains("not known yet whether `t` has a row `1`") == true)
    }
    upstream.answer {
      $0.method == "GET" ? .json([issue(1, "open", "One")]) : .reply(200, [:], issue(1, "open", "One!"))
    }
    _ = try service.follow("t", until: "has its row") { $0.rows == ["1"] }
    for reply in try answers() { #expect(reply.status == 200, "\(reply.text)") }
    let gone = try service.request("PATCH", "/v1/tables/t/items/2", body: ["title": "Two"])
    #expect(gone.status == 404, "all have answered: it is known")
  }

  @Test func changesOfRowsThatTheStoreDoesNotHaveAreForLater() throws {
    let folder = try TemporaryFolder()
    let upstream = try ScriptedUpstream { .json($0.target == "/items" ? [issue(1, "open", "One")] : []) }
    let configuration = """
      store: {path: "{folder}/data.sqlite"}
      sources:
        items: {url: "\(upstream.url)/items", every: 1h, retries: 0}
        users: {url: "\(upstream.url)/users", every: 1h, retries: 0}
      tables:
        t:
          source: items
          row: {id: "${number}"}
          lookups: {user: {source: users, key: id, on: number}}
          cell: TableViewCellWithLabel
          payload: {title: "${title}"}
          actions: {close: {title: Close, request: {method: POST, url: "\(upstream.url)/items/${$id}/close"}}}
          edits:
            insert: {method: PUT, url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
            replace: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
            patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
      """
    let first = try ServiceProcess(configuration, in: folder)
    try first.follow("t", until: "has its row") { $0.rows == ["1"] }
    #expect(try first.end() == 0)
    // Somebody else has added one meanwhile.
    upstream.script { $0.method == "GET" ? .status(500, "down") : .reply(200, [:], issue(2, "open", "Mine")) }
    let second = try ServiceProcess(configuration, in: folder)
    try second.follow("t", until: "has failed") { $0.state == "stale" && $0.rows == ["1"] }
    let changes: [(method: String, path: String, fields: [String: String], later: Int)] = [
      ("PUT", "items/2", ["If-None-Match": "*"], 412), ("POST", "items?after=2", [:], 200),
      ("PATCH", "items/2", [:], 200), ("POST", "rows/2/actions/close", [:], 200),
    ]
    func answer(_ change: Int) throws -> Reply {
      let (method, path, fields, _) = changes[change]
      // The same key each time, as clients repeat what is not decided.
      let key = ["Idempotency-Key": "key \(change)"]
      return try second.request(
        method,
        "/v1/tables/t/\(path)",
        fields.merging(key) { $1 },
        body: ["number": 3, "title": "Mine"]
      )
    }
    for change in changes.indices {
      let reply = try answer(change)
      #expect(reply.status == 503 && reply["Retry-After"] == "1", "\(changes[change]): \(reply.text)")
    }
    #expect(upstream.requests.current.allSatisfy { $0.method == "GET" })
    // Items that are looked up have no rows: an added one doesn't wait for these.
    upstream.script { request in
      guard request.method == "GET" else { return .json(["number": "n9", "title": "Nine"]) }
      return request.target == "/items" ? .json([issue(1, "open", "One")]) : .status(500, "down")
    }
    _ = try second.request("POST", "/v1/sources/items/refresh")
    let added = try second.request("PUT", "/v1/tables/t/items/n9", body: ["number": "n9", "title": "Nine"])
    #expect(added.status == 201, "\(added.text)")
    upstream.script { request in
      guard request.method == "GET" else { return .json(issue(2, "open", "Mine")) }
      return .json(request.target == "/items" ? [issue(1, "open", "One"), issue(2, "open", "Theirs")] : [])
    }
    #expect(try second.request("POST", "/v1/tables/t/refresh").status == 200)
    for change in [0, 2, 3] { #expect(try answer(change).status == changes[change].later, "\(changes[change])") }
  }

  /// An edit that waits for its member: the configuration by which it is judged at last is the one whose record has it.
  @Test func aChangeThatWaitsDuringAReloadIsRecordedByTheNewConfiguration() throws {
    let go = Monitor(false)
    let asked = Monitor(0)
    let upstream = try ScriptedUpstream { request in
      guard request.method == "GET" else { return .reply(200, [:], issue(1, "open", "One!")) }
      asked.change { $0 += 1 }
      _ = try? go.wait(for: "its turn") { $0 ? true : nil }
      return .json([issue(1, "open", "One")])
    }
    let configuration = """
      store: memory
      sources:
        items: {url: "\(upstream.url)/${$params.q}", every: 1h}
      tables:
        t:
          source: items
          row: {id: "${number}"}
          cell: TableViewCellWithLabel
          payload: {title: "${title}"}
          parameters: {q: {pattern: "[a-z]+"}}
          edits:
            patch: {url: "\(upstream.url)/items/${$id}", body: "${$edit}"}
      """
    let service = try ServiceProcess(configuration)
    let edit = Background("an edit") {
      try service.request("PATCH", "/v1/tables/t;q=a/items/1", body: ["title": "One!"])
    }
    _ = try asked.wait(for: "the member's fetch") { $0 > 0 ? true : nil }
    try service.folder.write(configuration + "\naudit: {path: \"{folder}/audit.log\"}\n")
    service.signal(SIGHUP)
    try service.logged("was read again")
    go.change { $0 = true }
    let reply = try edit.value()
    #expect(reply.status == 200, "\(reply.text)")
    let lines = try String(contentsOf: service.folder.file("audit.log"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 1, "\(lines)")
  }
}
