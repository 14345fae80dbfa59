import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Several screens: one poll, windows of their own, edits that all of them show.
@Suite struct ScreenTests {
  private struct Stage {
    let transport = ScriptedTransport()
    let scheduler = ManualScheduler()
    let client: TablecastClient<AnyCell>

    init() throws {
      var options = ClientOptions()
      (options.transport, options.scheduler, options.seed) = (transport, scheduler, 1)
      client = TablecastClient(url: try #require(URL(string: "http://h")), cells: AnyCell.self, options: options)
    }

    static func snapshot(_ table: String, _ rows: [Int], _ tag: String = "", from: Int? = nil) -> String {
      let window = from.map { ",\"window\":{\"from\":\($0),\"rows\":\(rows.count),\"of\":100}" } ?? ""
      let list = rows.map { "{\"id\":\"\($0)\",\"cellIdentifier\":\"C\",\"payload\":{}}" }.joined(separator: ",")
      return """
        {"table":"\(table)","from":null,"to":"00000000000a.1\(tag)","reset":"start","snapshot":{"table":"\(table)",\
        "cursor":"00000000000a.1\(tag)","state":"ready","sections":[{"id":"s","rows":[\(list)]}]\(window)}}
        """
    }

    var open: [String] {
      client.engine.settle()
      return transport.waiting.map { $0.request.url.removingPercentEncoding ?? "" }
    }

    func answer(_ text: String, _ json: String) throws {
      client.engine.settle()
      let call = try #require(transport.waiting.first { $0.request.url.contains(text) }, "open are \(open)")
      transport.answer(call.number, .success(TransportResponse(status: 200, headers: [:], json: json)))
      client.engine.settle()
    }
  }

  @Test func tablesWithLensesOfTheirOwnShareOnePoll() throws {
    let stage = try Stage()
    let one = stage.client.table("t", rows: 2)
    let other = stage.client.table("t", window: 50...51)
    let view = stage.client.table("u", view: "me")
    let observations = [one, other, view].map { $0.observe { _ in } }
    try stage.answer("t/changes?rows=2", Stage.snapshot("t", [0, 1], "~w2", from: 0))
    try stage.answer("t/changes?rows=50-51", Stage.snapshot("t", [50, 51], "~w50", from: 50))
    try stage.answer("u/changes", Stage.snapshot("u", [7]))
    let open = stage.open
    #expect(open.count == 1, "\(open)")
    #expect(open.first?.contains("after=t;;rows=2:00000000000a.1~w2") == true, "\(open)")
    #expect(open.first?.contains("after=t;;rows=50-51:00000000000a.1~w50") == true)
    #expect(open.first?.contains("after=u;;view=me:00000000000a.1") == true)
    // Each has its number, whatever its table is called.
    let pairs = open[0].components(separatedBy: "after=").dropFirst()
    let number = try #require(pairs.firstIndex { $0.contains("rows=50-51") }) - 1
    let update = """
      {"changes":[{"pair":\(number),"table":"t","from":"00000000000a.1~w50","to":"00000000000a.2~w50",\
      "stages":[{"rows":{"delete":[{"at":[0,0],"id":"50"}]}}]}]}
      """
    try stage.answer("/v1/changes", update)
    #expect(other.snapshot?.rowCount == 1 && one.snapshot?.rowCount == 2)
    withExtendedLifetime(observations) {}
  }

  @Test func aLensThatIsRefusedAmongOthersIsAskedForAlone() throws {
    let stage = try Stage()
    let (one, other) = (stage.client.table("t"), stage.client.table("u", view: "me"))
    let observations = [one, other].map { $0.observe { _ in } }
    try stage.answer("t/changes", Stage.snapshot("t", [0]))
    try stage.answer("u/changes", Stage.snapshot("u", [1]))
    let problem = "{\"title\":\"Bad Request\",\"status\":400}"
    let number = stage.open[0].components(separatedBy: "after=").dropFirst().first?.hasPrefix("u") == true ? 0 : 1
    try stage.answer("/v1/changes", "{\"changes\":[{\"pair\":\(number),\"table\":\"u\",\"problem\":\(problem)}]}")
    #expect(other.snapshot?.connection != .refused)
    #expect(stage.open.contains { $0.contains("u/changes?after=00000000000a.1&wait=20&view=me") }, "\(stage.open)")
    withExtendedLifetime(observations) {}
  }

  @Test func anEditIsShownOnAllScreensAndOverWhenAllHaveSeenIt() throws {
    let stage = try Stage()
    let (one, other) = (stage.client.table("t", rows: 3), stage.client.table("t", rows: 3, screen: "right"))
    let observations = [one, other].map { $0.observe { _ in } }
    for _ in 0..<2 { try stage.answer("rows=3", Stage.snapshot("t", [0, 1, 2], "~w3", from: 0)) }
    one.delete("1")
    stage.client.engine.settle()
    #expect(one.snapshot?.rowCount == 2 && other.snapshot?.rowCount == 2)
    try stage.answer("/items/1", "{\"cursor\":\"00000000000a.2\",\"id\":\"1\"}")
    let seen = """
      {"table":"t","from":"00000000000a.1~w3","to":"00000000000a.2~w3","stages":[{"rows":{"delete":[{"at":[0,1],"id":"1"}]}}]}
      """
    try stage.answer("wait=0", seen)
    #expect(one.snapshot?.edits.count == 1, "another screen has not seen it")
    try stage.answer("wait=0", seen)
    #expect(one.snapshot?.edits.isEmpty == true && other.snapshot?.edits.isEmpty == true)
    #expect(one.snapshot?.rowCount == 2 && other.snapshot?.rowCount == 2)
    withExtendedLifetime(observations) {}
  }

