import Foundation
import JSON
import TestSupport
import Testing

@Suite struct LifecycleTests {
  @Test func theStatesOfAnUpstream() throws {
    let upstream = try ScriptedUpstream { _ in .silence }
    let service = try ServiceProcess(issues(upstream))
    var mirror = try service.mirror("issues")
    #expect(mirror.state == "loading" && mirror.sections.isEmpty)
    #expect(try service.request("GET", "/readyz").status == 503)
    upstream.answer([])
    mirror = try service.follow("issues", from: mirror, until: "is empty") { $0.state == "empty" }
    upstream.answer([issue(1)])
    mirror = try service.follow("issues", from: mirror, until: "is ready") { $0.state == "ready" }
    #expect(try service.request("GET", "/readyz").status == 200)
    for fault in [ScriptedUpstream.Answer.status(500, "down"), .cutOff, .status(200, "<html>")] {
      upstream.answer(fault)
      mirror = try service.follow("issues", from: mirror, until: "is stale") { $0.state == "stale" }
      #expect(mirror.rows == ["1"])
      let problem = try required(mirror.attributes["problem"], "a problem")
      #expect(problem["title"]?.text?.isEmpty == false && problem["since"]?.text?.isEmpty == false)
      try mirror.check(equals: service.snapshot("issues"))
      upstream.answer([issue(1)])
      mirror = try service.follow("issues", from: mirror, until: "is ready again") { $0.state == "ready" }
      #expect(mirror.attributes["problem"] == .null)
    }
  }

  @Test func aTableThatNeverWorkedFailed() throws {
    let upstream = try ScriptedUpstream { _ in .status(404, "nothing") }
    let service = try ServiceProcess(issues(upstream))
    var mirror = try service.follow("issues", until: "failed") { $0.state == "failed" }
    upstream.answer([issue(1)])
    mirror = try service.follow("issues", from: mirror, until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["1"])
  }

  @Test func whatDoesNotFitIsSkippedAndLogged() throws {
    let upstream = try ScriptedUpstream([
      issue(1), issue(1, "open", "Twice"), ["number": 2, "state": "open", "title": 5],
    ])
    let service = try ServiceProcess(issues(upstream))
    let mirror = try service.follow("issues", until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["1"] && mirror.row("1")?["payload"] == ["title": "Issue 1"])
    #expect(mirror.attributes["counts"]?["skippedItems"] == 2)
    try service.logged("title")
  }

  @Test func aBadConfigurationIsRefusedWithItsPlaces() throws {
    let (status, log) = try ServiceProcess.refused(
      "storee: memory\ntables:\n  a: {source: none, row: {id: \"${id\"}}\n"
    )
    #expect(status == 1)
    #expect(log.contains("tablecast.yaml:2:1: ") && log.contains("tablecast.yaml:4:"), "\(log)")
  }

  @Test func aConfigurationIsReadAgain() throws {
    let service = try ServiceProcess(todo)
    var mirror = try service.mirror("todo")
    let before = mirror.cursor
    try service.folder.write("tables: 5\n")
    service.signal(SIGHUP)
    try service.logged("the old one is kept")
    try service.folder.write(todo)
    service.signal(SIGHUP)
    try service.logged("was read again")
    #expect(try service.mirror("todo").cursor == before)
    let poll = try service.poll("todo", after: before)
    try service.folder.write(todo.replacingOccurrences(of: "title: \"${title}\"", with: "title: \"- ${title}\""))
    service.signal(SIGHUP)
    try mirror.apply(poll.value().json)
    #expect(mirror.titles == [["- A", "- B"], ["- C"]] && mirror.resets.isEmpty)
  }

  @Test func whatNeedsARestartIsSaid() throws {
    let service = try ServiceProcess(todo)
    try service.folder.write("history: 3\nlimits: {requestBody: 1KB}\n" + todo)
    service.signal(SIGHUP)
    try service.logged("needs a restart")
    #expect(service.log.current.contains { $0.contains("\"history, limits.requestBody\"") })
  }

  @Test func theEndAnswersThoseWhoWait() throws {
    let service = try ServiceProcess(todo)
    let cursor = try service.mirror("todo").cursor
    let polls = try (0..<10).map { _ in try service.poll("todo", after: cursor) }
    try service.awaitPolls(polls.count)
    #expect(try service.end() == 0)
    for poll in polls {
      let reply = try poll.value()
      #expect(reply.status == 200)
      #expect(try reply.json["to"]?.text == cursor)
      #expect(reply["Connection"] == "close" && Int(reply["Retry-After"]) ?? 0 > 0, "\(reply.headers)")
    }
  }

