import Foundation
import JSON
import TestSupport
import Testing

/// What is being fetched while the configuration is read again.
@Suite struct ReloadFetchTests {
  private static func configuration(
    _ upstream: ScriptedUpstream,
    _ path: String = "items",
    title: String = "Items",
    tables: [String] = ["items"]
  ) -> String {
    """
    store: memory
    sources:
      items: {url: "\(upstream.url)/\(path)", every: 1h, retries: 0, timeout: 60s, stallTimeout: 60s}
      found: {url: "\(upstream.url)/\(path)/${$params.q}", every: 1h, retries: 0, timeout: 60s, stallTimeout: 60s}
    tables:
      \(tables.map { "\($0): {source: items, title: \"\(title)\", row: {id: \"${id}\"}}" }.joined(separator: "\n  "))
      family:
        source: found
        title: "\(title)"
        row: {id: "${id}"}
        parameters: {q: {pattern: "[a-z]+"}}
    """
  }

  /// Answers with one item, once it may.
  private final class Upstream: Sendable {
    let id = Monitor("1")
    let isHeld = Monitor(false)
    let server: ScriptedUpstream

    init() throws {
      let (id, isHeld) = (id, isHeld)
      server = try ScriptedUpstream { _ in
        _ = try? isHeld.wait(for: "its turn") { $0 ? nil : true }
        return .json([["id": .string(id.current)]])
      }
    }

    func count(_ path: String) -> Int { server.requests.current.count { $0.target == path } }

    func awaitRequests(_ path: String, _ count: Int) throws {
      try server.requests.wait(for: "\(count) requests for \(path)") { requests in
        requests.count { $0.target == path } >= count ? true : nil
      }
    }

    func release(_ id: String) {
      self.id.change { $0 = id }
      isHeld.change { $0 = false }
    }
  }

  private static func read(_ service: ServiceProcess, _ configuration: String) throws {
    let count: @Sendable ([String]) -> Int = { $0.count { $0.contains("was read again") } }
    let before = count(service.log.current)
    try service.folder.write(configuration)
    service.signal(SIGHUP)
    try service.log.wait(for: "another reading") { count($0) > before ? true : nil }
  }

  private static let refreshes = [
    ("items", "tables/items", "items"), ("items", "sources/items", "items"),
    ("family;q=a", "tables/family;q=a", "items/a"), ("family;q=a", "sources/found", "items/a"),
  ]

  /// A table that is ready, and a refresh of it or its source that the upstream keeps waiting.
  ///
  /// - Returns: with how often the upstream was asked before.
  private static func refreshing(_ table: String, _ refreshed: String, _ path: String) throws
    -> (Upstream, ServiceProcess, Int, Background<Reply>)
  {
    let upstream = try Upstream()
    let service = try ServiceProcess(Self.configuration(upstream.server))
    try service.follow(table, until: "is ready") { $0.state == "ready" }
    let before = upstream.count("/\(path)")
    upstream.isHeld.change { $0 = true }
    let refresh = Background("the refresh") { try service.request("POST", "/v1/\(refreshed)/refresh") }
    try upstream.awaitRequests("/\(path)", before + 1)
    return (upstream, service, before, refresh)
  }

  /// A refresh is answered when it is done, whatever is read meanwhile; and it is the same request that goes on.
  @Test(arguments: Self.refreshes) func aRefreshOutlivesAReload(_ table: String, _ refreshed: String, _ path: String)
    throws
  {
    let (upstream, service, before, refresh) = try Self.refreshing(table, refreshed, path)
    for title in ["Items", "Others", "Others"] {
      try Self.read(service, Self.configuration(upstream.server, title: title))
    }
    upstream.release("2")
    let reply = try refresh.value()
    let mirror = try service.mirror(table)
    #expect(reply.status == 200 && mirror.rows == ["2"] && mirror.attributes["title"] == "Others", "\(reply.text)")
    if refreshed.hasPrefix("tables") { #expect(try reply.json["cursor"]?.text == mirror.cursor) }
    #expect(upstream.count("/\(path)") == before + 1, "it goes on")
  }

  /// Where another URL is asked by then, it is answered when that one has been.
  @Test(arguments: Self.refreshes) func aRefreshOverAnotherURL(_ table: String, _ refreshed: String, _ path: String)
    throws
  {
    let (upstream, service, _, refresh) = try Self.refreshing(table, refreshed, path)
    try Self.read(service, Self.configuration(upstream.server, "other"))
    let other = path.replacingOccurrences(of: "items", with: "other")
    try upstream.awaitRequests("/\(other)", 1)
    upstream.release("3")
    let reply = try refresh.value()
    let mirror = try service.mirror(table)
    #expect(reply.status == 200 && mirror.rows == ["3"], "\(reply.text)")
    if refreshed.hasPrefix("tables") {
      #expect(try reply.json["cursor"]?.text == mirror.cursor)
    } else {
      #expect(try reply.json["state"] == "ready" && reply.json["last"]?.elements.count == 1)
    }
    #expect(upstream.count("/\(other)") == 1)
  }

  /// However often the configuration is read: a source that takes longer is read in the end.
  @Test(arguments: [("items", "/items"), ("family;q=a", "/items/a")])
  func aSourceSlowerThanReloads(_ table: String, _ target: String) throws {
    let upstream = try Upstream()
    upstream.isHeld.change { $0 = true }
    let service = try ServiceProcess(Self.configuration(upstream.server))
    let client = try service.client()
    try client.send("GET", "/v1/tables/\(table)")
    try upstream.awaitRequests(target, 1)
    for number in 0..<6 { try Self.read(service, Self.configuration(upstream.server, title: "\(number / 2)")) }
    upstream.release("4")
    let mirror = try service.follow(table, until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["4"] && mirror.attributes["title"] == "2")
    #expect(upstream.count(target) == 1, "it is asked once")
  }

  /// A table goes, and another one that shows the same is left: that one is shown what is being fetched.
  @Test func aRefreshOfATableThatGoes() throws {
    let upstream = try Upstream()
    let service = try ServiceProcess(Self.configuration(upstream.server, tables: ["items", "more"]))
    for table in ["items", "more"] { try service.follow(table, until: "is ready") { $0.state == "ready" } }
    upstream.isHeld.change { $0 = true }
    let before = upstream.count("/items")
    let refresh = Background("the refresh") { try service.request("POST", "/v1/tables/more/refresh") }
    try upstream.awaitRequests("/items", before + 1)
    try Self.read(service, Self.configuration(upstream.server))
    upstream.release("5")
    #expect(try refresh.value().status == 404)
    try service.follow("items", until: "shows it") { $0.rows == ["5"] }
    #expect(upstream.count("/items") == before + 1)
    // One that comes has heard nothing of it.
    try Self.read(service, Self.configuration(upstream.server, tables: ["items", "more"]))
    try service.follow("more", until: "shows it too") { $0.rows == ["5"] && $0.state == "ready" }
  }
}
