import Foundation
import JSON
import TestSupport
import Testing

/// A list of issues with a state and a title, as many upstreams have them.
func issue(_ id: Int, _ state: String = "open", _ title: String? = nil) -> JSONValue {
  ["number": .integer(Int64(id)), "state": .string(state), "title": .string(title ?? "Issue \(id)")]
}

/// Issues of an upstream in sections by their state.
func issues(_ upstream: ScriptedUpstream, every: String = "50ms", extra: String = "") -> String {
  """
  store: memory
  \(extra)
  sources:
    issues: {url: "\(upstream.url)/issues", every: \(every), timeout: 30s, retries: 0}
  cells:
    SectionTitle: {fields: {title: string}}
    Label: {nib: Label, fields: {title: string}}
  tables:
    issues:
      title: Issues
      source: issues
      row: {id: "${number}"}
      cell: Label
      payload: {title: "${title}"}
      sections:
        groupBy: state
        header: {cell: SectionTitle, payload: {title: "${$key} (${$count})"}}
  """
}

@Suite struct MainPathTests {
  @Test func aSnapshotHasWhatTheUpstreamHas() throws {
    let upstream = try ScriptedUpstream([issue(1), issue(2, "closed"), issue(3)])
    let service = try ServiceProcess(issues(upstream))
    let mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    #expect(mirror.sections.map(\.id) == ["open", "closed"])
    #expect(mirror.rows == ["1", "3", "2"])
    #expect(mirror.sections[0].header["payload"]?["title"] == "open (2)")
    #expect(mirror.row("3")?["payload"] == ["title": "Issue 3"])
    #expect(mirror.row("3")?["can"] == ["edit": false, "move": false, "select": true])
    let snapshot = try service.snapshot("issues")
    #expect(snapshot["counts"] == ["sections": 2, "rows": 3, "omittedSections": 0, "skippedItems": 0])
    let list = try service.request("GET", "/v1/tables").json
    #expect(list["tables"]?.elements.first?["cursor"]?.text == mirror.cursor)
    #expect(list["tables"]?.elements.first?["rows"] == 3)
  }

  @Test func aChangeUpstreamWakesTheLongPoll() throws {
    let upstream = try ScriptedUpstream([issue(1), issue(2)])
    let service = try ServiceProcess(issues(upstream))
    var mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let poll = try service.poll("issues", after: mirror.cursor)
    upstream.answer([issue(2, "open", "Changed"), issue(1), issue(3, "closed")])
    let reply = try poll.value()
    #expect(reply.status == 200)
    #expect(reply["Cache-Control"] == "no-store")
    try mirror.apply(reply.json)
    #expect(mirror.rows == ["2", "1", "3"])
    #expect(mirror.resets.isEmpty)
    try mirror.check(equals: service.snapshot("issues"))
    #expect(reply["Link"] == "</v1/tables/issues/changes?after=\(mirror.cursor)&wait=50>; rel=\"next\"")
  }

  /// Fifty random states of the upstream, followed by clients of every content coding at once.
  @Test(arguments: [1, 2] as [UInt64])
  func mirrorsFollowRandomChanges(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let upstream = try ScriptedUpstream([issue(0)])
    let service = try ServiceProcess(issues(upstream, every: "20ms"))
    let start = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let followers = ["gzip", "deflate", "zstd", "identity", "gzip;q=0.5, deflate"].map { coding in
      Background("the last state, with \(coding)") { [start] in
        try service.follow("issues", ["Accept-Encoding": coding], from: start, until: "has the last state") {
          $0.rows.contains("999")
        }
      }
    }
    var items: [JSONValue] = []
    for round in 0..<50 {
      items = random.changed(items, round)
      upstream.answer(.array(items))
      let fetched = upstream.requests.current.count
      try upstream.requests.wait(for: "fetch \(round)") { $0.count > fetched ? true : nil }
    }
    upstream.answer(.array(items + [issue(999, "last")]))
    for follower in followers {
      let mirror = try follower.value()
      try mirror.check(equals: service.snapshot("issues"))
      #expect(Set(mirror.resets).isSubset(of: ["large"]), "seed \(seed)")
    }
  }
}

extension SeededGenerator {
  /// A list with some items gone, moved, changed and added.
  fileprivate mutating func changed(_ items: [JSONValue], _ round: Int) -> [JSONValue] {
    var items = items.filter { _ in Int.random(in: 0..<6, using: &self) > 0 }
    for index in items.indices where Int.random(in: 0..<5, using: &self) == 0 {
      let states = ["open", "closed", "draft", "merged"]
      items[index]["state"] = .string(states[Int.random(in: 0..<4, using: &self)])
      items[index]["title"] = .string("Title \(round) \u{1F600} \"\\")
    }
    for number in 0..<Int.random(in: 0..<8, using: &self) {
      items.insert(issue(1000 + round * 10 + number), at: Int.random(in: 0...items.count, using: &self))
    }
    if items.count > 1, Int.random(in: 0..<3, using: &self) == 0 { items.swapAt(0, items.count - 1) }
    return items
  }
}
