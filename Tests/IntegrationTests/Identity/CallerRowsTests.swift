import Foundation
import JSON
import TestSupport
import Testing

/// Rows, permissions and requests that depend on who asks.
@Suite struct CallerRowsTests {
  private static func configuration(_ issuer: Issuer, _ upstream: ScriptedUpstream, _ more: String = "") -> String {
    """
    store: memory
    problems: full
    auth:
      jwt: \(issuer.configuration(", allow: {edit: true}"))
    cells:
      Label: {fields: {title: string}}
    sources:
      issues: {url: "\(upstream.url)/issues", every: 1m, retries: 0}
      own: {url: "\(upstream.url)/own/${$caller.claims.team}", every: 1m, retries: 0}
    tables:
      mine:
        source: issues
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
        sections: [{id: mine, where: assignee == $caller.claims.sub}]
      all:
        source: issues
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title} for ${$caller.claims.team}"}
        can: {edit: "'editor' in $caller.claims.roles"}
        edits:
          patch: {method: PATCH, url: "\(upstream.url)/issues/${number}", body: {by: "${$caller.claims.sub}"}}
      team:
        source: own
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
      open:
        source: issues
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
    \(more)
    """
  }

  private static func upstream() throws -> ScriptedUpstream {
    try ScriptedUpstream { request in
      guard request.target == "/issues" else { return .json([["number": 1, "title": .string(request.target)]]) }
      return .json(
        .array(
          (1...100).map { number in
            [
              "number": .integer(Int64(number)), "title": .string("issue \(number)"),
              "assignee": .string("user\(number % 50)"),
            ]
          }
        )
      )
    }
  }

  private func rows(_ service: ServiceProcess, _ table: String, _ headers: [String: String]) throws -> [JSONValue] {
    let reply = try service.request("GET", "/v1/tables/\(table)", headers)
    #expect(reply.status == 200, "\(reply.text)")
    return try reply.json["sections"]?.elements.flatMap { $0["rows"]?.elements ?? [] } ?? []
  }

