import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Edits through the whole client, against a scripted service on a clock of its own.
@Suite struct EditingTests {
  /// A client whose requests a test answers one by one.
  private struct Stage {
    let transport = ScriptedTransport()
    let scheduler = ManualScheduler()
    let recorder = ChangeRecorder()
    let client: TablecastClient<AnyCell>
    let table: LiveTable<AnyCell>
    let observation: TableObservation

    init() throws {
      var options = ClientOptions()
      options.transport = transport
      options.scheduler = scheduler
      options.seed = 1
      client = TablecastClient(url: try #require(URL(string: "http://h/base/")), cells: AnyCell.self, options: options)
      table = client.table("t")
      observation = table.observe(recorder.receive)
      try answer("/changes?wait=0", Self.snapshot(1, ["1", "2", "3"]))
    }

    static func row(_ id: String) -> String {
      "{\"id\":\"\(id)\",\"cellIdentifier\":\"C\",\"payload\":{\"title\":\"\(id)\"}}"
    }

    static func snapshot(_ version: Int, _ rows: [String], epoch: String = "00000000000a", from: String? = nil)
      -> String
    {
      let cursor = "\(epoch).\(version)"
      return """
        {"table":"t","from":\(from.map { "\"\($0)\"" } ?? "null"),"to":"\(cursor)","reset":"start","snapshot":{"table":"t",
         "cursor":"\(cursor)","state":"ready","sections":[{"id":"s","rows":[\(rows.map(row).joined(separator: ","))]}]}}
        """
    }

    static func stages(_ from: Int, _ to: Int, _ rows: String) -> String {
      "{\"table\":\"t\",\"from\":\"00000000000a.\(from)\",\"to\":\"00000000000a.\(to)\",\"stages\":[{\"rows\":{\(rows)}}]}"
    }

    /// The open request whose method and URL contain the text. All that the client does it does on its own queue: once
    /// that is empty, the request was made or never will be.
    func request(_ text: String) throws -> ScriptedTransport.Call {
      client.engine.settle()
      if let call = transport.waiting.first(where: { "\($0.request.method) \($0.request.url)".contains(text) }) {
        return call
      }
      throw MalformedReply("no request `\(text)`; open are \(transport.waiting.map(\.request.url))")
    }

    func answer(_ text: String, status: Int = 200, headers: [String: String] = [:], _ json: String) throws {
      // As the service names its refusals.
      let headers = status < 400 ? headers : headers.merging(["Content-Type": "application/problem+json"]) { $1 }
      transport.answer(
        try request(text).number,
        .success(TransportResponse(status: status, headers: headers, json: json))
      )
      client.engine.settle()
    }

    var rows: [String] {
      client.engine.settle()
      return table.snapshot?.sections.flatMap { $0.rows.map(\.id) } ?? []
    }

    var states: [EditState] {
      client.engine.settle()
      return table.snapshot?.edits.map(\.state) ?? []
    }
  }

  @Test func aDeletionIsShownAtOnceAndConfirmedByItsCursor() throws {
    let stage = try Stage()
    stage.table.delete("2")
    #expect(stage.rows == ["1", "3"])
    #expect(stage.states == [.sent])
    #expect(stage.table.snapshot?.pendingRows == ["2"])
    let sent = try stage.request("DELETE http://h/base/v1/tables/t/items/2").request
    #expect(sent.headers["Idempotency-Key"]?.isEmpty == false)
    try stage.answer("DELETE", "{\"cursor\":\"00000000000a.2\",\"id\":\"2\"}")
    #expect(stage.states.count == 1)
    #expect(stage.rows == ["1", "3"])
    // Looked for at once, as it may lie outside the window.
    try stage.answer(
      "after=00000000000a.1&wait=0",
      Stage.stages(1, 2, "\"delete\":[{\"at\":[0,1],\"id\":\"2\"}]")
    )
    #expect(stage.states == [])
    #expect(stage.rows == ["1", "3"])
    #expect(stage.table.snapshot?.cursor?.text == "00000000000a.2")
  }

  /// The service refuses parameters that it doesn't know: a refresh has no view.
  @Test func editsOfAViewNameItAndARefreshDoesNot() {
    let address = TableAddress("t", view: "mine")
    let targets = [TableEdit.tap(row: "1"), .delete(row: "1"), .action(row: "1", id: "a", body: nil), .refresh]
      .map { EditRequest($0, to: address).target }
    #expect(
      targets == [
        "/v1/tables/t/rows/1/tap?view=mine", "/v1/tables/t/items/1?view=mine",
        "/v1/tables/t/rows/1/actions/a?view=mine", "/v1/tables/t/refresh",
      ]
    )
  }

