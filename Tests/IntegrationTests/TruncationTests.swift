import Foundation
import JSON
import TestSupport
import Testing

/// What is cut off at `maxItems` or `maxPages` is seen: in the table, in the log, in a metric.
@Suite struct TruncationTests {
  private static func configuration(_ upstream: ScriptedUpstream, _ source: String) -> String {
    """
    store: {path: "{folder}/store.sqlite"}
    sources:
      items: {url: "\(upstream.url)/items", every: 50ms, retries: 0, \(source)}
    tables:
      t: {source: items, row: {id: "${number}"}, cell: TableViewCellWithLabel, payload: {title: "${title}"}}
    """
  }

  @Test func aCutListSaysSoUntilItIsWhole() throws {
    let upstream = try ScriptedUpstream([issue(1), issue(2), issue(3)])
    let service = try ServiceProcess(Self.configuration(upstream, "maxItems: 2"))
    var mirror = try service.follow("t", until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["1", "2"])
    #expect(try service.snapshot("t")["truncated"] == true)
    #expect(try service.metric("table_truncated{table=\"t\"}") == 1)
    try service.logged("maxItems")
    // A window is woken for it, though its rows stay: the list is whole now.
    let window = try service.mirror("t", query: "?rows=1")
    let poll = try service.poll("t", after: window.cursor)
    try service.awaitPolls(1)
    upstream.answer([issue(1), issue(2)])
    var narrow = window
    try narrow.apply(poll.value().json)
    #expect(narrow.attributes["truncated"] == .null)
    mirror = try service.follow("t", from: mirror, until: "is whole") { $0.attributes["truncated"] == .null }
    try mirror.check(equals: service.snapshot("t"))
    #expect(mirror.resets.isEmpty)
    #expect(service.log.current.count { $0.contains("maxItems") } == 1, "said once")
  }

  /// What a client was told outlives the process with the version.
  @Test func aRestartKnowsIt() throws {
    let folder = try TemporaryFolder()
    let upstream = try ScriptedUpstream([issue(1), issue(2), issue(3)])
    var mirror: TableMirror
    do {
      let service = try ServiceProcess(Self.configuration(upstream, "maxItems: 2"), in: folder)
      mirror = try service.follow("t", until: "is ready") { $0.state == "ready" }
      service.signal(SIGKILL)
    }
    upstream.answer(.status(500, "{}"))
    let service = try ServiceProcess(Self.configuration(upstream, "maxItems: 2"), in: folder)
    mirror = try service.follow("t", from: mirror, until: "has heard of the upstream") {
      $0.state == "stale" && $0.attributes["problem"]?["title"] != "Not refreshed yet"
    }
    #expect(mirror.attributes["truncated"] == true)
    try mirror.check(equals: service.snapshot("t"))
  }

  @Test func asConfiguredItIsAFailedFetch() throws {
    let upstream = try ScriptedUpstream([issue(1), issue(2), issue(3)])
    let service = try ServiceProcess(Self.configuration(upstream, "maxItems: 2, whenMore: fail"))
    let mirror = try service.follow("t", until: "has failed") { $0.state == "failed" }
    #expect(mirror.rows.isEmpty)
  }

  /// An upstream that names a further page to a source without `paging` is not passed over in silence.
  @Test func aFurtherPageThatNobodyReadsIsWarnedOf() throws {
    let upstream = try ScriptedUpstream([])
    upstream.answer { _ in .reply(200, ["Link": "</items?page=2>; rel=\"next\""], [issue(1)]) }
    let service = try ServiceProcess(Self.configuration(upstream, "maxAge: 1s"))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    try service.logged("further page")
  }
}
