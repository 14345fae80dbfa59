import Definitions
import Digests
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite struct ResponseFreshnessTests {
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("yesterday", nil),
      ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 25:00:00 GMT", nil), ("", nil),
    ] as [(String, Int64?)]
  )
  func date(_ text: String, _ expected: Int64?) { #expect(ResponseDate.parse(text) == expected) }

  static func fields(_ pairs: [(String, String)]) -> [TransferField] { pairs.compactMap { TransferField($0.0, $0.1) } }

  @Test func retryAfter() {
    func seconds(_ pairs: (String, String)...) -> Duration? {
      ResponseFreshness.retryAfter(Self.fields(pairs), now: 784_111_770)
    }
    #expect(seconds(("Retry-After", "120")) == .seconds(120))
    #expect(seconds(("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")) == .seconds(7))
    #expect(
      seconds(("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:30 GMT"))
        == .seconds(7)
    )
    #expect(seconds(("Retry-After", "Sun, 06 Nov 1994 08:00:00 GMT")) == .zero)
    #expect(seconds(("Retry-After", "99999999999999999999999")) == .seconds(3_200_000_000))
    #expect(seconds(("Retry-After", "soon")) == nil)
    #expect(seconds() == nil)
  }

  @Test(
    arguments: [
      ("max-age=60", nil, 60), ("public, Max-Age=\"60\"", nil, 60), ("max-age=60", "50", 10), ("max-age=60", "90", 0),
      ("no-cache, max-age=60", nil, nil), ("no-store", nil, nil), ("max-age=x", nil, nil), ("private", nil, nil),
    ] as [(String, String?, Int?)]
  )
  func maxAge(_ control: String, _ age: String?, _ expected: Int?) {
    let fields = Self.fields([("cache-control", control)] + (age.map { [("Age", $0)] } ?? []))
    #expect(ResponseFreshness.maxAge(fields) == expected.map { .seconds($0) })
  }
}

