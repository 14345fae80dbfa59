import Foundation
import JSON
import TestSupport
import Testing

/// A table that forwards its callers' credentials.
private func mine(_ upstream: ScriptedUpstream, every: String = "200ms", instances: String = "{}") -> String {
  """
  store: memory
  problems: full
  sources:
    mine: {url: "\(upstream.url)/mine", every: \(every), forward: [Authorization], retries: 0}
  cells:
    Label: {nib: Label, fields: {title: string}}
    Expandable:
      class: Expandable
      fields: {title: string, isExpanded: boolean}
      expands: isExpanded
      fallback: Label
  tables:
    mine:
      source: mine
      row: {id: "${number}"}
      cell: Expandable
      payload: {title: "${title}", isExpanded: false}
      instances: \(instances)
  """
}

/// Two rows that have the same identities for everybody, and titles that say whose they are.
private func rows(of caller: String?, round: Int) -> JSONValue {
  .array((1...2).map { issue($0, "open", "row \($0) of <\(caller ?? "nobody")>, round \(round)") })
}

@Suite struct CallersTests {
  /// Fifty at once, with the same view, the same row identities and the same entity tag of the upstream.
  @Test func fiftyCallersSeeTheirOwnRowsOnly() throws {
    let answer = { (round: Int) in
      { @Sendable (request: ScriptedUpstream.Request) -> ScriptedUpstream.Answer in
        .reply(200, ["ETag": "\"the-same-\(round)\""], rows(of: request.headers["authorization"], round: round))
      }
    }
    let upstream = try ScriptedUpstream(answer(1))
    let service = try ServiceProcess(mine(upstream))
    let cursors = Monitor<[Int: String]>([:])
    let callers = (0..<50).map { number in
      Background("the rows of caller \(number)") {
        try Caller(number: number, service: service).visit(cursors)
      }
    }
    try cursors.wait(for: "the first snapshot of all callers") { $0.count == 50 ? true : nil }
    upstream.answer(by: answer(2))
    for (number, caller) in callers.enumerated() {
      let seen = try caller.value(seconds: 60)
      let names = Set(seen.matches(of: /<([^>]*)>/).map { String($0.1) })
      #expect(names == ["Bearer caller-\(number)"], "caller \(number)")
      #expect(seen.contains("round 1") && seen.contains("round 2"))
    }
    let list = try service.request("GET", "/v1/tables").text
    #expect(!list.contains("caller-") && list.contains("\"members\":50"), "members are nobody else's to see: \(list)")
    #expect(!service.log.current.joined().contains("caller-"))
    #expect(try !service.request("GET", "/metrics").text.contains("caller-"))
  }

  /// Everything that one caller asks, and all that was answered.
  private struct Caller: Sendable {
    let number: Int
    let service: ServiceProcess
    var headers: [String: String] { ["Authorization": "Bearer caller-\(number)"] }

    func visit(_ cursors: Monitor<[Int: String]>) throws -> String {
      var seen = ""
      func ask(_ method: String = "GET", _ target: String, _ more: [String: String] = [:]) throws -> Reply {
        let reply = try service.request(method, target, headers.merging(more) { $1 })
        seen += reply.text
        return reply
      }
      let snapshot = try ask("GET", "/v1/tables/mine?view=shared")
      #expect(snapshot.status == 200 && snapshot["Cache-Control"].contains("private"))
      #expect(snapshot["Vary"].contains("Authorization"))
      var mirror = try TableMirror(snapshot.json)
      #expect(mirror.state == "ready", "the first reader waits for the upstream's answer")
      cursors.change { $0[number] = mirror.cursor }
      for target in ["items/1", "rows/2", "rows?at=0,1&view=shared", "changes?wait=0"] {
        let reply = try ask("GET", "/v1/tables/mine/\(target)")
        #expect(reply.status == 200, "\(target)")
        #expect(reply["Cache-Control"].contains(target.hasPrefix("changes") ? "no-store" : "private"), "\(target)")
      }
      let tap = try ask("POST", "/v1/tables/mine/rows/1/tap?view=shared")
      #expect(try tap.status == 200 && tap.json["row"]?["payload"]?["isExpanded"] == true)
      // Another's cursor, and another's entity tag, are nobody's here.
      let other = try cursors.wait(for: "the neighbour") { $0[(number + 1) % 50] }
      let reset = try ask("GET", "/v1/tables/mine/changes?after=\(other)&wait=5")
      #expect(try reset.json["reset"] == "epoch")
      #expect(try ask("GET", "/v1/tables/mine", ["If-None-Match": "\"\(other)\""]).status == 200)
      #expect(try ask("GET", "/v1/tables/mine/rows/none").status == 404)
      // The poll of the view, the poll without one and the poll of several tables see the second round.
      while !mirror.row2.contains("round 2") {
        let reply = try ask("GET", "/v1/tables/mine/changes?after=\(mirror.cursor)&wait=50&view=shared")
        try mirror.apply(reply.json)
      }
      #expect(mirror.row("1")?["payload"]?["isExpanded"] == true && mirror.resets.isEmpty)
      let several = try ask("GET", "/v1/changes?after=mine:\(try required(cursors.current[number], "a cursor"))&wait=0")
      #expect(try several.json["changes"]?.elements.count == 1)
      return seen
    }
  }

