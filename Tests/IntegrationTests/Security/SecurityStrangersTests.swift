import Foundation
import JSON
import TestSupport
import Testing

/// What a service tells a caller whom it does not know, and what it keeps of one: nothing, unless the caller's own
/// credentials go to an upstream.
@Suite struct SecurityStrangersTests {
  /// One table of each kind; the family and `issues` are fetched with the service's own secret, `mine` with its callers'
  /// credentials.
  private static func tables(_ upstream: ScriptedUpstream, reading: String) throws -> String {
    let edits = """
      {insert: {url: "\(upstream.url)/e", body: "${$edit}"}, patch: {url: "\(upstream.url)/e/${$id}", body: "${$edit}"}, \
      delete: {url: "\(upstream.url)/e/${$id}"}}
      """
    let kept = """
      row: {id: "${number}"}
          can: {edit: true}
          actions: {close: {when: "${state == 'open'}", request: {url: "\(upstream.url)/e/${$id}"}}}
          edits: \(edits)
      """
    return """
      store: {path: "{folder}/t.sqlite"}
      problems: full
      auth:
        reading: \(reading)
        tokens: [{name: one, sha256: "\(try sha256("token-one"))", allow: [read, edit]}]
      sources:
        issues: {url: "\(upstream.url)/issues", every: 0s, headers: {X-Key: the-services-secret}}
        list: {url: "\(upstream.url)/${$params.q}", every: 0s, headers: {X-Key: the-services-secret}}
        mine: {url: "\(upstream.url)/mine", every: 0s, forward: [Authorization]}
      tables:
        todo: {source: {local: {items: [{title: A}, {title: B}]}}, can: {edit: true, move: true}, sharedTaps: true}
        issues:
          source: issues
          \(kept)
        list:
          source: list
          parameters: {q: {default: a, pattern: "[a-z0-9]*"}}
          \(kept)
        mine:
          source: mine
          \(kept)
      """
  }

  /// Every way of changing something, of a row that there is and of one that there is not.
  private static let writes: [(method: String, path: String, body: JSONValue?)] = [
    ("POST", "items", ["title": "X"]), ("POST", "items?after=1", ["title": "X"]), ("POST", "items?after=99", ["t": 1]),
    ("PATCH", "items/1", ["title": "X"]), ("PATCH", "items/99", ["title": "X"]), ("DELETE", "items/1", nil),
    ("DELETE", "items/99", nil), ("POST", "items/1/move", ["after": "2"]), ("POST", "items/99/move", ["after": "2"]),
    ("POST", "edits", ["edits": [["op": "delete", "id": "2"]]]), ("POST", "rows/1/actions/close", nil),
    ("POST", "rows/2/actions/close", nil), ("POST", "rows/1/actions/none", nil), ("POST", "rows/1/tap", nil),
    ("POST", "rows/99/tap", nil), ("POST", "refresh", nil), ("GET", "skipped", nil), ("GET", "rows/1/placement", nil),
    ("GET", "rows/99/placement", nil), ("HEAD", "skipped", nil),
  ]

  private static let reads: [(method: String, path: String, body: JSONValue?)] =
    [
      "", "?view=v", "?rows=1", "/changes", "/changes?after=0011223344aa.1&wait=0", "/stream", "/rows/1", "/rows/99",
      "/rows?at=0,0", "/items/1", "/items/99",
    ].flatMap { [("GET", $0, nil), ("HEAD", $0, nil)] } + [("POST", "/rows/1/tap?view=v", nil)]

  private static let names = [
    "todo", "issues", "list", "list;q=b", "list;q=zz", "list;q=!", "list;x=1", "none", "none;q=1",
  ]

  /// All that a reply says, but for its number and time.
  private static func said(_ reply: Reply) -> String {
    let fields = reply.headers.filter { !["x-request-id", "date"].contains($0.key) }
    return "\(reply.status) \(fields.sorted { $0.key < $1.key }) \(reply.text)"
  }

