import Foundation
import JSON
import TestSupport
import Testing

/// One changeset for a pair of versions, however many ask for it, and however they ask.
@Suite struct SharedReplyTests {
  private func changesets(_ service: ServiceProcess) throws -> Int {
    try service.metric("table_changesets_total{table=\"issues\"}")
  }

  @Test func whoeverWaitsAndWhoeverComesLateGetsTheSameBytes() throws {
    let upstream = try ScriptedUpstream(.array((0..<60).map { issue($0) }))
    let service = try ServiceProcess(issues(upstream))
    var mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let before = mirror.cursor
    let counted = try changesets(service)
    let codings = ["gzip", "deflate", "zstd", "identity"]
    let polls = try (0..<24).map { number in
      try service.poll("issues", after: before, wait: 40 + number % 4, ["Accept-Encoding": codings[number % 3]])
    }
    let stream = try service.client()
    try stream.send("GET", "/v1/tables/issues/stream?after=\(before)")
    _ = try stream.receiveHead("the stream's head")
    upstream.answer(.array((0..<60).map { issue($0, "open", $0 % 3 == 0 ? "Changed \($0)" : nil) }))

    var replies = try polls.map { try $0.value() }
    try mirror.apply(replies[0].json)
    // Late, and all at once.
    let late = try (0..<24).map { number in
      try service.poll("issues", after: before, wait: 50 + number % 4, ["Accept-Encoding": codings[number % 3]])
    }
    replies += try late.map { try $0.value() }
    try mirror.check(equals: service.snapshot("issues"))
    for (number, reply) in replies.enumerated() {
      let coding = codings[number % 3]
      #expect(reply["Content-Encoding"] == (coding == "identity" ? "" : coding))
      #expect(try reply.content == replies[0].content)
      #expect(reply.body == replies[number % 3].body, "compressed once for each coding")
      let wait = (number < 24 ? 40 : 50) + number % 4
      #expect(reply["Link"] == "</v1/tables/issues/changes?after=\(mirror.cursor)&wait=\(wait)>; rel=\"next\"")
    }
    let event = try stream.receiveChunk("an event")
    #expect(event.contains("data: \(String(decoding: try replies[0].content, as: UTF8.self))\n"))
    #expect(try changesets(service) == counted + 1)
  }

  /// Polls with the same bytes are one object in the service: who goes takes nothing from those who stay.
  @Test func ofThoseWhoAskTheSameOneGoes() throws {
    let upstream = try ScriptedUpstream(.array([issue(1)]))
    let service = try ServiceProcess(issues(upstream))
    let mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let polls = try (0..<6).map { _ in try service.poll("issues", after: mirror.cursor, wait: 50) }
    var leaving: HTTPClient? = try service.client()
    try leaving?.send("GET", "/v1/tables/issues/changes?after=\(mirror.cursor)&wait=50")
    try service.awaitPolls(7)
    leaving = nil
    try service.awaitMetric("waiting_polls", 6)
    upstream.answer(.array([issue(1, "open", "Changed")]))

    let replies = try polls.map { try $0.value() }
    var changed = mirror
    try changed.apply(replies[0].json)
    try changed.check(equals: service.snapshot("issues"))
    #expect(replies.allSatisfy { $0.body == replies[0].body && $0["Link"] == replies[0]["Link"] })
    #expect(Set(replies.map { $0["X-Request-ID"] }).count == 6)
    #expect(try service.metric("waiting_polls") == 0)
  }
}
