import Definitions
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

@Suite(.serialized) struct PagingTests {
  static let upstream = Result { try MisbehavingUpstream() }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let path: String
    let paging: PagingDefinition
    let maxItems: Int
    let whenMore: UpstreamDefinition.ExcessMeaning
    let expected: String
    var says = ""
    var testDescription: String { name }

    init(
      _ name: String,
      _ path: String,
      _ style: PagingDefinition.Style,
      _ expected: String,
      says: String = "",
      maxItems: Int = 100_000,
      whenMore: UpstreamDefinition.ExcessMeaning = .truncate,
      _ change: (inout PagingDefinition) -> Void = { _ in }
    ) {
      var paging = PagingDefinition(style: style)
      change(&paging)
      (self.name, self.path, self.paging, self.expected, self.says) = (name, path, paging, expected, says)
      (self.maxItems, self.whenMore) = (maxItems, whenMore)
    }
  }

  static func cases() throws -> [Case] {
    let next = try Expression("next")
    let page = PagingDefinition.Style.page(parameter: "page", start: 1, size: nil)
    let full = PagingDefinition.Style.page(parameter: "page", start: 1, size: 3)
    let count = try Expression("count")
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
      Case("item limit", "/pages/link?total=9", .link, "content 7", maxItems: 7),
      Case("item limit at a page's end", "/pages/link?total=9", .link, "content 6", maxItems: 6),
      Case("as many as may be", "/pages/link", .link, "content 12", maxItems: 12),
      // Where pages are counted, only the one after the last tells that it was the last.
      Case("as many pages as may be", "/pages/page", page, "content 12", whenMore: .fail) { $0.maxPages = 4 },
      Case("as many by page as may be", "/pages/page", page, "content 12", maxItems: 12, whenMore: .fail),
      Case("and no page behind them", "/pages/page?fail=5&status=404", page, "content 12") { $0.maxPages = 4 },
      Case("and none that can be", "/pages/page?fail=5&status=422", page, "content 12", maxItems: 12),
      // Some upstreams answer with the last page for all numbers behind it.
      Case("the last page again", "/pages/page?last=1", page, "content 12"),
      Case("the last of two full pages again", "/pages/page?total=2&last=1", full, "content 6"),
      Case("the last one by offset", "/pages/offset?last=1", .offset(parameter: "offset", size: 3), "content 12"),
      Case("the last page at a limit", "/pages/page?last=1", page, "content 12", whenMore: .fail) { $0.maxPages = 4 },
      Case("the only page again", "/pages/page?total=1&last=1", page, "paging", says: "does not heed"),
      Case("the only page by its count", "/pages/page?total=1&last=1&count=3", page, "content 3") { $0.total = count },
      Case("a page again before the end", "/pages/page?last=1&count=13", page, "paging", says: "are the same") {
        $0.total = count
      },
      // It is not known then whether there is more.
      Case("page limit, and an error behind", "/pages/page?fail=5&status=500", page, "content 12") { $0.maxPages = 4 },
      Case("page limit, and a pause behind", "/pages/page?fail=5&status=429", page, "content 12") { $0.maxPages = 4 },
      Case("item limit, and no access behind", "/pages/page?fail=5&status=403", page, "content 12", maxItems: 12),
      Case("all or an error", "/pages/page?fail=5&status=500", page, "status 500", maxItems: 12, whenMore: .fail),
      // At an exact multiple the page behind the last is asked for, and many upstreams say that it isn't there.
      Case("no page behind the last", "/pages/page?fail=5&status=404", page, "content 12"),
      Case("a refusal of the page behind the last", "/pages/page?fail=5&status=400", page, "content 12"),
      Case("none behind full pages", "/pages/page?fail=5&status=404", full, "content 12"),
      Case("none at an offset", "/shift-end?end=404", .offset(parameter: "offset", size: 3), "content 12"),
      Case("none behind a short page", "/shift-short?n=11&end=404", page, "content 11"),
      Case("no first page", "/pages/page?fail=1&status=404", page, "status 404"),
      Case("a page that is forbidden", "/pages/page?fail=3&status=403", page, "status 403"),
      Case("a page behind the last that breaks", "/pages/page?fail=5&status=500", full, "status 500"),
      Case("no page behind a link", "/pages/link?fail=3&status=404", .link, "status 404"),
      Case("item limit by page", "/pages/page", page, "content 6", maxItems: 6),
      Case("page limit by offset", "/pages/offset", .offset(parameter: "offset", size: 3), "content 6") {
        $0.maxPages = 2
      },
      Case("one too many by page", "/pages/page", page, "excess", says: "`maxItems`", maxItems: 11, whenMore: .fail),
      Case("too many", "/pages/link", .link, "excess", says: "`maxItems`", maxItems: 7, whenMore: .fail),
      Case("too many pages", "/pages/link", .link, "excess", says: "`maxPages`", whenMore: .fail) { $0.maxPages = 2 },
      Case("header", "/pages/header", .header("Next-Page"), "content 12"),
      Case(
        "header to another host",
        "/pages/header?foreign=1",
        .header("next-page"),
        "paging",
        says: "example.invalid"
      ),
      Case("a header that isn't there", "/pages/link", .header("Next-Page"), "content 3"),
      Case("byte limit", "/pages/link?total=9", .link, "excess", says: "maxBytes") { $0.maxBytes = 300 },
    ]
  }

  @Test func styles() async throws {
    let client = try TransferClient()
    for test in try Self.cases() {
      let source = try Source.onRequest(Self.upstream.get().base + test.path, client: client) {
        $0.paging = test.paging
        $0.items = try Expression("data")
        ($0.maxItems, $0.whenMore) = (test.maxItems, test.whenMore)
      }
      let update = await source.refreshed()
      #expect(update.word == test.expected, "\(test.name): \(update)")
      #expect(update.error?.detail.contains(test.says) ?? true, "\(test.name): \(update)")
      let isCut = update.content?.isTruncated ?? false
      #expect(isCut == (test.name.hasPrefix("page limit") || test.name.hasPrefix("item limit")), "\(test.name)")
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

  /// As GraphQL has it: every page has the same URL.
  @Test func cursorInTheBody() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/pages/body", client: client) {
      $0.method = "POST"
      $0.body = try Template(
        .object([.init(name: "first", value: 3), .init(name: "after", value: .string("${$cursor}"))])
      )
      $0.paging = PagingDefinition(style: .cursor(try Expression("meta.cursor"), parameter: nil))
      $0.items = try Expression("data")
    }
    #expect(await source.refreshed().word == "content 12")
    guard case .array(let log)? = try await upstream.log(client)["log"] else { return #expect(Bool(false)) }
    #expect(log.first?["body"] == .string(#"{"first":3,"after":null}"#))
    #expect(log.last?["body"] == .string(#"{"first":3,"after":"c4"}"#))
    #expect(await source.refreshed().isUnchanged)
    #expect(source.figures.pages == 8)
  }

  /// So it can be in a header.
  @Test func cursorInAHeader() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    let source = try Source.onRequest(upstream.base + "/pages/in-header", client: client) {
      $0.headers = [("X-After", try Template(text: "${$cursor}"))]
      $0.paging = PagingDefinition(style: .cursor(try Expression("meta.cursor"), parameter: nil))
      $0.items = try Expression("data")
    }
    let update = await source.refreshed()
    #expect(update.word == "content 12", "\(update)")
    #expect(await source.refreshed().isUnchanged)
    #expect(source.figures.pages == 8)
  }

  /// A source without paging, whose upstream has more pages: said once.
  @Test(arguments: [("link", "Link"), ("header", "Next-Page"), ("next", "`next`")])
  func pagesThatNobodyAskedFor(_ style: String, _ says: String) async throws {
    let client = try TransferClient()
    let notices = Recorder<SourceNotice>()
    let base = try Self.upstream.get().base
    let source = try Source.onRequest("\(base)/pages/\(style)", client: client, notices: notices) {
      $0.items = try Expression("data")
    }
    for _ in 0..<3 { _ = await source.refreshed() }
    #expect(notices.elements.count == 1 && notices.elements[0].description.contains(says), "\(notices.elements)")
  }

  @Test func aLimitHoldsWithoutPagingToo() async throws {
    let client = try TransferClient()
    let notices = Recorder<SourceNotice>()
    let base = try Self.upstream.get().base
    let source = try Source.onRequest("\(base)/items?n=50", client: client, notices: notices) { $0.maxItems = 20 }
    let content = try #require(await source.refreshed().content)
    #expect(content.isTruncated && content.itemCount == 20)
    #expect(try JSONValue(parsing: content.bodies[0])[list: 20] == nil)
    #expect(await source.refreshed().isUnchanged)
    #expect(notices.elements == [.truncated(items: 20, limit: "maxItems")])
    #expect(source.figures.isTruncated)
    let computed = try Source.onRequest("\(base)/items?n=50", client: client) {
      $0.maxItems = 20
      $0.items = try Expression("$response | sort(id)")
    }
    #expect(await computed.refreshed().error?.detail.contains("can't be cut") == true)
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

extension JSONValue {
  fileprivate subscript(list index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
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

  /// The list's own members stay beside what each request brings.
  @Test func answersJoinTheirElements() async throws {
    let upstream = try MisbehavingUpstream()
    let client = try TransferClient()
    for (path, url, first) in [
      ("/items", "${$item.id}", #"{"id":1,"title":"item 1","detail":{"id": 1, "title": "item"}}"#),
      ("/ids", "${$item}", #"{"item":1,"detail":{"id": 1, "title": "item"}}"#),
      // A byte order mark is no part of what is joined.
      ("/ids", "${$item}?mark=1", #"{"item":1,"detail":{"id": 1, "title": "item"}}"#),
    ] {
      let source = try Source.onRequest(upstream.base + path, client: client) {
        $0.each = FanOutDefinition(url: try Template(text: "\(upstream.base)/each/\(url)"))
        $0.each?.name = "detail"
      }
      let content = try #require(await source.refreshed().content)
      #expect(String(decoding: content.bodies[0], as: UTF8.self) == first)
      #expect(await source.refreshed().isUnchanged)
    }
  }
}
