import Foundation
import JSON
import TestSupport
import Testing

/// An issuer whose keys a test sets, and a service that takes its tokens.
struct Issuer: Sendable {
  let upstream: ScriptedUpstream
  let signer: TokenSigner
  let name: String

  init(_ kind: TokenSigner.Kind = .es256, keyID: String = "k1", name: String? = nil) throws {
    signer = TokenSigner(kind, keyID: keyID)
    let jwk = signer.jwk
    upstream = try ScriptedUpstream { _ in .json(["keys": [jwk]]) }
    self.name = name ?? upstream.url
  }

  func publish(_ signers: TokenSigner...) { upstream.answer(["keys": .array(signers.map(\.jwk))]) }

  /// `auth.jwt`, indented as an entry of `auth`.
  func configuration(_ more: String = "") -> String {
    "{issuer: \"\(name)\", audience: tablecast, jwks: \"\(upstream.url)/keys\"\(more)}"
  }

  func claims(_ subject: String, lasts: Double = 600, _ more: [String: JSONValue] = [:]) -> JSONValue {
    var claims: JSONValue = [
      "iss": .string(name), "aud": "tablecast", "sub": .string(subject),
      "exp": .double((Date().timeIntervalSince1970 + lasts).rounded(.up)),
    ]
    for (name, value) in more { claims[name] = value }
    return claims
  }

  func token(_ subject: String, lasts: Double = 600, _ more: [String: JSONValue] = [:]) -> [String: String] {
    bearer(signer.token(claims(subject, lasts: lasts, more)))
  }
}

func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

func issuedConfiguration(_ auth: String, _ more: String = "") -> String {
  todo + "\nauth:\n  jwt: \(auth)\n" + more
}

