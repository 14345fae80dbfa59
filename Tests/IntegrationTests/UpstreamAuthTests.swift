import Foundation
import JSON
import TestSupport
import Testing

/// The service logs in to its upstreams.
@Suite struct UpstreamAuthTests {
  private static func configuration(_ url: String, _ auth: String, tables: Int = 1, every: String = "1h") -> String {
    let sources = (0..<tables).map {
      "  s\($0): {url: \"\(url)/items/\($0)\", every: \(every), retries: 0, auth: {\(auth)}}\n"
    }
    let shown = (0..<tables).map { number in
      """
        t\(number):
          source: s\(number)
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          edits: {patch: {url: "\(url)/items/\(number)/${$id}", body: "${$edit}"}}

      """
    }
    return """
      store: memory
      problems: full
      auth: {tokens: [{name: all, sha256: 9af15b336e6a9619928537df30b2e6a2376569fcf9d7e773eccede65606529a0, allow: [edit, admin]}]}
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources:
      \(sources.joined())
      tables:
      \(shown.joined())
      """
  }

  private static let admin = ["Authorization": "Bearer 0000"]

  /// What the token endpoint has given, and what the API takes.
  private struct Given: Sendable {
    var asked: [ScriptedUpstream.Request] = []
    var valid = ""
    var lifetime = 3600
    var next = "n0"
  }

