import Definitions
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite struct RedirectPolicyTests {
  static func request(_ method: String = "GET", body: [UInt8]? = nil) throws -> TransferRequest {
    let fields = [("Authorization", "Bearer x"), ("X-Key", "k"), ("Accept", "a/b"), ("Content-Type", "c/d")]
    let url = try #require(UpstreamURL("http://a.test/x"))
    return TransferRequest(
      method: method,
      url: url,
      headers: fields.compactMap { TransferField($0.0, $0.1) },
      body: body
    )
  }

  static func follow(_ request: TransferRequest, _ status: Int, _ location: String) -> String {
    switch RedirectPolicy.decide(request, status: status, location: location, hops: 0) {
    case .answer: "answer"
    case .refuse(let error): error.kind.rawValue
    case .follow(let next):
      "\(next.method) \(next.url.absolute) \(next.headers.count)\(next.body == nil ? "" : " body")"
    }
  }

  @Test(arguments: [
    (301, "/y", "GET http://a.test/y 4"), (302, "http://b.test/", "GET http://b.test/ 2"),
    (308, "//a.test:81/", "GET http://a.test:81/ 2"), (307, "https://a.test/", "GET https://a.test/ 4"),
    (303, "https://a.test:444/", "GET https://a.test:444/ 1"), (300, "/y", "answer"), (304, "/y", "answer"),
    (302, "file:///etc/passwd", "redirectRefused"),
  ])
  func get(_ status: Int, _ location: String, _ expected: String) throws {
    #expect(Self.follow(try Self.request(), status, location) == expected)
  }

  @Test(arguments: [
    (301, "/y", "GET http://a.test/y 3"), (303, "http://b.test/", "GET http://b.test/ 1"),
    (307, "/y", "POST http://a.test/y 4 body"), (307, "http://b.test/", "redirectRefused"),
  ])
  func post(_ status: Int, _ location: String, _ expected: String) throws {
    #expect(Self.follow(try Self.request("POST", body: [1]), status, location) == expected)
  }

  @Test(arguments: [
    ("/y", true), ("https://a.test/", true), ("https://a.test:444/", false), ("https://b.test/", false),
  ])
  func theClientsCertificateStaysAtHome(_ location: String, _ isKept: Bool) throws {
    var request = try Self.request()
    request.security = TransferSecurity(caBundle: "ca", clientCertificate: "client", clientKey: "key")
    guard case .follow(let next) = RedirectPolicy.decide(request, status: 302, location: location, hops: 0) else {
      return #expect(Bool(false))
    }
    #expect(next.security == (isKept ? request.security : TransferSecurity(caBundle: "ca")))
  }

  @Test func saferIsTheSameButNotTheOtherWayRound() throws {
    let plain = try #require(UpstreamURL("http://a.test/")).origin
    let secure = try #require(UpstreamURL("https://a.test/")).origin
    #expect(plain.mayShareSecrets(with: secure))
    #expect(!secure.mayShareSecrets(with: plain))
  }
}

@Suite(.serialized) struct RedirectTests {
  /// To another port of this host, which is another origin; allowed, but without credentials.
  @Test func credentialsStayAtHome() async throws {
    let (home, other) = (try MisbehavingUpstream(), try MisbehavingUpstream())
    let client = try TransferClient()
    func fetch(_ allowed: Bool) async throws -> SourceUpdate {
      let field = try #require(TransferField("Authorization", "Bearer secret"))
      let source = try Source.onRequest(
        "\(home.base)/redirect?to=\(other.base)/echo",
        client: client,
        context: FetchContext(forwarded: [field])
      ) {
        $0.headers = [("X-Api-Key", try Template(text: "key")), ("Cookie", try Template(text: "a=b"))]
        $0.allowPrivateRedirects = allowed
      }
      return await source.refreshed()
    }
    let text = try #require(await fetch(true).content).text
    #expect(!text.contains("secret") && !text.contains("x-api-key") && !text.contains("cookie"), "\(text)")
    #expect(text.contains("accept"))
    // There is a kept connection to it now, which opens no socket; refused all the same.
    let before = try await other.log(client)
    #expect(try await fetch(false).word == "redirectRefused")
    #expect(try await other.log(client)["counts"] == before["counts"])
    guard case .array(let log)? = try await other.log(client)["log"] else { return #expect(Bool(false)) }
    #expect(log.count == 1)
  }
}

@Suite(.serialized) struct EditForwarderTests {
  static let upstream = Result { try MisbehavingUpstream() }