@Suite struct NetworkAddressTests {
  @Test(arguments: [
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%lo", "fc00::1",
    "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:192.168.0.1", "64:ff9b::10.0.0.1", "2002:7f00:1::",
    "2001:db8::1",
  ])
  func isInside(_ text: String) { #expect(NetworkAddress(text)?.isPrivate == true) }

  @Test(arguments: [
    "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "192.0.1.1", "1.1.1.1", "2606:4700::1111",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
  ])
  func isOutside(_ text: String) { #expect(NetworkAddress(text)?.isPrivate == false) }

  @Test func garbageIsNone() { #expect(NetworkAddress("localhost") == nil) }
}

@Suite struct WebhookSignatureTests {
  // From GitHub's documentation of webhooks.
  let secret = "It's a Secret to Everybody"
  let body = Array("Hello, World!".utf8)
  let digits = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

  @Test func valid() {
    #expect(WebhookSignature.isValid("sha256=" + digits, of: body, secret: secret))
    #expect(WebhookSignature.isValid(" SHA256=" + digits.uppercased() + " ", of: body, secret: secret))
    #expect(WebhookSignature.isValid(digits, of: body, secret: secret))
  }

  @Test func invalid() {
    let changed = digits.replacing("75", with: "76", maxReplacements: 1)
    for wrong in [changed, "", "sha256=", "sha1=" + digits, digits + "00", String(digits.dropLast(2)), "zz" + digits] {
      #expect(!WebhookSignature.isValid(wrong, of: body, secret: secret))
    }
    #expect(!WebhookSignature.isValid(digits, of: body + [0], secret: secret))
    #expect(!WebhookSignature.isValid(digits, of: body, secret: "other"))
    let ofNoKey = HMACSHA256.code(for: body, key: [])
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(!WebhookSignature.isValid(ofNoKey, of: body, secret: ""), "no secret is no key")
  }
}

@Suite struct LinkHeaderTests {
  @Test(
    arguments: [
      ("</a?page=2>; rel=\"next\"", "/a?page=2"), ("</a>; rel=prev, </b>; rel=next", "/b"),
      ("<https://x/a,b;c>; title=\"q\"; rel=\"last next\"", "https://x/a,b;c"), ("</a>; rel=\"nextish\"", nil),
      ("</a>", nil), ("", nil), ("<", nil), ("</a>; REL=Next", "/a"),
    ] as [(String, String?)]
  )
  func next(_ value: String, _ expected: String?) { #expect(LinkHeader.next(value) == expected) }
}

@Suite struct RequestBuilderTests {
  static func url(_ template: String, _ parameters: [String: String], _ environment: [String: String] = [:]) throws
    -> String
  {
    let definition = UpstreamDefinition(url: try Template(text: template))
    let context = FetchContext(parameters: parameters, environment: environment)
    return try RequestBuilder(definition: definition, context: context).page(cursor: .null).url.absolute
  }

  @Test(arguments: [
    ("apple", "https://api.test/repos/apple/issues"), ("a/b", "https://api.test/repos/a%2Fb/issues"),
    ("a?b#c", "https://api.test/repos/a%3Fb%23c/issues"), ("a b", "https://api.test/repos/a%20b/issues"),
    ("..%2f", "https://api.test/repos/..%252f/issues"), ("é", "https://api.test/repos/%C3%A9/issues"),
    ("@evil.test", "https://api.test/repos/%40evil.test/issues"), ("a..b", "https://api.test/repos/a..b/issues"),
    ("\r\nX: y", "https://api.test/repos/%0D%0AX%3A%20y/issues"),
  ])
  func parametersAreEncoded(_ value: String, _ expected: String) throws {
    #expect(try Self.url("https://api.test/repos/${$params.owner}/issues", ["owner": value]) == expected)
  }

  @Test(arguments: [
    ("https://api.test/repos/${$params.p}/issues", ".."), ("https://api.test/repos/${$params.p}/issues", "."),
    ("https://api.test/repos/${$params.p}", "."), ("https://api.test/a/${$params.p}", ".."),
    ("https://api.test/a/.${$params.p}/b", "."), ("${$params.p}/a", "https://evil.test"),
    ("${$params.p}", "https://evil.test/"), ("https://${$params.p}/a", "evil.test"),
    ("https://${$params.p}.api.test/a", "evil"), ("https://api.test:${$params.p}/a", "81"),
  ])
  func parametersMayNotLeadElsewhere(_ template: String, _ value: String) throws {
    #expect(throws: UpstreamError.self) { try Self.url(template, ["p": value]) }
  }

  /// The harmless values that a URL is compared with are none that can be computed with.
  @Test(
    arguments: [
      ("https://api.test/items?skip=${($cursor - 1) * 50}", "https://api.test/items?skip=50"),
      ("https://api.test/pages/${$cursor + 1}/items", "https://api.test/pages/3/items"),
      ("https://api.test/${$params.n | int}", "https://api.test/7"),
      ("https://api.test?n=${$params.n | int}&skip=${$cursor * 10}", "https://api.test/?n=7&skip=20"),
      ("${env.API}/since/${$since | date('yyyy-MM-dd')}", "http://me:pw@127.0.0.1:81/v1/since/2024-05-01"),
    ]
  )
  func valuesMayBeComputedWith(_ template: String, _ expected: String) throws {
    let definition = UpstreamDefinition(url: try Template(text: template))
    let context = FetchContext(parameters: ["n": "7"], environment: ["API": "http://me:pw@127.0.0.1:81/v1"])
    let request = try RequestBuilder(definition: definition, context: context)
      .page(cursor: .integer(2), since: .string("2024-05-01T22:30:00Z"))
    #expect(request.url.absolute == expected)
  }

  @Test(arguments: [
    "https://${$params.n | int}/a", "https://${$params.n | int}.api.test/a", "https://api.test:${$params.n | int}/a",
    "https://${$params.n | int}@api.test/a", "https://me:${$params.n | int}@api.test/a",
    "https:///me:${$params.n | int}@api.test/a", "https://api.test${$params.n | int}/a", "${$params.n | int}/a",
    "${$params.n | int}", "http${$params.n | int}://api.test/a",
  ])
  func computedValuesMayNotLeadElsewhere(_ template: String) throws {
    #expect(throws: UpstreamError.self) { try Self.url(template, ["n": "81"]) }
  }

  @Test func theEnvironmentMayBeTheBase() throws {
    let url = try Self.url("${env.API}/items?key=${env.KEY}", [:], ["API": "http://127.0.0.1:81/v1", "KEY": "a&b"])
    #expect(url == "http://127.0.0.1:81/v1/items?key=a%26b")
  }

  /// The configuration may name other hosts for the items of a list and for edits.
  @Test(arguments: [("https://api.test", true), ("https://api.test:444", false), ("https://other.test", false)])
  func theClientsCertificateIsForItsUpstreamAlone(_ host: String, _ isPresented: Bool) throws {
    var definition = UpstreamDefinition(url: try Template(text: "https://api.test/items"))
    (definition.caBundle, definition.clientCertificate, definition.clientKey) = ("ca", "client", "key")
    let expected =
      isPresented
      ? TransferSecurity(caBundle: "ca", clientCertificate: "client", clientKey: "key")
      : TransferSecurity(caBundle: "ca")
    let builder = RequestBuilder(definition: definition, context: FetchContext())
    let list = try builder.page(cursor: .null)
    let each = try builder.each(Template(text: "\(host)/${$item}"), item: .integer(7), index: 0, list: list)
    #expect(each.security == expected)
    let forwarder = EditForwarder(definition, context: FetchContext(), client: try TransferClient())
    let patch = EditRequestDefinition(method: "PATCH", url: try Template(text: "\(host)/${$id}"))
    let edit = try forwarder.request(ForwardedEdit(id: "7", idempotencyKey: "key-1"), patch)
    #expect(edit.security == expected)
  }

  @Test func headersCanNotBeSplit() throws {
    var definition = UpstreamDefinition(url: try Template(text: "https://api.test/"))
    definition.headers = [("X-Owner", try Template(text: "${$params.p}"))]
    let context = FetchContext(parameters: ["p": "a\r\nX-Admin: yes"])
    #expect(throws: UpstreamError.self) {
      try RequestBuilder(definition: definition, context: context).page(cursor: .null)
    }
  }

  @Test func nextURLsAreOfTheSameOrigin() throws {
    let url = try #require(UpstreamURL("http://a.test:80/x?page=1#f"))
    #expect(url.absolute == "http://a.test:80/x?page=1")
    #expect(url.description == "http://a.test/x")
    #expect(url.replacingQuery("page", with: "2")?.absolute == "http://a.test:80/x?page=2")
    #expect(url.resolve("?page=3")?.absolute == "http://a.test:80/x?page=3")
    #expect(url.resolve("//b.test/y")?.origin.host == "b.test")
    for wrong in ["file:///etc/passwd", "javascript:alert(1)", "ftp://a.test/", "http://"] {
      #expect(url.resolve(wrong) == nil)
    }
  }

  /// As pages and redirects name what follows: user and password go on with it, but to no other origin.
  @Test(
    arguments: [
      ("?page=2", "http://me:secret@a.test/x?page=2", "http://a.test/x?page=2"),
      ("http://a.test/y", "http://me:secret@a.test/y", "http://a.test/y"),
      ("http://A.TEST:80/y", "http://me:secret@A.TEST:80/y", "http://A.TEST:80/y"),
      ("//a.test/y", "http://me:secret@a.test/y", "http://a.test/y"),
      ("https://a.test/y", "https://me:secret@a.test/y", "https://a.test/y"),
      ("http://you@a.test/y", "http://you@a.test/y", "http://you@a.test/y"),
      ("http://b.test/y", "http://b.test/y", "http://b.test/y"),
      ("//a.test:81/y", "http://a.test:81/y", "http://a.test:81/y"),
      ("https://a.test:444/y", "https://a.test:444/y", "https://a.test:444/y"),
    ]
  )
  func userAndPasswordStayAtHome(_ reference: String, _ expected: String, _ shown: String) throws {
    let url = try #require(UpstreamURL("http://me:secret@a.test/x?page=1"))
    #expect(url.resolve(reference)?.absolute == expected)
    #expect(url.resolve(reference, keepsUser: false)?.absolute == shown)
    let plain = try #require(UpstreamURL("http://me@a.test/"))
    #expect(plain.resolve("http://a.test/y")?.absolute == "http://me@a.test/y")
  }
}

@Suite struct ReasonTextTests {
  @Test(
    arguments: [
      ("<html><TITLE lang=en>Oops</title>", "Oops"), ("<title></title>", nil), ("<titl", nil), ("<title", nil),
      ("<title>", nil), ("<title> \n </title>", nil), ("<title>no end", "no end"), ("", nil),
      // A search that began anew at each of them would never end.
      (String(repeating: "<title ", count: 2000), nil), (String(repeating: "<title ", count: 300_000), nil),
    ] as [(String, String?)]
  )
  func htmlTitle(_ page: String, _ expected: String?) {
    #expect(ReasonText.htmlTitle(in: Array(page.utf8)) == expected)
  }

  /// It is looked for on the queue of all upstreams: whatever a page is made of, that costs about the same.
  @Test func aTitleIsSoughtInLinearTime() {
    let plain = Array(String(repeating: "a", count: 8192).utf8)
    let hostile = Array(String(repeating: "<title ", count: 1200).utf8)
    let usual = processorTime { _ = ReasonText.htmlTitle(in: plain) }
    let most = processorTime { _ = ReasonText.htmlTitle(in: hostile) }
    #expect(most < usual * 20, "\(most) beside \(usual)")
  }
}