  private static func form(_ request: ScriptedUpstream.Request) -> [String: String] {
    let pairs = String(decoding: request.body, as: UTF8.self).split(separator: "&").map { $0.split(separator: "=") }
    return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }, uniquingKeysWith: { $1 })
  }

  private static func upstream() throws -> (ScriptedUpstream, Monitor<Given>) {
    let given = Monitor(Given())
    let upstream = try ScriptedUpstream { request in
      if request.target == "/token" {
        let (token, lifetime) = given.change { given in
          given.asked.append(request)
          given.valid = "token-number-\(given.asked.count)"
          return (given.valid, given.lifetime)
        }
        return .reply(200, [:], ["access_token": .string(token), "expires_in": .integer(Int64(lifetime))])
      }
      guard request.headers["authorization"] == "Bearer \(given.current.valid)" else {
        return .reply(
          401,
          ["WWW-Authenticate": "Bearer"],
          ["error": .string("no: \(request.headers["authorization"] ?? "")")]
        )
      }
      return request.method == "GET"
        ? .json([["id": 1, "title": .string("One of \(request.target)")]])
        : .reply(200, [:], ["id": 1, "title": "New"])
    }
    return (upstream, given)
  }

  /// Ten sources and an edit have one token, a refused one is replaced once, and no secret is seen anywhere.
  @Test func oneTokenForAll() throws {
    let (upstream, given) = try Self.upstream()
    let auth = "oauth2: {token: \"\(upstream.url)/token\", client: me, secret: a-long-secret, scope: read}"
    let service = try ServiceProcess(Self.configuration(upstream.url, auth, tables: 10))
    for table in 0..<10 {
      try service.follow("t\(table)", until: "is there") { $0.titles == [["One of /items/\(table)"]] }
    }
    #expect(given.current.asked.count == 1)
    let asked = given.current.asked[0]
    #expect(Self.form(asked) == ["grant_type": "client_credentials", "scope": "read"])
    #expect(asked.headers["authorization"] == "Basic " + Data("me:a-long-secret".utf8).base64EncodedString())
    let edit = try service.request(
      "PATCH",
      "/v1/tables/t3/items/1",
      Self.admin.merging(["Content-Type": "application/merge-patch+json"]) { $1 },
      body: ["title": "New"]
    )
    #expect(edit.status == 200, "\(edit.text)")
    #expect(given.current.asked.count == 1)
    // The token is taken back: an edit and a fetch each try once more.
    given.change { $0.valid = "none" }
    let second = try service.request(
      "PATCH",
      "/v1/tables/t4/items/1",
      Self.admin.merging(["Content-Type": "application/merge-patch+json"]) { $1 },
      body: ["title": "New"]
    )
    #expect(second.status == 200, "\(second.text)")
    #expect(given.current.asked.count == 2)
    given.change { $0.valid = "none" }
    for table in 5..<10 {
      #expect(try service.request("POST", "/v1/tables/t\(table)/refresh", Self.admin).status == 200)
    }
    #expect(given.current.asked.count == 3)
    let sources = try service.request("GET", "/v1/sources", Self.admin).text
    for secret in ["a-long-secret", "token-number-"] { #expect(!sources.contains(secret)) }
  }

  @Test func aTokenIsRenewedBeforeItEnds() throws {
    let (upstream, given) = try Self.upstream()
    given.change { $0.lifetime = 2 }
    let auth = "oauth2: {token: \"\(upstream.url)/token\", client: me, refresh: a-refresh-token}"
    let service = try ServiceProcess(Self.configuration(upstream.url, auth, every: "100ms"))
    try given.wait(for: "a third token") { $0.asked.count >= 3 ? true : nil }
    #expect(Self.form(given.current.asked[0])["grant_type"] == "refresh_token")
    #expect(Self.form(given.current.asked[0])["client_id"] == "me")
    #expect(given.current.asked[0].headers["authorization"] == nil)
    #expect(try service.snapshot("t0")["problem"]?.kind ?? .null == .null)
    // It was never sent a token that had ended, nor one twice after a refusal.
    #expect(try !service.request("GET", "/v1/sources", Self.admin).text.contains("401"))
  }

  /// A refresh token that was given in place of the configured one outlasts a failure that passes.
  @Test func aNewRefreshTokenIsKeptOverAFailure() throws {
    let asked = Monitor<[String]>([])
    let upstream = try ScriptedUpstream { request in
      guard request.target == "/token" else { return .json([["id": 1, "title": "One"]]) }
      let number = asked.change { asked in
        asked.append(Self.form(request)["refresh_token"] ?? "none")
        return asked.count
      }
      if number == 2 { return .status(503, "later") }
      return .reply(200, [:], ["access_token": "token", "expires_in": 2, "refresh_token": .string("given-\(number)")])
    }
    let auth = "oauth2: {token: \"\(upstream.url)/token\", client: me, refresh: configured}"
    let service = try ServiceProcess(Self.configuration(upstream.url, auth, every: "100ms"))
    let first = try asked.wait(for: "a request after the failure") { $0.count >= 3 ? Array($0.prefix(3)) : nil }
    #expect(first == ["configured", "given-1", "given-1"])
    withExtendedLifetime(service) {}
  }

  @Test func anEndpointThatFailsIsTheSourcesProblem() throws {
    let upstream = try ScriptedUpstream { request in
      request.target == "/token"
        ? .reply(400, [:], ["error": "invalid_client", "error_description": "who is a-long-secret?"]) : .json([])
    }
    let auth = "oauth2: {token: \"\(upstream.url)/token\", client: me, secret: a-long-secret}"
    let service = try ServiceProcess(Self.configuration(upstream.url, auth))
    try service.follow("t0", until: "has failed") { $0.state == "failed" }
    let problem = "\(try service.snapshot("t0")["problem"] ?? .null)"
    #expect(
      problem.contains("log in to the upstream") && problem.contains("invalid_client") && !problem.contains("a-long"),
      "\(problem)"
    )
    // Basic, then in the body: the endpoint is asked twice at first, and no other host at all.
    #expect(upstream.requests.current.allSatisfy { $0.target == "/token" })
    #expect(upstream.requests.current.prefix(2).map { Self.form($0)["client_secret"] } == [nil, "a-long-secret"])
    let edit = try service.request(
      "PATCH",
      "/v1/tables/t0/items/1",
      Self.admin.merging(["Content-Type": "application/merge-patch+json"]) { $1 },
      body: ["title": "New"]
    )
    #expect(edit.status == 503, "it is not known whether there is such a row: \(edit.text)")
  }

  @Test(arguments: [
    (#"basic: {user: me, password: "päss: word"}"#, "Basic " + Data("me:päss: word".utf8).base64EncodedString()),
    ("bearer: a-fixed-token", "Bearer a-fixed-token"),
  ])
  func credentialsThatStayTheSame(_ auth: String, _ expected: String) throws {
    let upstream = try ScriptedUpstream { request in
      request.headers["authorization"] == expected
        ? request.method == "GET" ? .json([["id": 1, "title": "One"]]) : .status(401, "no more")
        : .status(401, "no: \(request.headers["authorization"] ?? "none")")
    }
    let service = try ServiceProcess(Self.configuration(upstream.url, auth))
    try service.follow("t0", until: "is there") { $0.titles == [["One"]] }
    // The service's own trouble is not the caller's: nothing asks them to log in.
    let edit = try service.request(
      "PATCH",
      "/v1/tables/t0/items/1",
      Self.admin.merging(["Content-Type": "application/merge-patch+json"]) { $1 },
      body: ["title": "New"]
    )
    #expect(edit.status == 502 && edit.text.contains("log in"), "\(edit.status) \(edit.text)")
    #expect(upstream.requests.current.filter { $0.method == "PATCH" }.count == 1)
  }
}

extension JSONValue {
  fileprivate var kind: JSONValue? { self["title"] }
}