  @Test func cursorsAndItemsOutliveARestart() throws {
    let folder = try TemporaryFolder()
    let configuration = "store: {path: \"{folder}/data.sqlite\"}\n" + todoTables
    let first = try ServiceProcess(configuration, in: folder)
    var mirror = try first.mirror("todo")
    _ = try first.request("POST", "/v1/tables/todo/items", body: ["title": "Kept"])
    let (status, log) = try ServiceProcess.refused(configuration, in: folder)
    #expect(status == 1 && log.contains("data.sqlite"), "\(log)")
    #expect(try first.end() == 0)
    let second = try ServiceProcess(configuration, in: folder)
    try mirror.apply(second.changes("todo", after: mirror.cursor))
    #expect(mirror.titles == [["A", "B", "Kept"], ["C"]] && mirror.resets.isEmpty)
    try mirror.check(equals: second.snapshot("todo"))
  }

  @Test func sharedTapsOutliveARestart() throws {
    let folder = try TemporaryFolder()
    let configuration = "store: {path: \"{folder}/data.sqlite\"}\n" + todoTables + "\n    sharedTaps: true"
    let first = try ServiceProcess(configuration, in: folder)
    let a = try first.mirror("todo").id("A")
    let b = try first.mirror("todo").id("B")
    for row in [a, b, b] { _ = try first.request("POST", "/v1/tables/todo/rows/\(row)/tap") }
    var mirror = try first.mirror("todo")
    #expect(mirror.row(a)?["payload"]?["isExpanded"] == true && mirror.row(b)?["payload"]?["isExpanded"] == false)
    try first.end(SIGKILL)
    let second = try ServiceProcess(configuration, in: folder)
    let changes = try second.changes("todo", after: mirror.cursor)
    #expect(changes["stages"] == [])
    _ = try second.request("POST", "/v1/tables/todo/rows/\(a)/tap")
    try mirror.apply(second.changes("todo", after: mirror.cursor))
    #expect(mirror.row(a)?["payload"]?["isExpanded"] == false && mirror.resets.isEmpty)
  }

  @Test func anUpstreamsRowsAndObjectsOutliveARestart() throws {
    let folder = try TemporaryFolder()
    let upstream = try ScriptedUpstream([issue(1), issue(2)])
    let configuration = issues(upstream).replacingOccurrences(
      of: "store: memory",
      with: "store: {path: \"{folder}/data.sqlite\"}"
    )
    let first = try ServiceProcess(configuration, in: folder)
    var mirror = try first.follow("issues", until: "is ready") { $0.state == "ready" }
    upstream.answer([issue(2), issue(3)])
    mirror = try first.follow("issues", from: mirror, until: "has the third") { $0.rows.contains("3") }
    try first.end(SIGKILL)
    upstream.answer(.silence)
    let second = try ServiceProcess(configuration, in: folder)
    try mirror.apply(second.changes("issues", after: mirror.cursor))
    #expect(mirror.state == "stale" && mirror.rows == ["2", "3"] && mirror.resets.isEmpty)
    #expect(try second.request("GET", "/v1/tables/issues/items/3").json == issue(3))
    #expect(try second.request("GET", "/v1/tables/issues/items/1").status == 404)
    let tap = try second.request("POST", "/v1/tables/issues/rows/2/tap?view=v").json
    #expect(tap["object"] == issue(2))
    upstream.answer([issue(3)])
    mirror = try second.follow("issues", from: mirror, until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["3"] && mirror.resets.isEmpty)
    #expect(try second.request("GET", "/v1/tables/issues/items/2").status == 404)
  }

  @Test func aFamilyOfTables() throws {
    let upstream = try ScriptedUpstream { request in .json([["number": .string(request.target)]]) }
    let service = try ServiceProcess(
      """
      store: memory
      sources:
        repo: {url: "\(upstream.url)/${$params.owner}/${$params.repo}", every: 1m}
      tables:
        t: {source: repo, row: {id: "${number}"}, parameters: {owner: {}, repo: {}}}
      """
    )
    let mirror = try service.follow("t;owner=a;repo=b", until: "is ready") { $0.state == "ready" }
    #expect(mirror.rows == ["/a/b"])
    try mirror.check(equals: service.snapshot("t;repo=b;owner=a"))
    let missing = try service.request("GET", "/v1/tables/t;owner=a")
    #expect(missing.status == 400)
    #expect(try missing.json["field"] == "repo")
    #expect(try service.request("GET", "/v1/tables/t;owner=..%2Fx;repo=b").status == 400)
  }

  @Test func callersSeeTheirOwnRowsOnly() throws {
    let upstream = try ScriptedUpstream { request in
      .json([["number": .string(request.headers["authorization"] ?? "nobody")]])
    }
    let service = try ServiceProcess(
      """
      store: memory
      sources:
        mine: {url: "\(upstream.url)/mine", every: 1m, forward: [Authorization]}
      tables:
        mine: {source: mine, row: {id: "${number}"}}
      """
    )
    for caller in ["Bearer a", "Bearer b", "Bearer a"] {
      let headers = ["Authorization": caller]
      let mirror = try service.follow("mine", headers, until: "is ready for \(caller)") { $0.state == "ready" }
      #expect(mirror.rows == [caller])
      #expect(try service.request("GET", "/v1/tables/mine", headers)["Cache-Control"].contains("private"))
    }
  }
}