  @Test func aRefusalOfTheUpstreamReachesTheCallerAsSuch() throws {
    let upstream = try ScriptedUpstream { request in
      switch request.headers["authorization"] {
      case "Bearer unknown": .reply(401, ["WWW-Authenticate": "Basic realm=\"up\""], ["message": "who are you?"])
      case "Bearer locked": .reply(403, [:], ["message": "not for you"])
      case "Bearer none": .reply(404, [:], ["message": "no such list"])
      case let caller: .json(rows(of: caller, round: 1))
      }
    }
    let service = try ServiceProcess(mine(upstream))
    for (token, status, says) in [
      ("unknown", 401, "who are you?"), ("locked", 403, "not for you"), ("none", 404, "no such"),
    ] {
      let headers = ["Authorization": "Bearer \(token)"]
      for target in ["", "/changes", "/changes?after=0011223344aa.1&wait=15", "/rows/1", "/items/1", "/stream"] {
        let reply = try service.request("GET", "/v1/tables/mine\(target)", headers)
        #expect(reply.status == status, "\(token) \(target)")
        #expect(try reply.json["detail"]?.text?.contains(says) == true, "\(reply.text)")
        #expect(reply["WWW-Authenticate"] == (status == 401 ? "Basic realm=\"up\"" : ""))
      }
      let several = try service.request("GET", "/v1/changes?after=mine:0011223344aa.1&wait=15", headers)
      #expect(try several.json["changes"]?.elements.first?["problem"]?["status"] == .integer(Int64(status)))
      #expect(try service.request("POST", "/v1/tables/mine/refresh", headers).status == status)
    }
    let good = try service.mirror("mine", ["Authorization": "Bearer good"])
    #expect(good.rows == ["1", "2"])
  }

  /// Also while the caller waits: what was granted may be revoked, and granted again.
  @Test func revokedCredentials() throws {
    let upstream = try ScriptedUpstream { .json(rows(of: $0.headers["authorization"], round: 1)) }
    let service = try ServiceProcess(mine(upstream))
    let headers = ["Authorization": "Bearer a"]
    let mirror = try service.mirror("mine", headers)
    let other = try service.mirror("mine", ["Authorization": "Bearer b"])
    let poll = try service.poll("mine", after: mirror.cursor, headers)
    upstream.answer { request in
      request.headers["authorization"] == "Bearer a"
        ? .reply(401, [:], ["message": "revoked"]) : .json(rows(of: "b", round: 1))
    }
    let reply = try poll.value()
    #expect(reply.status == 401 && reply.text.contains("revoked"))
    #expect(try service.request("GET", "/v1/tables/mine", headers).status == 401)
    #expect(try service.snapshot("mine", ["Authorization": "Bearer b"])["sections"]?.elements.count == 1)
    upstream.answer(by: { .json(rows(of: $0.headers["authorization"], round: 2)) })
    // Two refreshes at most: one may have been under way with the old answer.
    for _ in 0..<2 { _ = try service.request("POST", "/v1/tables/mine/refresh", headers) }
    #expect(try service.mirror("mine", headers).row2.contains("round 2"))
    _ = other
  }

  /// The upstream's word on the service's own credentials is not about the caller.
  @Test func theServicesOwnCredentialsAreNotTheCallers() throws {
    let upstream = try ScriptedUpstream { _ in .status(401, "{\"message\":\"bad key\"}") }
    let service = try ServiceProcess(
      """
      store: memory
      problems: full
      sources: {list: {url: "\(upstream.url)/${$params.p}", every: 200ms, retries: 0}}
      tables: {list: {source: list, row: {id: "${number}"}, parameters: {p: {}}}}
      """
    )
    let mirror = try service.mirror("list;p=a")
    #expect(mirror.state == "failed")
    #expect(mirror.attributes["problem"]?["title"] == "The upstream asks for other credentials")
    upstream.answer(.status(404, "{\"message\":\"no such thing\"}"))
    let missing = try service.request("GET", "/v1/tables/list;p=b")
    #expect(missing.status == 404 && missing.text.contains("no such thing"))
  }