  static func forward(
    _ path: String,
    method: String = "PATCH",
    id: String = "7",
    on upstream: MisbehavingUpstream? = nil,
    client: TransferClient? = nil
  ) async throws -> EditOutcome {
    let upstream = try upstream ?? Self.upstream.get()
    let context = FetchContext(forwarded: [try #require(TransferField("Authorization", "Bearer caller"))])
    var definition = try UpstreamDefinition(quick: upstream.base + "/items")
    definition.hurry()
    let forwarder = EditForwarder(
      definition,
      context: context,
      client: try client ?? TransferClient()
    )
    let request = EditRequestDefinition(
      method: method,
      url: try Template(text: upstream.base + path),
      body: try Template(.object([.init(name: "title", value: .string("${$edit.title}"))]))
    )
    let edit = ForwardedEdit(
      item: .object([.init(name: "id", value: .integer(7))]),
      edit: .object([.init(name: "title", value: .string("new"))]),
      id: id,
      idempotencyKey: "key-1"
    )
    return await withCheckedContinuation { continuation in
      forwarder.forward(edit, as: request) { continuation.resume(returning: $0) }
    }
  }

  static func word(_ outcome: EditOutcome) -> String {
    switch outcome {
    case .accepted(let accepted): "accepted \(accepted.status) \(accepted.item?.count ?? 0)"
    case .refused(let error): "refused \(error.status ?? 0) \(error.detail.split(separator: ": ").last ?? "")"
    case .unknown(let error): "unknown \(error.kind.rawValue)"
    case .failed(let error): "failed \(error.kind.rawValue)"
    }
  }

  @Test(arguments: [
    ("/edit", "accepted 200 8"), ("/edit?code=204", "accepted 204 0"), ("/edit?kind=text/html", "accepted 200 8"),
    ("/edit?code=409&body=%7B%22detail%22:%22taken%22%7D", "refused 409 taken"),
    ("/edit?code=422&body=%7B%22errors%22:[%7B%22message%22:%22too%20short%22%7D]%7D", "refused 422 too short"),
    ("/edit?code=422&body=%7B%22error%22:%7B%22message%22:%22deep%22%7D%7D", "refused 422 deep"),
    ("/edit?code=500", "failed status"),
    ("/redirect?code=307&to=/edit", "refused 307 The upstream answered 307, and not why"),
    ("/silent", "unknown stalled"), ("/edit-dies", "unknown interrupted"),
  ])
  func outcomes(_ path: String, _ expected: String) async throws {
    let word = Self.word(try await Self.forward(path))
    #expect(word == expected)
  }

  @Test func isSentOnceWithTheCallersHeaders() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    // A kept connection that the upstream resets would make libcurl send it again.
    _ = await (try Source.onRequest(upstream.base + "/items", client: client)).refreshed()
    _ = try await Self.forward("/edit-dies", on: upstream, client: client)
    _ = try await Self.forward("/edit/../x?id=${$id}", on: upstream, client: client)
    guard case .array(let log)? = try await upstream.log(client)["log"] else { return #expect(Bool(false)) }
    #expect(log.count == 3)
    #expect(log[1]["headers"]?["authorization"] == .string("Bearer caller"))
    #expect(log[1]["headers"]?["idempotency-key"] == .string("key-1"))
    #expect(log[1]["body"] == .string(#"{"title":"new"}"#))
    #expect(log[2]["target"] == .string("/x?id=7"))
  }

  @Test func idsDoNotLeadElsewhere() async throws {
    #expect(Self.word(try await Self.forward("/a/${$id}", id: "..")) == "failed unusableValue")
    let outcome = Self.word(try await Self.forward("/edit?x=${$id}", id: "../../etc"))
    #expect(outcome == "accepted 200 8")
  }
}