  private static func answers(
    _ service: ServiceProcess,
    _ requests: [(method: String, path: String, body: JSONValue?)],
    of names: [String],
    _ authorization: String?
  ) throws -> Set<String> {
    let client = try service.client()
    var answers: Set<String> = []
    for (number, request) in requests.enumerated() {
      for name in names {
        for more in [[:], ["If-Match": "\"0011223344aa.1\""], ["Idempotency-Key": "k\(number)"]] {
          var headers = more
          headers["Authorization"] = authorization
          let path = request.path.hasPrefix("/") || request.path.hasPrefix("?") ? request.path : "/\(request.path)"
          let target = "/v1/tables/\(name)\(request.path.isEmpty ? "" : path)"
          let reply = try client.request(request.method, target, headers, body: request.body)
          #expect(reply.status == 401, "\(request.method) \(target), \(more.keys): \(reply.status) \(reply.text)")
          answers.insert(said(reply).replacing(request.method == "HEAD" ? reply["Content-Length"] : "\u{0}", with: ""))
        }
      }
    }
    return answers
  }

  /// Where reading takes a token, whoever has none learns of no table, row or action, has nothing fetched and nothing kept;
  /// of tables that forward their callers' credentials neither, as these are their readers' alone.
  @Test func strangersAreToldNothing() throws {
    let upstream = try ScriptedUpstream {
      $0.method == "GET" ? .json([issue(1), issue(2, "closed")]) : .json(issue(1))
    }
    let service = try ServiceProcess(Self.tables(upstream, reading: "tokens"))
    let token = ["Authorization": "Bearer token-one"]
    try service.follow("issues", token, until: "is ready") { $0.rows == ["1", "2"] }
    let (asked, before) = (upstream.requests.current.count, try service.snapshot("todo", token))
    for authorization in ["Bearer x", "Bearer ", "Basic eDp5", "x", nil] {
      for (requests, kind) in [(Self.writes, "edit"), (Self.reads, "read")] {
        let answers = try Self.answers(service, requests, of: Self.names + ["mine"], authorization)
        // With a body or without one (`HEAD`), for reading or editing.
        #expect(answers.count <= (kind == "edit" ? 4 : 2), "\(kind): \(answers.sorted().joined(separator: "\n"))")
      }
      let headers = authorization.map { ["Authorization": $0] } ?? [:]
      for pair in Self.names + ["mine"] {
        let reply = try service.request("GET", "/v1/changes?after=\(pair):&wait=0", headers)
        #expect(try reply.json["changes"]?.elements.map { $0["problem"]?["status"] } == [401], "\(pair): \(reply.text)")
      }
      #expect(try service.request("GET", "/v1/tables", headers).status == 401)
    }
    #expect(upstream.requests.current.count == asked, "nobody was asked anything")
    #expect(try service.metric("table_instances{table=\"list\",state=\"polled\"}") == 0)
    #expect(try service.metric("table_instances{table=\"mine\",state=\"polled\"}") == 0)
    #expect(try service.metric("remembered_answers") == 0)
    #expect(try service.snapshot("todo", token) == before)
    // The token's own keys are free, whatever a stranger has sent with them.
    let add = try service.request(
      "POST",
      "/v1/tables/todo/items",
      token.merging(["Idempotency-Key": "k0"]) { $1 },
      body: [:]
    )
    #expect(add.status == 201, "\(add.text)")
  }

  /// The same of edits where everyone may read: no member of a family is made for one, and none is looked up.
  @Test func strangersEditsAreRefusedUnseen() throws {
    let upstream = try ScriptedUpstream {
      $0.method == "GET" ? .json([issue(1), issue(2, "closed")]) : .json(issue(1))
    }
    let service = try ServiceProcess(Self.tables(upstream, reading: "open"))
    try service.follow("issues", until: "is ready") { $0.rows == ["1", "2"] }
    let asked = upstream.requests.current.count
    for authorization in ["Bearer x", "Basic eDp5", nil] {
      let answers = try Self.answers(service, Self.writes, of: Self.names, authorization)
      #expect(answers.count <= 2, "\(answers.sorted().joined(separator: "\n"))")
    }
    #expect(upstream.requests.current.count == asked)
    #expect(try service.metric("table_instances{table=\"list\",state=\"polled\"}") == 0)
  }

