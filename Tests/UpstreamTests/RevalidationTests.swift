import Definitions
import Expressions
import TestSupport
import Testing

@testable import Upstream

/// Pages that are asked for again, and whose answers are as they were.
@Suite(.serialized) struct RevalidationTests {
  /// The last page was full: its bytes stay the same when the list grows by another page, which only its header names.
  @Test(arguments: ["link", "header"]) func aNextPageThatOnlyA304Names(_ style: String) async throws {
    let upstream = try MisbehavingUpstream()
    let source = try Source.onRequest("\(upstream.base)/pages/\(style)?tag=1&grows=4", client: TransferClient()) {
      $0.paging = PagingDefinition(style: style == "link" ? .link : .header("Next-Page"))
      $0.items = try Expression("data")
    }
    #expect(await source.refreshed().word == "content 12")
    #expect(await source.refreshed().word == "content 15")
    #expect(await source.refreshed().isUnchanged)
    withExtendedLifetime(upstream) {}
  }

  /// Only the page behind the bound tells whether there is more. Where it fails, there may be, until that is known.
  @Test func whatIsBehindTheBoundMayBeKnownLater() async throws {
    let upstream = try MisbehavingUpstream()
    let path = "/pages/page?fail=5&status=503&times=1&then=404"
    let source = try Source.onRequest(upstream.base + path, client: TransferClient()) {
      $0.paging = PagingDefinition(style: .page(parameter: "page", start: 1, size: 3))
      $0.paging?.maxPages = 4
      $0.items = try Expression("data")
    }
    let unknown = try #require(await source.refreshed().content)
    #expect(unknown.itemCount == 12 && unknown.isTruncated)
    let known = try #require(await source.refreshed().content)
    #expect(known.itemCount == 12 && !known.isTruncated)
    #expect(await source.refreshed().isUnchanged)
    withExtendedLifetime(upstream) {}
  }

  /// `Last-Modified`, `Date` and `ETag` of an answer, and whether it is asked with the date next time.
  @Test(
    arguments: [
      ("Sat, 21 Nov 2026 01:00:00 GMT", "Sat, 21 Nov 2026 01:00:01 GMT", nil, true),
      ("Sat, 21 Nov 2026 01:00:00 GMT", "Sat, 21 Nov 2026 01:00:00 GMT", nil, false),
      ("Sat, 21 Nov 2026 01:00:00 GMT", "Sat, 21 Nov 2026 00:59:59 GMT", nil, false),
      ("Sat, 21 Nov 2026 01:00:00 GMT", "Sat, 21 Nov 2026 01:00:00 GMT", "\"a\"", true),
      ("yesterday", "Sat, 21 Nov 2026 01:00:00 GMT", nil, false),
      ("Sun, 06 Nov 1994 08:49:37 GMT", nil, nil, true), ("Fri, 31 Dec 9999 23:59:59 GMT", nil, nil, false),
    ] as [(String, String?, String?, Bool)]
  )
  func aDateCountsOnceItsSecondIsOver(_ modified: String, _ date: String?, _ tag: String?, _ isTaken: Bool) throws {
    let url = try #require(UpstreamURL("http://a.test/"))
    let fields: [(String, String?)] = [("Last-Modified", modified), ("Date", date), ("ETag", tag)]
    let headers = fields.compactMap { name, value in value.flatMap { TransferField(name, $0) } }
    var entry = ResponseCache.Entry(page: ResponseCheck.Page(itemCount: 1), url: url)
    entry.takeValidators(of: TransferResponse(status: 200, headers: headers, body: [], url: url))
    #expect(entry.lastModified == (isTaken ? modified : nil))
    // A 304 that says nothing leaves it as it is.
    entry.takeValidators(of: TransferResponse(status: 304, headers: [], body: [], url: url))
    #expect(entry.lastModified == (isTaken ? modified : nil) && entry.entityTag == tag)
  }
}
