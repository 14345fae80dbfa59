import Definitions
import Expressions
import JSON
import Testing

@testable import Upstream

@Suite(.serialized) struct PagingTests {
  static let upstream = Result { try MisbehavingUpstream() }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let path: String
    let paging: PagingDefinition
    let expected: String
    var says = ""
    var testDescription: String { name }

    init(
      _ name: String,
      _ path: String,
      _ style: PagingDefinition.Style,
      _ expected: String,
      says: String = "",
      _ change: (inout PagingDefinition) -> Void = { _ in }
    ) {
      var paging = PagingDefinition(style: style)
      change(&paging)
      (self.name, self.path, self.paging, self.expected, self.says) = (name, path, paging, expected, says)
    }
  }

  static func cases() throws -> [Case] {
    let next = try Expression("next")
    let cursor = PagingDefinition.Style.cursor(try Expression("meta.cursor"), parameter: "cursor")
    return [
      Case("link", "/pages/link", .link, "content 12"),
      Case("next URL", "/pages/next", .nextURL(next), "content 12"),
      Case("cursor", "/pages/cursor", cursor, "content 12"),
      Case("page to an empty one", "/pages/page", .page(parameter: "page", start: 1, size: nil), "content 12"),
      Case("page of a size", "/pages/page?total=2", .page(parameter: "page", start: 1, size: 3), "content 6"),
      Case("offset", "/pages/offset", .offset(parameter: "offset", size: 3), "content 12"),
      Case("fails on page 7", "/pages/link?total=9&fail=7", .link, "status 500", says: "page 7 is broken"),
      Case("fails on page 7, by URL", "/pages/next?total=9&fail=7", .nextURL(next), "status 500"),
      Case("turns back", "/pages/link?loop=3", .link, "paging", says: "leads back"),
      Case("cursor turns back", "/pages/cursor?loop=3", cursor, "paging", says: "leads back"),
      Case("another host", "/pages/foreign", .nextURL(next), "paging", says: "http://example.invalid"),
      Case(
        "parameter not heeded",
        "/pages/same",
        .page(parameter: "page", start: 1, size: nil),
        "paging",
        says: "does not heed"
      ),
      Case("page limit", "/pages/link?total=9", .link, "content 6") { $0.maxPages = 2 },
      Case("item limit", "/pages/link?total=9", .link, "content 9") { $0.maxItems = 7 },
      Case("byte limit", "/pages/link?total=9", .link, "paging", says: "maxBytes") { $0.maxBytes = 300 },
    ]
  }

  @Test func styles() async throws {
    let client = try TransferClient()
    for test in try Self.cases() {
      let source = try Source.onRequest(Self.upstream.get().base + test.path, client: client) {
        $0.paging = test.paging
        $0.items = try Expression("data")
      }
      let update = await source.refreshed()
      #expect(update.word == test.expected, "\(test.name): \(update)")
      #expect(update.error?.detail.contains(test.says) ?? true, "\(test.name): \(update)")
      #expect(update.content?.isTruncated ?? false == test.name.contains("page limit") || test.name == "item limit")
    }
  }

  @Test func pagesAreRevalidatedOneByOne() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/pages/link?tag=1", client: client) {
      $0.paging = PagingDefinition(style: .link)
      $0.items = try Expression("data")
    }
    #expect(await source.refreshed().word == "content 12")
    #expect(await source.refreshed().word == "unchanged")
    let log = try #require(try await upstream.log(client)["log"])
    guard case .array(let requests) = log else { return #expect(Bool(false)) }
    #expect(requests.count == 8)
    #expect(requests.suffix(4).allSatisfy { $0["headers"]?["if-none-match"] != nil })
  }

  /// Page 2 fails after page 1 changed: nothing changes, and later the change comes whole.
  @Test func neverHalfARefresh() async throws {
    let client = try TransferClient()
    let base = try Self.upstream.get().base
    let recorder = Recorder<String>()
    let source = try Source.onRequest(
      base + "/pages/${$params.style}?total=9&fail=7",
      client: client,
      context: FetchContext(parameters: ["style": "link"]),
      recorder: recorder
    ) {
      $0.paging = PagingDefinition(style: .link)
      $0.items = try Expression("data")
    }
    #expect(await source.refreshed().word == "status 500")
    #expect(await source.refreshed().word == "status 500")
    #expect(recorder.elements == ["status 500", "status 500"])
  }
}

@Suite(.serialized) struct FanOutTests {
  static func source(
    _ upstream: MisbehavingUpstream,
    _ client: TransferClient,
    ids: String = "/ids",
    each: String = "",
    limit: Int = 500
  ) throws -> Source {
    let template = try Template(text: "\(upstream.base)/each/${$item}\(each)")
    return try Source.onRequest(upstream.base + ids, client: client) {
      var fanOut = FanOutDefinition(url: template)
      fanOut.concurrency = 3
      fanOut.limit = limit
      $0.each = fanOut
    }
  }

  @Test func itemsInOrderAndCached() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Self.source(upstream, client, each: "?ms=5")
    let content = try #require(await source.refreshed().content)
    #expect(content.itemCount == 20)
    let ids = try content.bodies.map { try JSONValue(parsing: $0)["id"] }
    #expect(ids == (1...20).map { .integer($0) })
    #expect(await source.refreshed().isUnchanged)
    let state = try await upstream.log(client)
    guard case .array(let requests)? = state["log"] else { return #expect(Bool(false)) }
    #expect(requests.count == 42)
    #expect(requests.suffix(20).allSatisfy { $0["headers"]?["if-none-match"] != nil })
    #expect(state["peak"] == .integer(3), "as many at once as `concurrency` says")
  }

  @Test func oneThatFailsFailsAll() async throws {
    let upstream = try MisbehavingUpstream()
    let update = try await Self.source(upstream, TransferClient(), each: "?fail=13").refreshed()
    #expect(update.word == "status 500")
  }

  @Test func oneThatIsGoneIsLeftOut() async throws {
    let upstream = try MisbehavingUpstream()
    let content = try #require(await Self.source(upstream, TransferClient(), each: "?gone=13").refreshed().content)
    #expect(content.bodies.count == 19)
  }

  @Test func limit() async throws {
    let upstream = try MisbehavingUpstream()
    let content = try #require(await Self.source(upstream, TransferClient(), limit: 4).refreshed().content)
    #expect(content.bodies.count == 4)
    #expect(content.isTruncated)
  }
}