  /// Frozen rows are shown when the upstream has agreed again, and forgotten when nobody has come for long.
  @Test func frozenRowsAreCheckedAgain() throws {
    let upstream = try ScriptedUpstream { .json(rows(of: $0.headers["authorization"], round: 1)) }
    let service = try ServiceProcess(
      mine(upstream, every: "50ms", instances: "{freezeAfter: 1s, dropAfter: 1h}")
    )
    let headers = ["Authorization": "Bearer a"]
    let before = try service.mirror("mine", headers)
    try upstream.awaitSilence(seconds: 0.4)
    upstream.answer(.status(403, "{}"))
    #expect(try service.request("GET", "/v1/tables/mine", headers).status == 403)
    try upstream.awaitSilence(seconds: 0.4)
    upstream.answer(by: { .json(rows(of: $0.headers["authorization"], round: 2)) })
    let after = try service.mirror("mine", headers)
    #expect(after.row2.contains("round 2"))
    #expect(after.cursor.prefix(12) == before.cursor.prefix(12), "frozen, not dropped")
  }

  /// A token of the service's own is for the service: it goes to no upstream, and allows what it says.
  @Test func ourTokensAreNotSentOn() throws {
    let upstream = try ScriptedUpstream { .json(rows(of: $0.headers["authorization"], round: 1)) }
    let token = try sha256("a-token-of-ours")
    let service = try ServiceProcess(
      mine(upstream, every: "1m") + "\n"
        + """
            edits: {patch: {url: "\(upstream.url)/mine/${$id}", body: "${$edit}"}}
        auth: {tokens: [{name: app, sha256: "\(token)", allow: [read, edit]}]}
        """
    )
    let ours = try service.mirror("mine", ["Authorization": "Bearer a-token-of-ours"])
    #expect(ours.row2.contains("<nobody>"))
    let theirs = ["Authorization": "Bearer theirs"]
    // Their credentials are for the upstream to judge; without any, a token is needed.
    #expect(try service.request("PATCH", "/v1/tables/mine/items/1", theirs, body: ["title": "x"]).status == 200)
    #expect(try service.request("PATCH", "/v1/tables/mine/items/1", body: ["title": "x"]).status == 401)
    let sent = upstream.requests.current
    #expect(sent.allSatisfy { $0.headers["authorization"]?.contains("ours") != true })
    #expect(sent.filter { $0.method == "PATCH" }.map { $0.headers["authorization"] } == ["Bearer theirs"])
  }

  /// What one source forwards is not sent to the table's other sources.
  @Test func credentialsGoToTheSourceThatAsksForThem() throws {
    let one = try ScriptedUpstream([issue(1)])
    let other = try ScriptedUpstream([issue(2)])
    let service = try ServiceProcess(
      """
      store: memory
      problems: full
      sources:
        one: {url: "\(one.url)/one", forward: [Authorization]}
        other: {url: "\(other.url)/other"}
      tables:
        both:
          source: one
          row: {id: "${number}"}
          forward: [Accept-Language]
          sections: [{id: one}, {id: other, source: other}]
      """
    )
    let headers = ["Authorization": "Bearer secret", "Accept-Language": "de"]
    #expect(try service.mirror("both", headers).rows == ["1", "2"])
    let (first, second) = (one.requests.current[0].headers, other.requests.current[0].headers)
    #expect(first["authorization"] == "Bearer secret" && first["accept-language"] == "de")
    #expect(second["authorization"] == nil && second["accept-language"] == "de")
  }
}

extension TableMirror {
  fileprivate var row2: String { row("2")?["payload"]?["title"]?.text ?? "" }
}

extension ScriptedUpstream {
  /// Waits until nothing was asked for a while: that something no longer happens can't be awaited otherwise.
  func awaitSilence(seconds: Double) throws {
    for _ in 0..<100 {
      let count = requests.current.count
      Thread.sleep(forTimeInterval: seconds)
      if requests.current.count == count { return }
    }
    throw TimeOut("silence; the upstream is still asked")
  }
}
