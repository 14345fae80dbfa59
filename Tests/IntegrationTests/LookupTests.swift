import Foundation
import JSON
import TestSupport
import Testing

/// Rows that show items of another source, found by key.
@Suite struct LookupTests {
  private static func configuration(_ url: String, every: String = "50ms") -> String {
    """
    store: memory
    sources:
      items: {url: "\(url)/items", every: \(every), retries: 0, timeout: 5s}
      users: {url: "\(url)/users", every: \(every), retries: 0}
    cells:
      Label: {nib: Label, fields: {title: string}}
    tables:
      t:
        source: items
        row: {id: "${number}"}
        lookups:
          user: {source: users, key: id, on: owner}
        cell: Label
        payload: {title: "${title} by ${$user.name ?? 'nobody'}"}
        actions:
          remind:
            title: "Remind ${$user.name}"
            when: $user.name != null
            request: {url: "\(url)/remind/${$user.name}", body: {mail: "${$user.mail}", title: "${title}"}}
        edits:
          patch: {url: "\(url)/items/${$id}", headers: {X-Owner: "${$user.name}"}, body: "${$edit}"}
          delete: {url: "\(url)/items/${$id}?by=${$user.mail ?? 'nobody'}"}
    """
  }

  private static func user(_ id: Int, _ name: String) -> JSONValue {
    ["id": .integer(Int64(id)), "name": .string(name), "mail": .string("\(name)@example.com")]
  }

  private static func item(_ number: Int, _ owner: JSONValue) -> JSONValue {
    ["number": .integer(Int64(number)), "title": .string("T\(number)"), "owner": owner]
  }

  private static let items: JSONValue = [item(1, 5), item(2, 6), item(3, .null), item(4, "5"), item(5, 9)]

  /// Users are what is in the monitor; items are always the same.
  private static func upstream(_ users: [JSONValue]) throws -> (ScriptedUpstream, Monitor<[JSONValue]>) {
    let users = Monitor(users)
    let upstream = try ScriptedUpstream { request in
      guard request.method == "GET" else { return .reply(200, [:], ["ok": true]) }
      return .json(request.target.hasPrefix("/users") ? .array(users.current) : items)
    }
    return (upstream, users)
  }

  /// Until what a source says is taken in.
  private static func awaitAnswer(of source: String, _ service: ServiceProcess) throws {
    try awaited("an answer of \(source)") {
      ((try? service.metric("source_refreshes_total{source=\"\(source)\",outcome=\"changed\"}")) ?? 0) > 0
    }
  }