  @Test func aRefusedEditIsTakenBackWithItsProblem() throws {
    let stage = try Stage()
    stage.table.move("1", to: .section("s", at: 2))
    #expect(stage.rows == ["2", "3", "1"])
    try stage.answer("/move", status: 403, "{\"title\":\"Forbidden\",\"status\":403,\"detail\":\"no\"}")
    #expect(stage.rows == ["1", "2", "3"])
    #expect(stage.states == [.refused(Problem(status: 403, title: "Forbidden", detail: "no"))])
  }

  /// What a form shows beside its fields.
  @Test func aRefusedEditNamesItsFields() throws {
    let stage = try Stage()
    stage.table.move("1", to: .section("s", at: 2))
    let body = #"{"title":"No","status":422,"detail":"no","fields":{"title":["short","dull"],"a.b":["late"],"odd":7}}"#
    try stage.answer("/move", status: 422, body)
    let fields = ["title": ["short", "dull"], "a.b": ["late"]]
    #expect(stage.states == [.refused(Problem(status: 422, title: "No", detail: "no", fields: fields))])
  }

  @Test func openEditsAreReplayedOverTheServicesState() throws {
    let stage = try Stage()
    stage.table.move("3", to: .before("1"))
    #expect(stage.rows == ["3", "1", "2"])
    try stage.answer(
      "after=00000000000a.1&wait=20",
      Stage.stages(
        1,
        2,
        "\"delete\":[{\"at\":[0,1],\"id\":\"2\"}],\"insert\":[{\"at\":[0,1],\"row\":\(Stage.row("9"))}]"
      )
    )
    #expect(stage.rows == ["3", "1", "9"])
    for change in stage.recorder.changes.dropFirst() {
      guard case .stages(let stages) = change.kind else { continue }
      #expect(!stages.isEmpty)
    }
  }

