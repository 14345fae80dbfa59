import Definitions
import Expressions
import JSON
import Testing

@testable import Upstream

/// What values bring into a URL's path, and what of it is sent.
@Suite struct DotSegmentsTests {
  private static func url(_ template: String, _ parameters: [String: String], base: String = "") throws -> String {
    let definition = UpstreamDefinition(url: try Template(text: template))
    let context = FetchContext(parameters: parameters, environment: ["BASE": base])
    return try RequestBuilder(definition: definition, context: context).page(cursor: .null).url.absolute
  }

  @Test(arguments: [
    "..", ".", "../admin", "a/..", "a/../b", "./a", "a/.", "..\\admin", "a\\..\\b", "../../x", "/..", "../",
    "..;/admin",
    "a/..;x=1/b",
  ])
  func isRefused(_ value: String) throws {
    for template in ["https://api.test/items/${$params.p}", "https://api.test/items/${$params.p}/close?x=1"] {
      let error = #expect(throws: UpstreamError.self) { try Self.url(template, ["p": value]) }
      #expect(
        error?.kind == .unusableValue && error?.detail.contains("$params.p") == true,
        "\(String(describing: error))"
      )
    }
  }

  @Test(arguments: [
    ("a/b", "a%2Fb"), ("a..b", "a..b"), ("...", "..."), (".hidden", ".hidden"), ("..a/b..", "..a%2Fb.."),
    ("%2e%2e", "%252e%252e"), ("a;..", "a%3B.."), ("x/...", "x%2F..."), (" ..", "%20.."),
  ])
  func isSent(_ value: String, _ expected: String) throws {
    #expect(try Self.url("https://api.test/items/${$params.p}", ["p": value]) == "https://api.test/items/\(expected)")
  }

  /// Of parts that are harmless alone, too; and where the URL begins with a value.
  @Test(arguments: [
    ("https://api.test/${$params.p}${$params.q}", ".", "."), ("https://api.test/.${$params.p}/b", ".", ""),
    ("https://api.test/${$params.p}${$params.q}", ".", "./x"), ("https://api.test/a%2F${$params.p}", "..", ""),
    ("https://api.test/..${$params.p}", ";x", ""), ("${env.BASE}/a/${$params.p}", "../b", ""),
    ("${env.BASE}${$params.p}", "../b", ""),
  ])
  func isRefusedTogether(_ template: String, _ first: String, _ second: String) throws {
    let error = #expect(throws: UpstreamError.self) {
      try Self.url(template, ["p": first, "q": second], base: "https://api.test/")
    }
    #expect(error?.kind == .unusableValue)
  }

  /// What the configuration writes out is its own; so is what stands in a query.
  @Test func theConfigurationMayHaveThem() throws {
    #expect(try Self.url("https://api.test/a/../b/${$params.p}", ["p": "x"]) == "https://api.test/b/x")
    #expect(
      try Self.url("${env.BASE}/${$params.p}", ["p": "x"], base: "https://api.test/a/./b") == "https://api.test/a/b/x"
    )
    #expect(try Self.url("https://api.test/a?q=${$params.p}", ["p": "../b"]) == "https://api.test/a?q=..%2Fb")
    #expect(try Self.url("https://api.test/a/b#${$params.p}", ["p": ".."]).hasPrefix("https://api.test/a/b"))
  }

  /// What a table's lookups find comes from outside, too.
  @Test(arguments: [
    ("https://api.test/authors/${$author.login}", "../admin", false), ("${$author.url}", "", false),
    ("https://${$author.login}/a", "evil.test", false), ("https://api.test/authors/${$author.login}", "a/b", true),
  ])
  func lookupsAreFromOutside(_ template: String, _ login: String, _ isMade: Bool) throws {
    let builder = RequestBuilder(
      definition: UpstreamDefinition(url: try Template(text: "https://api.test/")),
      context: FetchContext()
    )
    var scope = Scope()
    scope.lookups = ["author": Value(["login": .string(login), "url": "https://evil.test/"])]
    let origin = try builder.page(cursor: .null).url.origin
    let parsed = try Template(.string(template), lookups: ["author"])
    let url = try? builder.url(parsed, in: scope, neutral: scope.neutral(), origin: origin)
    #expect(url?.absolute == (isMade ? "https://api.test/authors/a%2Fb" : nil))
  }

  @Test(arguments: [
    ("${$edit}", #""a=1&b=2""#, #""a=1&b=2""#), ("${$edit}", #"{"a":1}"#, #"{"a":1}"#), ("${$edit}", "7", "7"),
    ("${$edit | upper}", #""x""#, #""X""#), ("text ${$edit}", #""x\"y""#, #"text x"y"#), ("text", "null", "text"),
  ])
  func bodiesAreJSONButForTexts(_ template: String, _ edit: String, _ expected: String) throws {
    let builder = RequestBuilder(
      definition: UpstreamDefinition(url: try Template(text: "https://api.test/")),
      context: FetchContext()
    )
    var scope = Scope()
    scope.edit = Value(try JSONValue(parsing: edit))
    let body = try builder.body(try Template(text: template), in: scope)
    #expect(String(decoding: body ?? [], as: UTF8.self) == expected)
  }
}