  @Test func aChangeOfALookedUpItemUpdatesJustItsRows() throws {
    let (upstream, users) = try Self.upstream([Self.user(5, "Ada"), Self.user(6, "Bob")])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    var mirror = try service.follow("t", until: "shows the users") { $0.titles.first?.first == "T1 by Ada" }
    #expect(
      mirror.titles == [["T1 by Ada", "T2 by Bob", "T3 by nobody", "T4 by Ada", "T5 by nobody"]]
    )
    // One is renamed, one goes, one comes: one change each, of the rows that show it and no other.
    let steps: [([JSONValue], [Int: String])] = [
      ([Self.user(5, "Eve"), Self.user(6, "Bob")], [0: "T1 by Eve", 3: "T4 by Eve"]),
      ([Self.user(5, "Eve")], [1: "T2 by nobody"]),
      ([Self.user(9, "Cy"), Self.user(5, "Eve")], [4: "T5 by Cy"]),
    ]
    for (next, updated) in steps {
      let poll = try service.poll("t", after: mirror.cursor)
      try service.awaitPolls(1)
      users.change { $0 = next }
      let changes = try poll.value().json
      let stages = try required(changes["stages"], "stages").elements
      try #require(stages.count == 1)
      let updates = (stages[0]["rows"]?["update"] ?? .null).elements
      let told = updates.map { ($0["at"]?.elements.last?.number ?? -1, $0["row"]?["payload"]?["title"]?.text ?? "") }
      #expect(Dictionary(told, uniquingKeysWith: { $1 }) == updated && told.count == updated.count, "\(changes)")
      #expect(stages[0]["rows"]?["insert"] == nil && stages[0]["rows"]?["delete"] == nil)
      try mirror.apply(changes)
      try mirror.check(equals: service.snapshot("t"))
    }
    // A user whom no row shows is no change.
    let before = try service.metric("source_refreshes_total{source=\"users\",outcome=\"changed\"}")
    users.change { $0.append(Self.user(77, "Nobody's")) }
    try service.awaitMetric("source_refreshes_total{source=\"users\",outcome=\"changed\"}", before + 1)
    #expect(try service.snapshot("t")["cursor"]?.text == mirror.cursor)
  }

  /// Requests see what the row shows of other sources, as its payload does.
  @Test func requestsSeeWhatWasFound() throws {
    let (upstream, _) = try Self.upstream([Self.user(5, "Ada")])
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let mirror = try service.follow("t", until: "shows the users") { $0.titles.first?.first == "T1 by Ada" }
    #expect(mirror.row("1")?["actions"] == [["id": "remind", "title": "Remind Ada", "style": "normal"]])
    #expect(mirror.row("3")?["actions"] == nil)
    let action = try service.request("POST", "/v1/tables/t/rows/1/actions/remind")
    #expect(action.status == 200, "\(action.text)")
    let sent = try required(upstream.requests.current.last { $0.method == "POST" }, "a request")
    #expect(sent.target == "/remind/Ada")
    #expect(try JSONValue(parsing: sent.body) == ["mail": "Ada@example.com", "title": "T1"])
    #expect(try service.request("POST", "/v1/tables/t/rows/3/actions/remind").status == 404)

    #expect(try service.request("PATCH", "/v1/tables/t/items/4", body: ["title": "x"]).status == 200)
    #expect(upstream.requests.current.last { $0.method == "PATCH" }?.headers["x-owner"] == "Ada")
    #expect(try service.request("DELETE", "/v1/tables/t/items/4").status == 200)
    #expect(upstream.requests.current.last { $0.method == "DELETE" }?.target == "/items/4?by=Ada%40example.com")
    #expect(try service.request("DELETE", "/v1/tables/t/items/3").status == 200)
    #expect(upstream.requests.current.last { $0.method == "DELETE" }?.target == "/items/3?by=nobody")
  }

  /// What is not known is not taken for what is not there: a request would name nobody.
  @Test func aRequestWaitsForWhatItNames() throws {
    let (upstream, _) = try Self.upstream([Self.user(5, "Ada")])
    upstream.answer { request in
      if request.target.hasPrefix("/users") { return .status(500, "{}") }
      return request.method == "GET" ? .json(Self.items) : .reply(200, [:], ["ok": true])
    }
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("t", until: "has its rows") { $0.rows.count == 5 }
    let reply = try service.request("DELETE", "/v1/tables/t/items/1")
    #expect(reply.status == 503 && reply.text.contains("$user"), "\(reply.status) \(reply.text)")
    #expect(!reply["Retry-After"].isEmpty)
    #expect(!upstream.requests.current.contains { $0.method == "DELETE" })
  }

  /// No row is shown without what belongs to it, and none goes because what belongs to it came first.
  @Test func rowsWaitForWhatTheyShow() throws {
    let slow = Monitor("/users")
    let (upstream, _) = try Self.upstream([Self.user(5, "Ada")])
    upstream.answer { request in
      if request.target.hasPrefix(slow.current) { return .silence }
      return .json(request.target.hasPrefix("/users") ? [Self.user(5, "Ada")] : Self.items)
    }
    let folder = try TemporaryFolder()
    let configuration = Self.configuration(upstream.url)
      .replacingOccurrences(of: "store: memory", with: "store: {path: \"{folder}/store.sqlite\"}")
    var service = try ServiceProcess(configuration, in: folder)
    try Self.awaitAnswer(of: "items", service)
    var mirror = try service.mirror("t")
    #expect(mirror.state == "loading" && mirror.rows.isEmpty)
    let poll = try service.poll("t", after: mirror.cursor)
    try service.awaitPolls(1)
    slow.change { $0 = "/none" }
    // The script is looked at again.
    upstream.answer { request in
      if request.target.hasPrefix(slow.current) { return .silence }
      return .json(request.target.hasPrefix("/users") ? [Self.user(5, "Ada")] : Self.items)
    }
    try mirror.apply(poll.value().json)
    #expect(mirror.titles.first?.first == "T1 by Ada")
    // After a crash the users come first.
    slow.change { $0 = "/items" }
    try service.end(SIGKILL)
    service = try ServiceProcess(configuration, in: folder)
    try Self.awaitAnswer(of: "users", service)
    try mirror.apply(service.changes("t", after: mirror.cursor))
    #expect(mirror.state == "stale" && mirror.rows.count == 5)
    slow.change { $0 = "/none" }
    upstream.answer { request in
      .json(request.target.hasPrefix("/users") ? [Self.user(5, "Ada")] : Self.items)
    }
    let after = try service.follow("t", from: mirror, until: "is ready") { $0.state == "ready" }
    #expect(after.titles == mirror.titles && after.resets.isEmpty)
  }

  @Test func itemsOfTheServicesOwnSeeThemToo() throws {
    let (upstream, _) = try Self.upstream([Self.user(5, "Ada")])
    let service = try ServiceProcess(
      """
      store: memory
      sources:
        users: {url: "\(upstream.url)/users", every: 1h, retries: 0}
      cells:
        Label: {nib: Label, fields: {title: string}}
      tables:
        todo:
          source: {local: {items: [{title: A, owner: 5}, {title: B}]}}
          lookups: {user: {source: users, key: id, on: owner}}
          cell: Label
          payload: {title: "${title} ${$user.name ?? '-'} ${mail ?? '-'}"}
          actions:
            mail: {title: Mail, when: $user != null, patch: {mail: "${$user.mail}"}}
      """
    )
    let mirror = try service.follow("todo", until: "shows the user") { $0.titles.first?.first == "A Ada -" }
    let path = "/v1/tables/todo/rows/\(mirror.rows[0])/actions/mail"
    #expect(try service.request("POST", path).status == 200)
    #expect(try service.mirror("todo").titles == [["A Ada Ada@example.com", "B - -"]])
    #expect(try service.request("POST", "/v1/tables/todo/rows/\(mirror.rows[1])/actions/mail").status == 404)
  }
}
