import Foundation
import JSON
import TestSupport
import Testing

/// What is one caller's own stays with that caller, also when tokens and upstreams change their minds.
@Suite struct SecurityCallersTests {
  private static func mine(_ upstream: ScriptedUpstream, _ source: String, _ table: String = "") -> String {
    """
    store: memory
    problems: full
    sources:
      mine: {url: "\(upstream.url)/mine", forward: [Authorization], retries: 0, \(source)}
    tables:
      mine:
        source: mine
        row: {id: "${number}"}
        cell: TableViewCellWithLabel
        payload: {title: "${title}"}
        \(table)
    """
  }

  /// One caller's failures neither open the breaker for another, nor are their words shown to them.
  @Test func oneCallersFailuresAreNobodyElses() throws {
    let isSilent = Monitor(false)
    let upstream = try ScriptedUpstream { request in
      guard request.headers["authorization"] == "Bearer bad" else { return .json([issue(1)]) }
      return isSilent.current ? .silence : .status(503, "{\"message\":\"secret of the bad caller\"}")
    }
    let service = try ServiceProcess(Self.mine(upstream, "every: 20ms, timeout: 60s"))
    let bad = ["Authorization": "Bearer bad"]
    for _ in 0..<12 {
      _ = try service.snapshot("mine", bad)
      _ = try service.request("POST", "/v1/tables/mine/refresh", bad)
    }
    // While the probe of the open breaker is on its way, nobody whom it is for is let through.
    isSilent.change { $0 = true }
    let count = upstream.requests.current.count
    let probe = try service.client()
    try probe.send("POST", "/v1/tables/mine/refresh", bad)
    try upstream.requests.wait(for: "the probe") { $0.count > count ? true : nil }
    for number in 0..<3 {
      let reply = try service.request("GET", "/v1/tables/mine", ["Authorization": "Bearer good-\(number)"])
      #expect(try reply.json["state"] == "ready", "\(reply.text)")
      #expect(!reply.text.contains("secret"))
    }
  }

  /// After nobody has read them for a while, rows of a caller's own are shown when the upstream has agreed again: not
  /// before, and not because it fails to answer.
  @Test(arguments: ["silence", "failure"]) func frozenRowsAreNotShownBeforeTheUpstreamAgrees(_ answer: String) throws {
    let upstream = try ScriptedUpstream([issue(1, "open", "private")])
    let service = try ServiceProcess(
      Self.mine(upstream, "every: 100ms, timeout: 60s", "instances: {freezeAfter: 1s, dropAfter: 1h}")
    )
    let headers = ["Authorization": "Bearer a"]
    let before = try service.mirror("mine", headers)
    #expect(before.state == "ready")
    try service.awaitMetric("table_instances{table=\"mine\",state=\"frozen\"}", 1)
    upstream.answer(answer == "silence" ? .silence : .status(500, "{}"))
    for target in ["", "/changes?wait=0", "/changes?wait=0&after=\(before.cursor)", "/rows/1", "/items/1"] {
      let wait = target.contains("wait=0") ? [:] : ["Prefer": "wait=0"]
      let reply = try service.request("GET", "/v1/tables/mine\(target)", headers.merging(wait) { $1 })
      #expect(!reply.text.contains("private"), "\(target): \(reply.text)")
    }
    let several = try service.request("GET", "/v1/changes?after=mine:&wait=0", headers)
    #expect(!several.text.contains("private"))
    // The same answer as ever, which the upstream may not even send again (304).
    upstream.answer([issue(1, "open", "private")])
    let after = try service.follow("mine", headers, until: "is ready again") { $0.state == "ready" }
    #expect(after.rows == ["1"] && after.cursor.prefix(12) == before.cursor.prefix(12))
  }