  /// Of a caller whom only the upstream knows, an answer is kept where the upstream has given it, and no other.
  @Test func whatNoUpstreamHasJudgedIsNotKept() throws {
    let upstream = try ScriptedUpstream { request in
      guard request.method != "GET" else {
        return request.headers["authorization"] == "Bearer x"
          ? .reply(401, [:], ["message": "who?"]) : .json([issue(1)])
      }
      return .reply(422, [:], ["message": "too short"])
    }
    let service = try ServiceProcess(Self.tables(upstream, reading: "open"))
    let theirs = ["Authorization": "Bearer theirs"]
    func send(_ method: String, _ path: String, _ key: String, _ more: [String: String] = theirs) throws -> Reply {
      let headers = more.merging(["Idempotency-Key": key]) { $1 }
      return try service.request(method, "/v1/tables/mine/\(path)", headers, body: ["title": "X"])
    }
    #expect(try send("PATCH", "items/9", "row").status == 404)
    #expect(try send("POST", "items?after=9", "place").status == 422)
    let moved = theirs.merging(["If-Match": "\"0011223344aa.1\""]) { $1 }
    #expect(try send("PATCH", "items/1", "version", moved).status == 412)
    for (method, path) in [("POST", "items"), ("PATCH", "items/1"), ("POST", "rows/1/actions/close")] {
      let reply = try send(method, path, "x", ["Authorization": "Bearer x"])
      #expect(reply.status == 401 && reply.text.contains("who?"), "what the upstream says of them: \(reply.text)")
    }
    #expect(try service.metric("remembered_answers") == 0)
    #expect(try send("POST", "items", "judged").status == 422)
    #expect(try service.metric("remembered_answers") == 1)
    let count = upstream.requests.current.count
    #expect(try send("POST", "items", "judged").status == 422)
    #expect(upstream.requests.current.count == count, "the upstream's judgement holds for a repeat")
  }

  /// Who posts to a hook proves nothing by its name.
  @Test func hooksAreAllAlikeToStrangers() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    let service = try ServiceProcess(
      """
      store: memory
      auth: {reading: tokens, tokens: [{name: t, sha256: "\(try sha256("t"))", allow: [read]}]}
      sources:
        hooked: {url: "\(upstream.url)/a", every: 0s, webhook: {secret: "of the hook"}}
        plain: {url: "\(upstream.url)/b", every: 0s}
      tables:
        hooked: {source: hooked, row: {id: "${number}"}}
        plain: {source: plain, row: {id: "${number}"}}
      """
    )
    let body: JSONValue = ["a": 1]
    for signature in [nil, "", "00", String(repeating: "0", count: 64), try hmac("another", body)] {
      let headers = signature.map { ["X-Signature": $0] } ?? [:]
      let answers = try ["hooked", "plain", "none"].map {
        Self.said(try service.request("POST", "/v1/hooks/\($0)", headers, body: body))
      }
      #expect(Set(answers).count == 1 && answers[0].hasPrefix("401"), "\(answers)")
    }
    // Who knows a secret is told what is wrong.
    let signed = ["X-Signature": try hmac("of the hook", body)]
    #expect(try service.request("POST", "/v1/hooks/hooked", signed, body: body).status == 202)
    for name in ["plain", "none"] {
      #expect(try service.request("POST", "/v1/hooks/\(name)", signed, body: body).status == 404)
    }
  }

  /// A health check is open to all: it counts tables that are loading, and names none.
  @Test func readinessNamesNoTables() throws {
    let upstream = try ScriptedUpstream([issue(1)])
    upstream.answer(.silence)
    func ready(_ reading: String) throws -> Reply {
      try ServiceProcess(
        """
        store: memory
        auth: {reading: \(reading), tokens: [{name: t, sha256: "\(try sha256("t"))", allow: [read]}]}
        sources: {s: {url: "\(upstream.url)/a", every: 1h}}
        tables: {the-name: {source: s, row: {id: "${number}"}}}
        """
      ).request("GET", "/readyz")
    }
    let (closed, open) = (try ready("tokens"), try ready("open"))
    #expect(closed.status == 503 && !closed.text.contains("the-name"), "\(closed.text)")
    #expect(open.status == 503 && open.text.contains("the-name"), "\(open.text)")
  }
}