  /// Whoever waits for an edit finds all screens without it.
  @Test func anOutcomeComesAfterAllScreensAgree() throws {
    let stage = try Stage()
    let (one, other) = (stage.client.table("t", rows: 3), stage.client.table("t", rows: 3, screen: "right"))
    let (outcome, early) = (Watched<EditOutcome?>(nil), Watched(0))
    let observations = [one, other].map { table in
      let isPending = Watched(false)
      return table.observe { change in
        let wasPending = isPending.current
        isPending.change { $0 = !change.snapshot.edits.isEmpty }
        guard wasPending, !isPending.current, case .confirmed? = outcome.current?.current else { return }
        early.change { $0 += 1 }
      }
    }
    for _ in 0..<2 { try stage.answer("rows=3", Stage.snapshot("t", [0, 1, 2], "~w3", from: 0)) }
    let edit = one.delete("1")
    outcome.change { $0 = edit.end }
    try stage.answer("/items/1", "{\"cursor\":\"00000000000a.2\",\"id\":\"1\"}")
    let seen = """
      {"table":"t","from":"00000000000a.1~w3","to":"00000000000a.2~w3","stages":[{"rows":{"delete":[{"at":[0,1],"id":"1"}]}}]}
      """
    for _ in 0..<2 { try stage.answer("wait=0", seen) }
    guard case .confirmed = edit.end.current else {
      Issue.record("it is \(edit.end.current)")
      return
    }
    #expect(early.current == 0)
    withExtendedLifetime(observations) {}
  }

  /// The taps of one view say nothing of another, which has the version and can have no more.
  @Test func aTapIsOverWhenOtherViewsHaveItsVersion() throws {
    let stage = try Stage()
    let (one, other) = (stage.client.table("t", view: "a"), stage.client.table("t", view: "b"))
    let observations = [one, other].map { $0.observe { _ in } }
    for view in ["a", "b"] { try stage.answer("view=\(view)", Stage.snapshot("t", [0, 1])) }
    #expect(stage.open.count == 1, "views of one table wait in one request: \(stage.open)")
    one.tap("1")
    stage.client.engine.settle()
    #expect(other.snapshot?.edits.map(\.view) == ["a"])
    #expect(one.snapshot?.pendingRows == ["1"] && other.snapshot?.pendingRows == [])
    try stage.answer("/tap?view=a", "{\"cursor\":\"00000000000a.1.1\",\"id\":\"1\"}")
    #expect(one.snapshot?.edits.count == 1, "the view itself has not seen it")
    let seen = "{\"table\":\"t\",\"from\":\"00000000000a.1\",\"to\":\"00000000000a.1.1\",\"stages\":[]}"
    try stage.answer("wait=0&view=a", seen)
    #expect(one.snapshot?.edits.isEmpty == true && other.snapshot?.edits.isEmpty == true)
    withExtendedLifetime(observations) {}
  }

  @Test(arguments: [
    (0, 50, 50, 0...99), (0, 9_990, 50, 40...10_039), (200, 10_000, 100, 300...10_299),
  ]) func aWindowGoesOnBehindItsMost(_ from: Int, _ rows: Int, _ more: Int, _ expected: ClosedRange<Int>) {
    let window = RowWindow(from...(from + rows - 1)).longer(by: more)
    #expect(window == RowWindow(expected))
  }

  @Test(arguments: [(100, 50, 50, 50...149), (30, 50, 50, 0...79), (100, 10_000, 50, 50...10_049)])
  func aWindowGoesBack(_ from: Int, _ rows: Int, _ more: Int, _ expected: ClosedRange<Int>) {
    #expect(RowWindow(from...(from + rows - 1)).earlier(by: more) == RowWindow(expected))
  }

  /// Of numbers that a table can't have, sums would be too large.
  @Test(arguments: [
    #"{"from":9223372036854775807,"rows":50,"of":100}"#, #"{"from":1,"rows":9223372036854775807,"of":100}"#,
    #"{"from":9007199254740993,"rows":50,"of":100}"#, #"{"rows":50,"of":-9223372036854775808,"from":9}"#,
    #"{"from":-1,"rows":50,"of":100}"#, #"{"from":"1","rows":50,"of":100}"#, #"{"rows":50}"#, "[]", "null",
  ])
  func aWindowThatCannotBeIsNone(_ text: String) throws {
    let json = try JSONText(text)
    #expect(TableWindow(json) == nil)
  }

  @Test func aWindowOfTheLargestNumbersCanBeWidened() throws {
    let most = 1 << 53
    let json = try JSONText("{\"from\":\(most),\"rows\":\(most),\"of\":\(most)}")
    let window = try #require(TableWindow(json))
    #expect(!window.hasMore && window.hasPrevious)
    let last = RowWindow(most - RowWindow.most...most - 1)
    #expect(RowWindow(window) == last)
    #expect(RowWindow(window).longer(by: 50) == last)
  }

  /// An edit is looked for at once, however many there were: the allowance of polls is not for them.
  @Test func fortyEditsOneByOneWaitForNothing() throws {
    let stage = try Stage()
    let table = stage.client.table("t")
    let observation = table.observe { _ in }
    try stage.answer("t/changes", Stage.snapshot("t", [0]))
    for version in 2...41 {
      table.patch("0", try JSONText("{}"))
      try stage.answer("/items/0", "{\"cursor\":\"00000000000a.\(version)\",\"id\":\"0\"}")
      let reply =
        "{\"table\":\"t\",\"from\":\"00000000000a.\(version - 1)\",\"to\":\"00000000000a.\(version)\",\"stages\":[]}"
      try stage.answer("after=00000000000a.\(version - 1)&wait=0", reply)
      #expect(table.snapshot?.edits.isEmpty == true)
    }
    withExtendedLifetime(observation) {}
  }
}
