import Foundation
import JSON
import TestSupport
import Testing

/// What is shown for a source that has no answer to show.
@Suite struct KeptRowsTests {
  @Test func rowsStayUntilAChangedSourceHasAnswered() throws {
    let upstream = try ScriptedUpstream { $0.target == "/issues" ? .json([issue(1)]) : .silence }
    let service = try ServiceProcess(issues(upstream))
    var mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    let wrapped = issues(upstream).replacingOccurrences(of: "/issues\"", with: "/wrapped\", items: \"${items}\"")
    try service.folder.write(wrapped)
    service.signal(SIGHUP)
    try service.logged("was read again")
    #expect(try service.mirror("issues").rows == ["1"])
    #expect(try service.snapshot("issues")["state"] == "ready")
    #expect(try service.request("GET", "/v1/tables/issues/items/1").json == issue(1))
    upstream.answer(["items": [issue(1), issue(2)]])
    mirror = try service.follow("issues", from: mirror, until: "has the new row") { $0.rows == ["1", "2"] }
    #expect(mirror.state == "ready" && mirror.resets.isEmpty)
    upstream.answer(["other": []])
    mirror = try service.follow("issues", from: mirror, until: "is stale") { $0.state == "stale" }
    #expect(mirror.rows == ["1", "2"])
    try mirror.check(equals: service.snapshot("issues"))
  }

  @Test func aSectionWhoseSourceIsDownKeepsItsRowsOverARestart() throws {
    let folder = try TemporaryFolder()
    let upstream = try ScriptedUpstream { .json([["id": .string("\($0.target) 1")]]) }
    let configuration = """
      store: {path: "{folder}/data.sqlite"}
      sources:
        a: {url: "\(upstream.url)/a", every: 50ms, retries: 0}
        b: {url: "\(upstream.url)/b", every: 50ms, retries: 0}
      tables:
        t:
          row: {id: "${id}"}
          source: a
          sections: [{id: a}, {id: b, source: b}]
      """
    let first = try ServiceProcess(configuration, in: folder)
    try first.follow("t", until: "has both") { $0.rows == ["/a 1", "/b 1"] }
    #expect(try first.end() == 0)
    upstream.script { $0.target == "/a" ? .json([["id": "/a 2"]]) : .status(500, "down") }
    let second = try ServiceProcess(configuration, in: folder)
    let mirror = try second.follow("t", until: "has what is new") { $0.rows == ["/a 2", "/b 1"] }
    #expect(mirror.state == "stale")
    upstream.script { $0.target == "/a" ? .json([["id": "/a 2"]]) : .json([]) }
    let settled = try second.follow("t", from: mirror, until: "is ready") { $0.state == "ready" }
    #expect(settled.rows == ["/a 2"] && settled.attributes["problem"] == .null)
  }

  @Test func whatNeverWorkedIsLoadingAgainAfterARestart() throws {
    let folder = try TemporaryFolder()
    let upstream = try ScriptedUpstream { _ in .status(500, "down") }
    let configuration = issues(upstream).replacingOccurrences(
      of: "store: memory",
      with: "store: {path: \"{folder}/data.sqlite\"}"
    )
    let first = try ServiceProcess(configuration, in: folder)
    try first.follow("issues", until: "failed") { $0.state == "failed" }
    #expect(try first.end() == 0)
    upstream.answer(.silence)
    let second = try ServiceProcess(configuration, in: folder)
    #expect(try second.snapshot("issues")["state"] == "loading")
  }
}