/// Callers with tokens of an issuer.
@Suite struct JWTTests {
  @Test func aTokenAllowsWhatItsClaimsSay() throws {
    let issuer = try Issuer()
    let allow = ", allow: {edit: \"'editor' in $caller.claims.roles\", anonymous: {read: false}}"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(allow)))
    let (reader, editor) = (issuer.token("ada"), issuer.token("bob", ["roles": ["editor"]]))
    let none: [String: String] = [:]
    for (headers, read, edit) in [(none, 401, 401), (reader, 200, 403), (editor, 200, 201)] {
      for target in ["/v1/tables", "/v1/tables/todo", "/v1/tables/todo/changes", "/v1/tables/todo/rows?at=0,0"] {
        let reply = try service.request("GET", target, headers)
        #expect(reply.status == read, "\(target): \(reply.text)")
        if read == 200 { #expect(reply["Vary"].contains("Authorization"), "\(target)") }
      }
      let reply = try service.request("POST", "/v1/tables/todo/items", headers, body: [:])
      #expect(reply.status == edit, "\(reply.text)")
      #expect(try service.request("GET", "/v1/sources", headers).status == (read == 401 ? 401 : 403))
    }
    #expect(issuer.upstream.requests.current.count == 1, "one fetch of the keys")
  }

  /// Without a token reading is open here; with one that is nobody's it is not, whatever table is asked for.
  /// What a token may do is seen in rows, of tables that read nothing of the caller, too.
  @Test func rowsOfferWhatATokenAllows() throws {
    let issuer = try Issuer()
    let allow = ", allow: {edit: \"'editor' in $caller.claims.roles\"}"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(allow)))
    let callers = [issuer.token("ada"), issuer.token("bob", ["roles": ["editor"]]), [:], issuer.token("eve")]
    let mirrors = try callers.map { try service.mirror("todo", $0) }
    #expect(mirrors.map { $0.row("1")?["can"]?["edit"] == true } == [false, true, false, false])
    #expect(mirrors[0].cursor == mirrors[2].cursor && mirrors[0].cursor == mirrors[3].cursor)
    #expect(try service.changes("todo", after: mirrors[0].cursor, callers[1])["reset"] == "lens")
  }

  @Test func whoeverThinksToBeSomebodyIsNotAnsweredAsNobody() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration()))
    #expect(try service.request("GET", "/v1/tables/todo").status == 200)
    let stranger = TokenSigner(.es256, keyID: "k1")
    var unsigned = issuer.signer.token(issuer.claims("ada")).split(separator: ".").map(String.init)
    unsigned[0] = TokenSigner.base64URL(Array(#"{"alg":"none"}"#.utf8))
    let tokens = [
      "", " ", "garbage", "a.b.c", stranger.token(issuer.claims("ada")),
      issuer.signer.token(issuer.claims("ada", lasts: -60)),
      unsigned[0] + "." + unsigned[1] + ".", issuer.signer.token(issuer.claims("ada", ["aud": "another"])),
      issuer.signer.token(issuer.claims("ada", ["iss": "https://another.example"])),
      issuer.signer.token(issuer.claims("ada"), header: ["jku": .string(issuer.upstream.url)]),
    ]
    for token in tokens {
      var replies: [String] = []
      for target in ["todo", "nothing", "todo/changes", "todo/stream", "todo/items/1"] {
        let reply = try service.request("GET", "/v1/tables/\(target)", bearer(token))
        #expect(reply.status == 401, "\(target): \(reply.text)")
        #expect(reply["WWW-Authenticate"].contains("error=\"invalid_token\""))
        replies.append(reply.text)
      }
      #expect(Set(replies).count == 1, "alike for all names")
      #expect(try service.request("GET", "/v1/changes?after=todo:&wait=0", bearer(token)).status == 401)
    }
    #expect(try service.request("GET", "/v1/tables/todo", issuer.token("ada")).status == 200)
    #expect(!service.log.current.joined().contains("eyJ"), "no token is logged")
  }

  /// A waiting poll, one of several tables, and a stream end when their token does, with its leeway.
  @Test func whatWaitsEndsWithItsToken() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(", leeway: 1s")))
    let cursor = try #require(try service.request("GET", "/v1/tables/todo").json["cursor"]?.text)
    let end = (Date().timeIntervalSince1970 + 2).rounded(.up)
    let headers = issuer.token("ada", ["exp": .double(end)])
    let (poll, several, stream) = (try service.client(), try service.client(), try service.client())
    try poll.send("GET", "/v1/tables/todo/changes?after=\(cursor)&wait=50", headers)
    try several.send("GET", "/v1/changes?after=todo:\(cursor)&wait=50", headers)
    try stream.send("GET", "/v1/tables/todo/stream?after=\(cursor)", headers)
    #expect(try stream.receiveHead("the stream").status == 200)
    for (client, name) in [(poll, "the poll"), (several, "the poll of several")] {
      let reply = try client.receive(name, seconds: 10)
      #expect(reply.status == 401, "\(name): \(reply.text)")
      #expect(reply["WWW-Authenticate"].contains("invalid_token"))
      let late = Date().timeIntervalSince1970 - end - 1
      #expect(late > -0.05 && late < 1, "\(name) \(late) s after the token's end")
    }
    // An empty chunk is the last one.
    #expect(try stream.receiveChunk("the stream's end", seconds: 5).isEmpty)
    #expect(Date().timeIntervalSince1970 - end - 1 < 2)
    // With another token it goes on from its cursor.
    let next = try service.request("GET", "/v1/tables/todo/changes?after=\(cursor)&wait=0", issuer.token("ada"))
    #expect(try next.json["reset"] == nil && next.status == 200)
  }

  @Test func keysAreExchangedAndKept() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration()))
    #expect(try service.request("GET", "/v1/tables/todo", issuer.token("ada")).status == 200)
    // The provider goes; what is known counts.
    issuer.upstream.answer(.status(500, "down"))
    #expect(try service.request("GET", "/v1/tables/todo", issuer.token("bob")).status == 200)
    // A key that is not known was looked for a moment ago: nothing is fetched, however many ask.
    let second = TokenSigner(.es256, keyID: "k2")
    for _ in 1...5 {
      #expect(try service.request("GET", "/v1/tables/todo", bearer(second.token(issuer.claims("ada")))).status == 401)
    }
    #expect(issuer.upstream.requests.current.count == 1)
    // Read anew, the new key counts and the old one does not: who waits with it is told so.
    let cursor = try #require(try service.request("GET", "/v1/tables/todo").json["cursor"]?.text)
    let waiting = try service.client()
    try waiting.send("GET", "/v1/tables/todo/changes?after=\(cursor)&wait=50", issuer.token("ada"))
    #expect(try service.request("GET", "/healthz").status == 200)
    issuer.publish(second)
    service.signal(SIGHUP)
    #expect(try waiting.receive("the poll with a key that was taken back").status == 401)
    #expect(try service.request("GET", "/v1/tables/todo", bearer(second.token(issuer.claims("ada")))).status == 200)
    #expect(try service.request("GET", "/v1/tables/todo", issuer.token("ada")).status == 401)
  }

  /// A proxy may have looked at the other one.
  @Test func twoCredentialsAreNone() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(", allow: {edit: true}")))
    let tokens = ["ada", "bob"].map { "Authorization: Bearer \(issuer.signer.token(issuer.claims($0)))\r\n" }.joined()
    for line in ["GET /v1/tables/todo", "GET /v1/changes?after=todo:", "POST /v1/tables/todo/items"] {
      let client = try service.client()
      let content = line.hasPrefix("POST") ? "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" : "\r\n"
      try client.send(raw: "\(line) HTTP/1.1\r\nHost: localhost\r\n\(tokens)\(content)")
      #expect(try client.receive(line).status == 400, "\(line)")
    }
  }

  /// Whose keys have never come can't be judged: that is no fault of the token.
  @Test func withoutKeysNobodyIsJudged() throws {
    let issuer = try Issuer()
    issuer.upstream.answer(.reply(302, ["Location": "\(issuer.upstream.url)/elsewhere"], .null))
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration()))
    try service.logged("An issuer's keys can't be fetched")
    let reply = try service.request("GET", "/v1/tables/todo", issuer.token("ada"))
    // When they are asked for again: half a minute after a failure.
    #expect(try reply.status == 503 && (15...30).contains(#require(Int(reply["Retry-After"]))))
    #expect(issuer.upstream.requests.current.map(\.target) == ["/keys"], "redirects are not followed")
  }

  /// Several who come while the keys are on their way wait for one fetch.
  @Test func whoComesEarlyWaits() throws {
    let issuer = try Issuer()
    let keys: JSONValue = ["keys": [issuer.signer.jwk]]
    issuer.upstream.answer(.late(0.5, keys))
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration()))
    let clients = try (0..<8).map { _ in try service.client() }
    for (number, client) in clients.enumerated() {
      try client.send("GET", "/v1/tables/todo", issuer.token("user \(number)"))
    }
    for client in clients { #expect(try client.receive("the table").status == 200) }
    #expect(issuer.upstream.requests.current.count == 1)
  }

  @Test func anIssuersDocumentSaysWhereItsKeysAre() throws {
    let issuer = try Issuer()
    let (url, jwk) = (issuer.upstream.url, issuer.signer.jwk)
    issuer.upstream.answer(by: { request in
      request.target == "/.well-known/openid-configuration"
        ? .json(["issuer": .string(url), "jwks_uri": .string(url + "/certs")]) : .json(["keys": [jwk]])
    })
    let service = try ServiceProcess(issuedConfiguration("{issuer: \"\(url)\", audience: tablecast}"))
    #expect(try service.request("GET", "/v1/tables/todo", issuer.token("ada")).status == 200)
    #expect(issuer.upstream.requests.current.map(\.target) == ["/.well-known/openid-configuration", "/certs"])
  }

  /// Two issuers whose keys have one name; tokens of the configuration beside them.
  @Test func severalIssuers() throws {
    let (first, second) = (try Issuer(), try Issuer())
    let auth = """
      [\(first.configuration(", allow: {edit: true}")), \(second.configuration())]
        tokens: [{name: app, sha256: "\(try sha256("app-token"))", allow: [read, edit]}]
      """
    let service = try ServiceProcess(issuedConfiguration(auth))
    func add(_ headers: [String: String]) throws -> Int {
      try service.request("POST", "/v1/tables/todo/items", headers, body: [:]).status
    }
    #expect(try add(first.token("ada")) == 201)
    #expect(try add(second.token("ada")) == 403)
    #expect(try add(bearer("app-token")) == 201)
    // Signed by the one, in the other's name.
    #expect(try add(bearer(second.signer.token(first.claims("ada")))) == 401)
  }

  /// Its requests were seen before and refused. All come by one connection, as each loop remembers its own heads.
  @Test func aTokenThatIsAddedCountsForRequestsThatWereRefused() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration()))
    let client = try service.client()
    for _ in 1...2 { #expect(try client.request("GET", "/v1/tables/todo", bearer("app-token")).status == 401) }
    let tokens = "  tokens: [{name: app, sha256: \"\(try sha256("app-token"))\", allow: [read]}]\n"
    try service.folder.write(issuedConfiguration(issuer.configuration(), tokens))
    service.signal(SIGHUP)
    try service.logged("The configuration was read again")
    try awaited("the added token", seconds: 10) {
      try client.request("GET", "/v1/tables/todo", bearer("app-token")).status == 200
    }
  }

  /// An idempotency key is its caller's: issuer and subject, whatever token it comes with.
  @Test func keysOfEditsBelongToIssuerAndSubject() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(", allow: {edit: true}")))
    func add(_ subject: String, lasts: Double) throws -> String? {
      let headers = issuer.token(subject, lasts: lasts).merging(["Idempotency-Key": "one"]) { $1 }
      return try service.request("POST", "/v1/tables/todo/items", headers, body: [:]).json["id"]?.text
    }
    let first = try add("ada", lasts: 500)
    #expect(try first != nil && add("ada", lasts: 700) == first)
    #expect(try add("bob", lasts: 500) != first)
  }

  @Test func quotasAreOfCallers() throws {
    let issuer = try Issuer()
    let limits = "limits: {requestsPerMinute: 3}\n"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(), limits))
    let (ada, again, bob) = (issuer.token("ada", lasts: 500), issuer.token("ada", lasts: 700), issuer.token("bob"))
    for headers in [ada, again, ada] { #expect(try service.request("GET", "/v1/tables/todo", headers).status == 200) }
    let refused = try service.request("GET", "/v1/tables/todo", again)
    #expect(refused.status == 429 && !refused["Retry-After"].isEmpty)
    #expect(refused["RateLimit-Policy"] == "\"requests\";q=3;w=60")
    #expect(refused["RateLimit"].hasPrefix("\"requests\";r=0;t="))
    #expect(try service.request("GET", "/v1/tables/todo", bob).status == 200)
  }

  /// Nobody has the service verify signatures as often as they like. Callers who are known go on.
  @Test func anAddressWithoutRequestsLeftHasNoTokenVerified() throws {
    let (issuer, other) = (try Issuer(), try Issuer())
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(), "limits: {requestsPerMinute: 3}\n"))
    func read(_ headers: [String: String]) throws -> Int {
      try service.request("GET", "/v1/tables/todo", headers).status
    }
    let ada = issuer.token("ada")
    #expect(try read(ada) == 200)
    let forged = (1...4).map { bearer(other.signer.token(issuer.claims("eve\($0)"))) }
    #expect(try forged.map(read) == [401, 401, 401, 429])
    #expect(try read(issuer.token("bob")) == 429)
    #expect(try read(ada) == 200)
    // Operators' own tools are not limited: there nobody's token is verified.
    for path in ["/healthz", "/readyz", "/metrics", "/", "/console/main.js"] {
      #expect(try service.request("GET", path, issuer.token("bob")).status == 200, "\(path)")
    }
    #expect(try service.request("GET", "/v1/cells", issuer.token("bob")).status == 429)
    #expect(try service.metric("tokens_remembered") == 1)
  }

  /// So a health check waits for no issuer's keys. A caller who is known is counted by name for that, too.
  @Test func noTokenIsVerifiedForWhatEverybodyIsGiven() throws {
    let issuer = try Issuer()
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(), "limits: {requestsPerMinute: 3}\n"))
    let ada = issuer.token("ada")
    #expect(try service.request("GET", "/v1/tables/todo", ada).status == 200)
    for path in ["/healthz", "/v1/cells", "/v1/openapi.json"] {
      #expect(try service.request("GET", path, issuer.token("bob")).status == 200, "\(path)")
    }
    #expect(try service.metric("tokens_remembered") == 1)
    let statuses = try (1...3).map { _ in try service.request("GET", "/v1/cells", ada).status }
    #expect(statuses == [200, 200, 429])
  }

  /// Nor by requests that never come to their end. With a record of edits these are not refused by their heads.
  @Test func aForgedTokenCountsBeforeItsBodyHasCome() throws {
    let (issuer, other) = (try Issuer(), try Issuer())
    let more = "audit: {path: \"{folder}/audit.log\"}\nlimits: {requestsPerMinute: 3}\n"
    let service = try ServiceProcess(issuedConfiguration(issuer.configuration(), more))
    #expect(try service.request("GET", "/v1/tables/todo", issuer.token("ada")).status == 200)
    let clients = try (1...3).map { number in
      let client = try service.client()
      let token = other.signer.token(issuer.claims("eve\(number)"))
      let head = "POST /v1/tables/todo/items HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
      try client.send(raw: head + "Expect: 100-continue\r\nContent-Length: 20000\r\n\r\n")
      #expect(try client.receiveHead("a go-ahead").status == 100)
      return client
    }
    #expect(try service.request("GET", "/v1/tables/todo", issuer.token("bob")).status == 429)
    // Each was counted once.
    for client in clients {
      for _ in 0..<200 { try client.send(raw: String(repeating: "x", count: 100)) }
      #expect(try client.receive("a refusal").status == 401)
    }
  }
}
