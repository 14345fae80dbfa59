import Definitions
import Expressions
import JSON
import TestSupport
import Testing

@testable import Upstream

/// Lists that change while their pages are read.
@Suite(.serialized) struct ShiftingPagesTests {
  static func source(
    _ upstream: MisbehavingUpstream,
    _ path: String,
    _ style: PagingDefinition.Style = .page(parameter: "page", start: 1, size: 3),
    notices: Recorder<SourceNotice>? = nil,
    _ change: (inout UpstreamDefinition) throws -> Void = { _ in }
  ) throws -> Source {
    try Source.onRequest(upstream.base + path, client: try TransferClient(), notices: notices) {
      $0.paging = PagingDefinition(style: style)
      $0.items = try Expression("data")
      $0.identity = try Template("${id}")
      try change(&$0)
    }
  }

  static func ids(_ update: SourceUpdate) throws -> [Int64] {
    try #require(update.content).bodies.flatMap { body -> [Int64] in
      guard case .array(let items)? = try JSONValue(parsing: body)["data"] else { return [] }
      return items.compactMap { if case .integer(let id)? = $0["id"] { id } else { nil } }
    }
  }

  /// The first refresh has five requests, the fifth for the page behind the last.
  @Test func whatOneWalkMissesIsLookedForOnceMore() async throws {
    // Before the seventh request the first item goes: the fourth slips from page 2, which comes next, to page 1.
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?at=7")
    #expect(try await Self.ids(source.refreshed()) == Array(1...12))
    // Of two walks, only the second has missed the first item.
    #expect(try await Self.ids(source.refreshed()) == Array(1...12))
    #expect(try await Self.ids(source.refreshed()) == Array(2...12))
    #expect(await source.refreshed().isUnchanged)
    withExtendedLifetime(upstream) {}
  }

  @Test func whatOnlyTheSecondWalkMissesIsCarriedOver() async throws {
    // Four requests are a walk then, as page 4 is not full: the second walk's third request is the twelfth.
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?at=7,12")
    #expect(try await Self.ids(source.refreshed()) == Array(1...12))
    // The second walk has met 2 before it went; it has missed 8, which has slipped to page 2.
    let ids = try await Self.ids(source.refreshed())
    #expect(ids.contains(8) && Set(ids).isSuperset(of: 3...12), "\(ids)")
    #expect(ids == ids.sorted())
    #expect(try await Self.ids(source.refreshed()) == Array(3...12), "two walks have missed the second")
    #expect(await source.refreshed().isUnchanged)
    withExtendedLifetime(upstream) {}
  }

  /// However a list shrinks while it is read: who is still there is never taken away.
  @Test(arguments: 0..<20) func rowsThatAreThereStay(_ seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    // Fewer than a page has, in any two walks: else an item may slip away twice.
    let deletions = (0..<6).map { 12 + 12 * $0 + Int.random(in: 0...9, using: &random) }
    let path = "/shift-\(seed)?n=30&at=\(deletions.map(String.init).joined(separator: ","))"
    let style: PagingDefinition.Style =
      seed % 2 == 0 ? .page(parameter: "page", start: 1, size: 3) : .offset(parameter: "offset", size: 3)
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, path, style)
    for round in 0..<8 {
      let update = await source.refreshed()
      guard update.content != nil else { continue }
      let ids = try Self.ids(update)
      #expect(Set(ids).isSuperset(of: 9...30), "seed \(seed), round \(round): \(ids)")
      #expect(ids == ids.sorted() && Set(ids).count == ids.count, "seed \(seed), round \(round): \(ids)")
    }
    #expect(await source.refreshed().isUnchanged)
    withExtendedLifetime(upstream) {}
  }

  /// The last item slips to the only other page, and where it stood there is no page any more.
  @Test(arguments: [404, 400]) func aPageThatIsGoneMayHaveLostAnItem(_ status: Int) async throws {
    // The second refresh begins with the third request.
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?n=4&end=\(status)&at=4")
    #expect(try await Self.ids(source.refreshed()) == Array(1...4))
    #expect(try await Self.ids(source.refreshed()) == Array(1...4), "only one walk has missed the first item")
    #expect(try await Self.ids(source.refreshed()) == Array(2...4))
    #expect(await source.refreshed().isUnchanged)
    withExtendedLifetime(upstream) {}
  }

  /// Items that are kept over an empty answer are known in the next refresh.
  @Test func whatIsKeptIsLookedForOnceMore() async throws {
    // The sixth request finds nothing. Before the eighth, for page 2, the first item goes.
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?none=6&at=8") { $0.emptyMeans = .keep }
    #expect(try await Self.ids(source.refreshed()) == Array(1...12))
    #expect(await source.refreshed().isUnchanged)
    #expect(try await Self.ids(source.refreshed()) == Array(1...12), "4 has slipped to page 1")
    withExtendedLifetime(upstream) {}
  }

  @Test func pagesThatDontAddUp() async throws {
    let notices = Recorder<SourceNotice>()
    // From the sixth request on it leaves the rest out.
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?short=6", notices: notices) {
      $0.paging?.total = try Expression("count")
    }
    let whole = try #require(await source.refreshed().content)
    #expect(!whole.isTruncated && whole.itemCount == 12)
    let short = try #require(await source.refreshed().content)
    #expect(short.isTruncated && short.itemCount == 6)
    #expect(notices.elements == [.missed(items: 6, total: 12)])
    #expect(source.figures.missed.map { $0 == (6, 12) } == true)
    let pages = source.figures.pages
    #expect(pages == 5 + 3 + 3, "it was read once more")
    #expect(await source.refreshed().isUnchanged)
    #expect(source.figures.pages == pages + 3, "not again while nothing changes")
    withExtendedLifetime(upstream) {}
  }

  /// What comes pushes others over the limit, and what goes lets them in: neither has slipped between two pages.
  @Test func aListThatIsCutIsNotReadOnceMore() async throws {
    // A walk has three requests, the third for what is behind the limit.
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?at=4") { $0.paging?.maxPages = 2 }
    #expect(try await Self.ids(source.refreshed()) == Array(1...6))
    #expect(try await Self.ids(source.refreshed()) == Array(2...7))
    #expect(source.figures.pages == 2 + 2)
    withExtendedLifetime(upstream) {}
  }

  /// An offset in the body, as a search has it.
  @Test func offsetInTheBody() async throws {
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?end=400", .offset(parameter: nil, size: 3)) {
      $0.method = "POST"
      $0.body = try Template(.object([.init(name: "skip", value: .string("${$cursor}"))]))
    }
    #expect(try await Self.ids(source.refreshed()) == Array(1...12))
    guard case .array(let log)? = try await upstream.log(TransferClient())["log"] else { return #expect(Bool(false)) }
    #expect(log.first?["body"] == .string(#"{"skip":0}"#) && log.last?["body"] == .string(#"{"skip":12}"#))
    withExtendedLifetime(upstream) {}
  }

  /// A refusal may mean that there is more, which can't be had: it is said.
  @Test func aRefusalThatEndsTheListIsSaid() async throws {
    let notices = Recorder<SourceNotice>()
    let upstream = try MisbehavingUpstream()
    let source = try Self.source(upstream, "/shift?end=400", notices: notices)
    #expect(await source.refreshed().word == "content 12")
    #expect(notices.elements.count == 1 && notices.elements[0].description.contains("Invalid page."))
    #expect(source.figures.results["status"] == nil, "it is no failure")
    withExtendedLifetime(upstream) {}
  }
}