  /// An answer that was asked for before the rows froze lets nobody see them, nor does one that was given before: not in another table
  /// of the source either.
  @Test func anAnswerFromBeforeTheRowsFrozeShowsNothing() throws {
    let upstream = try ScriptedUpstream([issue(1, "open", "private")])
    let settings = "instances: {freezeAfter: 1s, dropAfter: 1h}"
    let other = """
        other:
          source: mine
          row: {id: "${number}"}
          cell: TableViewCellWithLabel
          payload: {title: "${title}"}
          \(settings)
      """
    let service = try ServiceProcess(Self.mine(upstream, "every: 100ms, timeout: 60s", "\(settings)\n\(other)"))
    let headers = ["Authorization": "Bearer a"]
    _ = try service.mirror("mine", headers)
    let isFirst = Monitor(true)
    upstream.script { _ in
      isFirst.change { first in
        defer { first = false }
        return first ? .late(3, [issue(1, "open", "private")]) : .silence
      }
    }
    try service.awaitMetric("table_instances{table=\"mine\",state=\"frozen\"}", 1)
    #expect(!isFirst.current)
    #expect(try !service.request("GET", "/v1/tables/mine", headers).text.contains("private"))
    upstream.answer(.status(500, "{}"))
    for table in ["mine", "other"] {
      try service.awaitMetric("table_instances{table=\"mine\",state=\"frozen\"}", 1)
      let reply = try service.request("GET", "/v1/tables/\(table)", headers)
      #expect(try reply.json["state"] == "failed" && !reply.text.contains("private"), "\(reply.text)")
    }
  }

  private static func closed(_ tokens: [String]) throws -> String {
    """
    store: memory
    auth:
      reading: tokens
      tokens:
    \(try tokens.map { "    - {name: \($0), sha256: \"\(try sha256($0))\", allow: [read, edit]}" }.joined(separator: "\n"))
    tables:
      todo: {source: {local: {items: [{title: A}]}}}
      other: {source: {local: {items: [{title: B}]}}}
    """
  }

  /// Whoever waits is told at once that the token no longer holds; who else waits goes on waiting.
  @Test func waitingPollsOfARevokedTokenEnd() throws {
    let service = try ServiceProcess(Self.closed(["keeper", "leaver"]))
    let (keeper, leaver) = (["Authorization": "Bearer keeper"], ["Authorization": "Bearer leaver"])
    let cursor = try service.mirror("todo", keeper).cursor
    let polls = try (0..<3).map { _ in try service.poll("todo", after: cursor, wait: 50, leaver) }
    let kept = try service.poll("todo", after: cursor, wait: 50, keeper)
    let client = try service.client()
    try client.send("GET", "/v1/changes?after=todo:\(cursor)&wait=50", leaver)
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/todo/stream?after=\(cursor)", leaver)
    #expect(try stream.receiveHead("the stream").status == 200)
    try service.awaitPolls(5)
    try service.folder.write(Self.closed(["keeper"]))
    service.signal(SIGHUP)
    for poll in polls {
      let reply = try poll.value()
      #expect(reply.status == 401 && reply["WWW-Authenticate"].contains("invalid_token"))
    }
    let several = try client.receive("the poll of several tables")
    #expect(try several.json["changes"]?.elements.first?["problem"]?["status"] == 401)
    #expect(throws: (any Error).self, "the stream ends") {
      while !(try stream.receiveChunk("the end")).isEmpty {}
      throw TimeOut("an end in good order")
    }
    #expect(try service.request("GET", "/v1/tables/todo", leaver).status == 401)
    #expect(try service.request("POST", "/v1/tables/todo/items", keeper, body: ["title": "C"]).status == 201)
    #expect(try kept.value().json["stages"]?.elements.count == 1)
  }

  /// Nothing that a token opens may be kept by a cache that others share.
  @Test func repliesToTokenHoldersAreTheirOwn() throws {
    let service = try ServiceProcess(Self.closed(["reader"]))
    let token = ["Authorization": "Bearer reader"]
    let cursor = try service.mirror("todo", token).cursor
    let targets =
      [
        "", "?rows=1", "?view=v", "/changes?after=\(cursor)&wait=0", "/changes", "/rows/1", "/rows?at=0,0", "/items/1",
        "/rows/none", "/items/none",
      ].map { "/v1/tables/todo\($0)" } + ["/v1/tables", "/v1/changes?after=todo:&wait=0", "/v1/tables/none"]
    for target in targets {
      for headers in [token, [:], ["Authorization": "Bearer garbage"]] {
        let reply = try service.request("GET", target, headers)
        let control = reply["Cache-Control"]
        #expect(control.contains("private") || control == "no-store", "\(reply.status) \(target): \(control)")
        // What is found missing on the way is stored by nobody.
        if reply.status != 404 {
          #expect(reply["Vary"].contains("Authorization"), "\(reply.status) \(target): \(reply["Vary"])")
        }
        if headers.isEmpty, !target.hasPrefix("/v1/changes") { #expect(reply.status == 401) }
      }
    }
  }
}