  /// Fifty users of one list: each sees their own rows, over one fetch; replies are nobody else's to keep.
  @Test func fiftyUsersOfOneList() throws {
    let (issuer, upstream) = (try Issuer(), try Self.upstream())
    let service = try ServiceProcess(Self.configuration(issuer, upstream))
    for number in 0..<50 {
      let shown = try rows(service, "mine", issuer.token("user\(number)")).compactMap { $0["id"]?.text }
      #expect(shown == (1...100).filter { $0 % 50 == number }.map(String.init), "user\(number)")
    }
    #expect(upstream.requests.current.filter { $0.target == "/issues" }.count <= 2, "for all members, and for `open`")
    let reply = try service.request("GET", "/v1/tables/mine", issuer.token("user1"))
    #expect(reply["Cache-Control"] == "private, no-cache" && reply["Vary"].contains("Authorization"))
    // Another's cursor leads nowhere but to one's own rows.
    let cursor = try #require(try reply.json["cursor"]?.text)
    let other = try service.request(
      "GET",
      "/v1/tables/mine/changes?after=\(cursor)&wait=0",
      issuer.token("user2")
    ).json
    #expect(other["reset"] != nil)
    #expect(
      other["snapshot"]?["sections"]?.elements.first?["rows"]?.elements.compactMap { $0["id"]?.text } == ["2", "52"]
    )
    // What nobody is assigned is nobody's.
    #expect(try rows(service, "mine", [:]).isEmpty)
    // Who doesn't depend on who asks shares.
    #expect(try service.request("GET", "/v1/tables/open")["Cache-Control"] == "no-cache")
  }

  /// Two tokens that differ in nothing that is read lead to one table, with one cursor.
  @Test func whatIsReadTellsMembersApart() throws {
    let (issuer, upstream) = (try Issuer(), try Self.upstream())
    let service = try ServiceProcess(Self.configuration(issuer, upstream))
    func cursor(_ headers: [String: String]) throws -> String? {
      try service.request("GET", "/v1/tables/mine", headers).json["cursor"]?.text
    }
    let first = try cursor(issuer.token("user1", lasts: 500, ["team": "a", "jti": "1"]))
    #expect(try first != nil && cursor(issuer.token("user1", lasts: 700, ["team": "b", "jti": "2"])) == first)
    #expect(try cursor(issuer.token("user2")) != first)
  }

  @Test func permissionsPayloadsAndRequestsAreTheCallers() throws {
    let (issuer, upstream) = (try Issuer(), try Self.upstream())
    let service = try ServiceProcess(Self.configuration(issuer, upstream))
    let editor = issuer.token("ada", ["roles": ["editor"], "team": "red"])
    let reader = issuer.token("bob", ["roles": ["reader"], "team": "blue"])
    let (mine, theirs) = (try rows(service, "all", editor), try rows(service, "all", reader))
    #expect(mine.first?["can"]?["edit"] == true && theirs.first?["can"]?["edit"] == false)
    #expect(mine.first?["payload"]?["title"] == "issue 1 for red")
    #expect(theirs.first?["payload"]?["title"] == "issue 1 for blue")
    #expect(try service.request("PATCH", "/v1/tables/all/items/1", reader, body: ["title": "x"]).status == 403)
    #expect(try service.request("PATCH", "/v1/tables/all/items/1", editor, body: ["title": "x"]).status == 200)
    let sent = try #require(upstream.requests.current.first { $0.method == "PATCH" })
    #expect(try JSONValue(parsing: sent.body)["by"] == "ada")
    // A source whose request names the caller is asked for each, and with nothing else of them.
    for (headers, team) in [(editor, "red"), (reader, "blue"), (editor, "red")] {
      #expect(try rows(service, "team", headers).first?["payload"]?["title"] == .string("/own/\(team)"))
    }
    let asked = upstream.requests.current.filter { $0.target.hasPrefix("/own/") }
    #expect(asked.map(\.target).sorted() == ["/own/blue", "/own/red"])
    #expect(asked.allSatisfy { $0.headers["authorization"] == nil }, "tokens are sent to nobody")
  }

  /// Users of one network have shares of their own among the members; what one user has made displaces that user's.
  @Test func usersOfOneNetworkDisplaceNobodyElse() throws {
    let (issuer, upstream) = (try Issuer(), try Self.upstream())
    var text = Self.configuration(issuer, upstream, "trustedProxies: [127.0.0.0/8]\n")
    text = text.replacing("  mine:\n", with: "  mine:\n    instances: {max: 8}\n    parameters: {p: {default: a}}\n")
    let service = try ServiceProcess(text)
    func cursor(_ number: Int, _ table: String = "mine") throws -> String? {
      let headers = issuer.token("user\(number)").merging(["X-Forwarded-For": "192.0.2.1"]) { $1 }
      return try service.request("GET", "/v1/tables/\(table)", headers).json["cursor"]?.text
    }
    let first = try (1...6).map { try cursor($0) }
    #expect(try (1...6).map { try cursor($0) } == first, "a quarter of eight would be two")
    for number in 1...5 { _ = try cursor(1, "mine;p=p\(number)") }
    #expect(try (2...6).map { try cursor($0) } == Array(first.dropFirst()))
    #expect(try cursor(1) != first[0])
  }

  /// A table that depends on who asks can't be polled through caches.
  @Test func slotsAreRefused() throws {
    let (issuer, upstream) = (try Issuer(), try Self.upstream())
    let text = Self.configuration(issuer, upstream).replacing("  mine:\n", with: "  mine:\n    edges: true\n")
    let service = try ServiceProcess(text)
    let snapshot = try service.request("GET", "/v1/tables/mine", issuer.token("user1")).json
    #expect(snapshot["edges"] == nil)
    let target = "/v1/tables/mine/changes?after=\(snapshot["cursor"]?.text ?? "")&slot=0"
    #expect(try service.request("GET", target, issuer.token("user1")).status == 400)
  }

  /// An identity that another caller's item has is taken, and nothing is told of that item. The upstream would replace it, as it knows the
  /// service alone.
  @Test(arguments: [false, true]) func anothersItemCantBeReplacedByItsName(hasSource: Bool) throws {
    let (issuer, upstream) = (try Issuer(), try Self.upstream())
    var text = Self.configuration(issuer, upstream)
    let sections = "sections: [{id: mine, where: assignee == $caller.claims.sub"
    text = text.replacing(
      sections + "}]\n",
      with: sections + """
        \(hasSource ? ", source: issues" : "")}]
            edits:
              insert: {method: PUT, url: "\(upstream.url)/issues/${$id}", body: "${$edit}"}
              replace: {url: "\(upstream.url)/issues/${$id}", body: "${$edit}"}

        """
    )
    let service = try ServiceProcess(text.replacing("number}", with: "name ?? number}"))
    let user = issuer.token("user1")
    #expect(try rows(service, "mine", user).count == 2)
    let edits = "/v1/tables/mine/edits"
    func batch(_ id: String) -> JSONValue { ["edits": [["op": "add", "id": .string(id), "item": ["title": "x"]]]] }
    upstream.answer { request in
      request.method == "GET"
        ? .json([["name": "one", "title": "A", "assignee": "user1"], ["name": "two", "assignee": "user2"]])
        : .json([
          "name": .string(request.target.split(separator: "/").last.map(String.init) ?? ""), "assignee": "user1",
        ])
    }
    #expect(try service.request("POST", "/v1/tables/mine/refresh", user).status < 300)
    for (id, status) in [("two", 404), ("one", 200), ("three", 201)] {
      let item: JSONValue = ["title": "x", "assignee": "user1"]
      let before = upstream.requests.current.count { $0.method == "PUT" }
      let reply = try service.request("PUT", "/v1/tables/mine/items/\(id)", user, body: item)
      #expect(reply.status == status, "\(id): \(reply.text)")
      #expect(upstream.requests.current.count { $0.method == "PUT" } == before + (status < 300 ? 1 : 0))
    }
    let refused = try service.request("POST", edits, user, body: batch("two"))
    #expect(refused.status == 404 && !refused.text.contains("user2"), "\(refused.text)")
  }
}