  @Test func everyChangeLeadsFromTheStateBeforeIt() throws {
    let stage = try Stage()
    stage.table.delete("1")
    stage.table.patch("2", try JSONText("{}"), preview: try JSONText("{\"title\":\"new\"}"))
    try stage.answer("after=00000000000a.1&wait=20", Stage.stages(1, 2, "\"delete\":[{\"at\":[0,0],\"id\":\"1\"}]"))
    try stage.answer("DELETE", status: 404, "{\"title\":\"Not Found\",\"status\":404}")
    stage.client.engine.settle()
    var shown: [TableSection] = []
    for change in stage.recorder.changes {
      switch change.kind {
      case .reset: shown = change.snapshot.sections
      case .stages(let stages):
        for stage in stages { shown = try #require(stage.applied(to: shown)) }
      case .status: break
      }
      #expect(shown == change.snapshot.sections)
    }
    #expect(stage.rows == ["2", "3"])
    #expect(shown.first?.rows.first?.json["payload"]?["title"]?.string == "new")
  }

  @Test func editsOfOneTableGoOneAfterTheOther() throws {
    let stage = try Stage()
    stage.table.delete("1")
    stage.table.delete("2")
    _ = try stage.request("DELETE http://h/base/v1/tables/t/items/1")
    #expect(!stage.transport.waiting.contains { $0.request.url.hasSuffix("/items/2") })
    #expect(stage.states == [.sent, .local])
    try stage.answer("/items/1", "{\"cursor\":\"00000000000a.2\",\"id\":\"1\"}")
    _ = try stage.request("/items/2")
  }

  @Test func whatIsNotKnownIsNeverSentAgain() throws {
    let stage = try Stage()
    stage.table.delete("1")
    try stage.answer("DELETE", status: 504, "{\"title\":\"Gateway Timeout\",\"status\":504}")
    #expect(stage.states == [.unknown])
    #expect(stage.rows == ["1", "2", "3"])
    stage.scheduler.advance(by: 300)
    stage.client.engine.settle()
    #expect(stage.transport.requests.filter { $0.method == "DELETE" }.count == 1)
  }

  @Test func aBrokenConnectionIsTriedAgainWithTheSameKey() throws {
    let stage = try Stage()
    stage.table.delete("1")
    stage.transport.answer(try stage.request("DELETE").number, .failure(TransportFailure("broken")))
    stage.client.engine.settle()
    #expect(stage.states == [.local])
    #expect(stage.rows == ["2", "3"])
    stage.scheduler.advance(by: 2)
    _ = try stage.request("DELETE")
    let keys = stage.transport.requests.filter { $0.method == "DELETE" }.map { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 2 && keys[0] == keys[1])
  }

  /// Another token ends a pause, and no delay: the service has asked for that.
  @Test(arguments: [503, 401]) func anotherTokenEndsAPauseAlone(_ status: Int) throws {
    var queue = EditQueue(TableAddress("t"))
    var random = SplitMix64(seed: 1)
    let response = TransportResponse(status: status, headers: ["Retry-After": "20"])
    _ = queue.add(.delete(row: "1"), id: EditID("a"), now: 0, date: 0)
    _ = queue.answered(EditID("a"), response, now: 0, date: 0, random: &random)
    #expect(queue.entries.map(\.state) == [.local])
    _ = queue.wake(isHanging: false, keepsDelay: true, now: 5, date: 5)
    #expect(queue.entries.map(\.state) == [status == 401 ? .sent : .local])
    _ = queue.resume(now: 20, date: 20, random: &random)
    #expect(queue.entries.map(\.state) == [.sent])
    #expect(queue.trouble == nil)
  }

  /// A repeat might be done a second time once the service has forgotten the key, and a service that was set back may have lost the edit.
  @Test(arguments: [(1, .sent), (24, .unknown)] as [(Double, EditState)])
  func anAnsweredEditIsSentAgainAsLongAsItsKeyIsKnown(_ hours: Double, _ state: EditState) throws {
    var queue = EditQueue(TableAddress("t"))
    var random = SplitMix64(seed: 1)
    let answer = TransportResponse(json: #"{"cursor":"00000000000b.7","id":"1"}"#)
    _ = queue.add(.delete(row: "1"), id: EditID("a"), now: 0, date: 0)
    _ = queue.answered(EditID("a"), answer, now: 0, date: 0, random: &random)
    let actions = queue.confirmed(EditID("a"), by: .otherEpoch, now: 0, date: hours * 3600)
    #expect(queue.entries.first?.state == state)
    guard state == .unknown else { return }
    #expect(actions == [.changed(EditID("a"), .unknown)])
    #expect(queue.entries.first?.problem?.detail.contains("set back") == true)
  }

  @Test func editsOfABatchsNewRowsWaitForTheirNames() throws {
    var queue = EditQueue(TableAddress("t"))
    var random = SplitMix64(seed: 1)
    let preview = try JSONText(#"{"cellIdentifier":"C","payload":{}}"#)
    let add = TableEdit.add(item: .null, .end, preview: preview)
    _ = queue.add(.batch([.delete(row: "1"), add, add]), id: EditID("a"), now: 0, date: 0)
    #expect(queue.holdsUntil != nil, "the rows would stand there twice")
    _ = queue.add(.move(row: "a-1", .after("a-2")), id: EditID("b"), now: 0, date: 0)
    _ = queue.add(.delete(row: "a-0"), id: EditID("c"), now: 0, date: 0)
    let refusal = TransportResponse(
      status: 403,
      headers: ["Content-Type": "application/problem+json"],
      json: #"{"title":"Forbidden","status":403}"#
    )
    _ = queue.answered(EditID("a"), refusal, now: 0, date: 0, random: &random)
    #expect(queue.entries.map(\.state).dropFirst() == [.local, .sent], "no part of the batch has added the row `a-0`")
    _ = queue.answered(EditID("c"), refusal, now: 0, date: 0, random: &random)
    _ = queue.retry(EditID("a"), now: 0, date: 0)
    let answer = TransportResponse(json: #"{"cursor":"00000000000a.2","ids":["1","8","9"]}"#)
    _ = queue.answered(EditID("a"), answer, now: 0, date: 0, random: &random)
    #expect(queue.entries[1].edit == .move(row: "8", .after("9")) && queue.entries[1].state == .sent)
  }

  @Test func anAddedRowNeverStandsThereTwice() throws {
    let stage = try Stage()
    let preview = try JSONText("{\"cellIdentifier\":\"C\",\"payload\":{\"title\":\"new\"}}")
    stage.table.add(try JSONText("{}"), at: .section("s", at: 0), preview: preview)
    #expect(stage.rows.count == 4)
    // The table names its rows itself.
    try stage.answer("PUT", status: 405, "{\"title\":\"Method Not Allowed\",\"status\":405}")
    // The poll is faster than the answer.
    try stage.answer(
      "after=00000000000a.1&wait=20",
      Stage.stages(1, 2, "\"insert\":[{\"at\":[0,0],\"row\":\(Stage.row("9"))}]")
    )
    #expect(stage.rows.count == 4)
    try stage.answer("POST", status: 201, "{\"cursor\":\"00000000000a.2\",\"id\":\"9\"}")
    #expect(stage.rows == ["9", "1", "2", "3"])
    #expect(stage.states == [])
    for change in stage.recorder.changes { #expect(change.snapshot.rowCount <= 4) }
  }

  @Test func anotherEpochConfirmsByASnapshotThatWasAskedForLater() throws {
    let stage = try Stage()
    stage.table.delete("1")
    try stage.answer("DELETE", "{\"cursor\":\"00000000000b.7\",\"id\":\"1\"}")
    try stage.answer(
      "after=00000000000a.1&wait=0",
      Stage.snapshot(7, ["2", "3"], epoch: "00000000000b", from: "00000000000a.1")
    )
    #expect(stage.states == [])
    #expect(stage.rows == ["2", "3"])
  }
}
