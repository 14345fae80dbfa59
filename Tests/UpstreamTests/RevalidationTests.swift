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
}
