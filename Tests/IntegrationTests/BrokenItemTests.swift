import Foundation
import JSON
import TestSupport
import Testing

/// Answers that are broken inside of an item: lists are cut into items before these are parsed, and an answer is JSON as a
/// whole, or it is none.
@Suite struct BrokenItemTests {
  private static let label = "cells: {Label: {nib: Label, fields: {title: string}}}"

  private static func configuration(_ url: String) -> String {
    """
    store: memory
    \(label)
    sources:
      items: {url: "\(url)/items", every: 50ms, retries: 0}
      users: {url: "\(url)/users", every: 50ms, retries: 0}
      parts: {url: "\(url)/parts", every: 50ms, retries: 0, each: {url: "\(url)/part/${$item}"}}
    tables:
      plain: {source: items, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}
      named:
        source: items
        row: {id: "${id}"}
        cell: Label
        payload: {title: "${$user.name ?? 'nobody'}"}
        lookups: {user: {source: users, key: id, on: id}}
      parts: {source: parts, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}
    """
  }

  /// What is broken, by the path of it.
  private enum Broken: String, CaseIterable {
    case items = "/items"
    case users = "/users"
    case parts = "/part/2"
  }

  private static let whole: [Broken: String] = [
    .items: #"[{"id":1,"title":"One"},{"id":2,"title":"Two"}]"#,
    .users: #"[{"id":1,"name":"Ada"},{"id":2,"name":"Ben"}]"#,
    .parts: #"{"id":2,"title":"Two"}"#,
  ]

  private static let tables: [Broken: (name: String, source: String, titles: [String])] = [
    .items: ("plain", "items", ["One", "Two"]),
    .users: ("named", "users", ["Ada", "Ben"]),
    .parts: ("parts", "parts", ["One", "Two"]),
  ]

  /// What is broken has the entity tag that is the whole one's afterwards, as where a proxy garbled one answer.
  private static func upstream(_ broken: Monitor<Broken?>, _ tags: Monitor<String>) throws -> ScriptedUpstream {
    try ScriptedUpstream { request in
      if request.target == "/parts" { return .json([1, 2]) }
      if request.target == "/part/1" { return .json(["id": 1, "title": "One"]) }
      let path = Broken(rawValue: request.target)
      let isBroken = path == broken.current
      let tag = isBroken ? "\"2\"" : tags.current
      if request.headers["if-none-match"] == tag { return .text(304, ["ETag": tag], "") }
      let text = path.flatMap { whole[$0] } ?? "[]"
      return .text(200, ["ETag": tag], isBroken ? text.replacingOccurrences(of: "2,", with: "2 ") : text)
    }
  }

  @Test(arguments: Broken.allCases.map(\.rawValue)) func oneIsAFailedFetch(_ path: String) throws {
    let what = try #require(Broken(rawValue: path))
    let (name, source, titles) = try #require(Self.tables[what])
    let broken = Monitor<Broken?>(nil)
    let tags = Monitor("\"1\"")
    let upstream = try Self.upstream(broken, tags)
    let service = try ServiceProcess(Self.configuration(upstream.url))
    let ready = try service.follow(name, until: "is ready") { $0.state == "ready" && $0.titles == [titles] }
    broken.change { $0 = what }
    let stale = try service.follow(name, from: ready, until: "is stale") { $0.state == "stale" }
    // The last good rows stay, with the names that they have.
    #expect(stale.titles == [titles])
    let problem = try required(stale.attributes["problem"], "a problem")
    let detail = "What came from `127.0.0.1` is not in the format that was expected."
    #expect(problem["detail"]?.text == detail, "\(problem)")
    try awaited("the source's own problem") {
      let sources = try service.request("GET", "/v1/sources").json["sources"]?.elements ?? []
      return sources.contains { $0["id"]?.text == source && $0["problem"]?["title"]?.text?.contains("JSON") == true }
    }
    #expect(try service.metric("source_refreshes_total{source=\"\(source)\",outcome=\"failed\"}") > 0)
    // Said once, however often it is asked again, and nothing moves.
    let asked = upstream.requests.current.count
    try upstream.requests.wait(for: "some more requests") { $0.count > asked + 10 ? true : nil }
    #expect(try service.mirror(name).cursor == stale.cursor)
    #expect(service.log.current.filter { $0.contains("A source failed") }.count == 1, "\(service.log.current)")
    // Whole again under the tag that the broken one had.
    tags.change { $0 = "\"2\"" }
    broken.change { $0 = nil }
    let good = try service.follow(name, from: stale, until: "is ready again") { $0.state == "ready" }
    #expect(good.titles == [titles] && good.resets == [])
  }
}
