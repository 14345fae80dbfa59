import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Edits that outlive the program: the same folder, one client after the other.
@Suite struct KeptEditsTests {
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tablecast-edits-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: url) }
    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
  }

  /// One run of the program.
  private struct Run {
    let transport = ScriptedTransport()
    let scheduler = ManualScheduler()
    let client: TablecastClient<AnyCell>

    init(
      _ folder: Folder,
      url: String = "http://h",
      caller: String = "ann",
      cells: String? = nil,
      states: Folder? = nil
    ) throws {
      var options = ClientOptions()
      (options.transport, options.scheduler, options.caller) = (transport, scheduler, caller)
      (options.editStore, options.seed) = (DirectoryEditStore(folder.url), 1)
      options.acceptedCells = cells
      if let states { options.store = DirectoryStore(states.url) }
      client = TablecastClient(url: try #require(URL(string: url)), options: options)
      client.engine.settle()
    }

    var sent: [TransportRequest] {
      client.engine.settle()
      return transport.requests.filter { $0.method != "GET" }
    }

    func answer(status: Int = 200, _ json: String) throws {
      client.engine.settle()
      let call = try #require(transport.waiting.first { $0.request.method != "GET" })
      let headers = status < 400 ? [:] : ["Content-Type": "application/problem+json"]
      transport.answer(call.number, .success(TransportResponse(status: status, headers: headers, json: json)))
      client.engine.settle()
    }

    /// The service shows the table as it is after the edits.
    func show(_ cursor: String) {
      client.engine.settle()
      for call in transport.waiting where call.request.method == "GET" {
        let snapshot = #"{"table":"t","cursor":"\#(cursor)","sections":[]}"#
        let reply = #"{"table":"t","from":null,"to":"\#(cursor)","reset":"start","snapshot":\#(snapshot)}"#
        transport.answer(call.number, .success(TransportResponse(json: reply)))
        client.engine.settle()
      }
    }
  }

  @Test func whatWasNotAnsweredIsSentAgainWithItsKey() throws {
    let folder = Folder()
    let first = try Run(folder)
    let table = first.client.table("t", parameters: ["dir": "a b"], view: "v")
    table.add(try JSONText(#"{"title":"é"}"#), at: .section("s", at: 2), preview: try JSONText(#"{"x":1}"#))
    table.patch("1", try JSONText("null"))
    table.move("2", to: .before("3"))
    table.act("archive", on: "4", body: try JSONText("[1,2]"))
    let sent = first.sent
    #expect(sent.count == 1, "one after the other")
    let second = try Run(folder)
    // An addition is answered with the identity that it was sent under.
    let added = try #require(sent.first?.headers["Idempotency-Key"])
    for id in [added, "1", "2"] { try second.answer("{\"cursor\":\"00000000000a.2\",\"id\":\"\(id)\"}") }
    #expect(second.sent.count == 4)
    #expect(second.sent[0] == sent[0], "the same request, with the same key")
    #expect(Set(second.sent.map { $0.headers["Idempotency-Key"] ?? "" }).count == 4)
    #expect(second.sent[1].body == Array("null".utf8))
    #expect(second.sent[3].body == Array("[1,2]".utf8))
    // Answered ones are gone.
    let third = try Run(folder)
    #expect(third.sent == [second.sent[3]])
    try third.answer("{\"cursor\":\"00000000000a.5\"}")
    // Kept until the table has it: looked for by the next run, not done again.
    let fourth = try Run(folder)
    #expect(fourth.sent.isEmpty)
    fourth.show("00000000000a.5")
    #expect(folder.files == [])
  }

  @Test func keptEditsAreShownOverTheStoredRows() throws {
    let (folder, states) = (Folder(), Folder())
    let first = try Run(folder, states: states)
    let observation = first.client.table("t").observe { _ in }
    first.client.engine.settle()
    let rows = ["1", "2"].map { #"{"id":"\#($0)","cellIdentifier":"C","payload":{}}"# }.joined(separator: ",")
    let snapshot = #"{"table":"t","cursor":"00000000000a.1","sections":[{"id":"s","rows":[\#(rows)]}]}"#
    let reply = #"{"table":"t","from":null,"to":"00000000000a.1","reset":"start","snapshot":\#(snapshot)}"#
    let call = try #require(first.transport.waiting.first)
    first.transport.answer(call.number, .success(TransportResponse(json: reply)))
    first.client.flush()
    first.client.table("t").delete("1")
    #expect(first.sent.count == 1)
    // Offline: nothing is answered.
    let second = try Run(folder, states: states)
    let recorder = ChangeRecorder()
    let other = second.client.table("t").observe(recorder.receive)
    second.client.engine.settle()
    let shown = try #require(recorder.changes.last?.snapshot)
    #expect(shown.sections.flatMap { $0.rows.map(\.id) } == ["2"])
    #expect(shown.edits.count == 1 && shown.connection == .cached)
    withExtendedLifetime((observation, other)) {}
  }

  @Test func aReleaseWithOtherCellsTakesUpEditsOnce() throws {
    let folder = Folder()
    let first = try Run(folder, cells: "A")
    first.client.table("t").delete("1")
    let sent = first.sent
    #expect(sent.count == 1)
    let second = try Run(folder, cells: "A, B")
    #expect(second.sent.map { $0.headers["Idempotency-Key"] } == sent.map { $0.headers["Idempotency-Key"] })
    #expect(folder.files.count == 1)
    try second.answer(#"{"cursor":"00000000000a.2","id":"1"}"#)
    second.show("00000000000a.2")
    #expect(folder.files == [])
    #expect(try Run(folder, cells: "A, B").sent.isEmpty)
  }

  /// Earlier versions of the client had the cells in the key: their files are taken up, and then gone.
  @Test(arguments: ["A", "A, B"]) func editsOfAKeyWithCellsAreMoved(_ former: String) throws {
    let folder = Folder()
    var kept = KeptEdits(origin: "http://h", caller: SHA256.hexDigest("ann"), address: TableAddress("t"), entries: [])
    kept.entries = [.init(id: EditID("one"), edit: .delete(row: "1"))]
    let key = SnapshotKey(origin: kept.origin, address: kept.address, caller: kept.caller, cells: former)
    try DirectoryEditStore(folder.url).save(kept.bytes, for: key)
    let names = folder.files
    let run = try Run(folder, cells: "A, B")
    #expect(run.sent.map { $0.headers["Idempotency-Key"] } == ["one"])
    #expect(folder.files.count == 1 && folder.files != names)
    try run.answer(#"{"cursor":"00000000000a.2","id":"1"}"#)
    run.show("00000000000a.2")
    #expect(folder.files == [])
  }

  /// Views have random names: those of the next run are others.
  @Test func whatWasRefusedInAViewIsShownInTheNextOnes() throws {
    let folder = Folder()
    let first = try Run(folder)
    first.client.table("t", view: "a").delete("1")
    try first.answer(status: 403, #"{"title":"Forbidden","status":403}"#)
    let second = try Run(folder)
    let table = second.client.table("t", view: "b")
    let observation = table.observe { _ in }
    second.show("00000000000a.1")
    let edit = try #require(table.snapshot?.edits.first)
    #expect(edit.state == .refused(Problem(status: 403, title: "Forbidden")) && edit.view == "a")
    table.retry(edit.id)
    #expect(second.sent.map(\.url) == ["http://h/v1/tables/t/items/1?view=a"], "the view that it was made on")
    try second.answer(status: 403, #"{"title":"Forbidden","status":403}"#)
    table.discard(edit.id)
    second.client.engine.settle()
    #expect(table.snapshot?.edits.isEmpty == true && folder.files == [])
    withExtendedLifetime(observation) {}
  }

  @Test func editsOfAllViewsGoOneAfterTheOther() throws {
    let folder = Folder()
    let first = try Run(folder)
    first.client.table("t", view: "a").patch("1", try JSONText(#"{"n":1}"#))
    #expect(first.sent.count == 1)
    let second = try Run(folder)
    second.client.table("t", view: "b").patch("1", try JSONText(#"{"n":2}"#))
    #expect(second.sent.map(\.url) == ["http://h/v1/tables/t/items/1?view=a"])
    try second.answer(#"{"cursor":"00000000000a.2","id":"1"}"#)
    #expect(second.sent.map { String($0.url.suffix(6)) } == ["view=a", "view=b"])
    #expect(folder.files.count == 1)
  }

  /// Earlier releases kept a file for each view.
  @Test func filesOfSingleViewsAreTakenUpOnce() throws {
    let folder = Folder()
    let former: [(view: String?, ids: [String])] = [(nil, ["plain"]), ("a", ["ofA"]), ("b", ["ofB", "plain"])]
    for (view, ids) in former {
      let edits = ids.map { #"{"id":"\#($0)","op":"tap","row":"1"}"# }.joined(separator: ",")
      let caller = SHA256.hexDigest("ann")
      let named = view.map { "\"\($0)\"" } ?? "null"
      let head = #""origin":"http://h","caller":"\#(caller)","table":"t","parameters":{},"view":\#(named)"#
      let key = SnapshotKey(origin: "http://h", address: TableAddress("t", view: view), caller: caller, cells: "")
      try DirectoryEditStore(folder.url).save(Array("{\(head),\"edits\":[\(edits)]}".utf8), for: key)
    }
    #expect(folder.files.count == 3)
    let run = try Run(folder)
    #expect(folder.files.count == 1)
    for _ in 0..<3 { try run.answer(#"{"cursor":"00000000000a.2","id":"1"}"#) }
    let sent = run.sent.map { request in
      "\(request.headers["Idempotency-Key"] ?? "") \(URLComponents(string: request.url)?.query ?? "")"
    }
    #expect(sent.sorted() == ["ofA view=a", "ofB view=b", "plain "])
  }

  @Test func ofAnotherServiceOrUserNothingIsSent() throws {
    let folder = Folder()
    let first = try Run(folder)
    first.client.table("t").delete("1")
    #expect(first.sent.count == 1)
    let kept = try Run(folder)
    #expect(kept.sent.count == 1)
    #expect(try Run(folder, caller: "bob").sent.isEmpty)
    #expect(try Run(folder, url: "http://other").sent.isEmpty)
    #expect(folder.files.count == 1)
  }

  @Test func whatIsNotKnownIsShownAndNotSentAgainByItself() throws {
    let folder = Folder()
    let first = try Run(folder)
    first.client.table("t").delete("1")
    try first.answer(status: 504, #"{"title":"Gateway Timeout","status":504}"#)
    let second = try Run(folder)
    second.scheduler.advance(by: 4000)
    #expect(second.sent.isEmpty)
    let edits = try #require(second.client.engine.desks[TableAddress("t")]?.edits)
    #expect(edits.entries.map(\.state) == [.unknown])
    // For the user to decide: once more, or not at all.
    second.client.table("t").retry(edits.entries[0].id)
    #expect(second.sent.map { $0.headers["Idempotency-Key"] } == first.sent.map { $0.headers["Idempotency-Key"] })
    try second.answer(status: 504, "{}")
    second.client.table("t").discard(edits.entries[0].id)
    second.client.engine.settle()
    #expect(folder.files == [])
  }

  /// The service knows a key for a day: what was sent before may have been done, and would be done a second time.
  @Test func whatWasSentLongAgoIsUnknown() throws {
    let folder = Folder()
    var kept = KeptEdits(origin: "http://h", caller: SHA256.hexDigest("ann"), address: TableAddress("t"), entries: [])
    let now = Date().timeIntervalSince1970
    kept.entries = [
      .init(id: EditID("old"), edit: .delete(row: "1"), sentAt: now - 25 * 3600),
      .init(id: EditID("new"), edit: .delete(row: "2"), sentAt: now - 3600),
      .init(id: EditID("unsent"), edit: .delete(row: "3")),
    ]
    try DirectoryEditStore(folder.url).save(
      kept.bytes,
      for: SnapshotKey(origin: "http://h", address: kept.address, caller: kept.caller, cells: "")
    )
    let run = try Run(folder)
    #expect(run.sent.map { $0.headers["Idempotency-Key"] } == ["new"])
    let entries = run.client.engine.desks[TableAddress("t")]?.edits.entries ?? []
    #expect(entries.map(\.state) == [.unknown, .sent, .local])
  }

  @Test func purgingGivesUpWhatIsOpen() async throws {
    let folder = Folder()
    let run = try Run(folder)
    let edit = run.client.table("t").delete("1")
    _ = run.sent
    run.client.purge()
    #expect(await edit.outcome() == .unknown)
    #expect(folder.files == [])
    #expect(try Run(folder).sent.isEmpty)
  }

  /// A newer release that was here before knows them.
  @Test func entriesThatCannotBeReadStayBesideTheOthers() throws {
    let folder = Folder()
    let caller = SHA256.hexDigest("ann")
    let odd = [#"{"id":"new","op":"copy","row":"1","to":[2,{"a":null}]}"#, #"{"op":"delete","row":"1"}"#, "7"]
    let known = [#"{"id":"one","op":"delete","row":"1"}"#, #"{"id":"two","op":"delete","row":"2"}"#]
    let edits = [known[0], odd[0], known[1], odd[1], odd[2]].joined(separator: ",")
    let text = #"{"origin":"http://h","caller":"\#(caller)","table":"t","parameters":{},"edits":[\#(edits)]}"#
    let key = SnapshotKey(origin: "http://h", address: TableAddress("t"), caller: caller, cells: "")
    try DirectoryEditStore(folder.url).save(Array(text.utf8), for: key)
    let run = try Run(folder)
    for number in 1...2 { try run.answer("{\"cursor\":\"00000000000a.\(number)\",\"id\":\"\(number)\"}") }
    run.show("00000000000a.2")
    #expect(run.sent.map { $0.headers["Idempotency-Key"] } == ["one", "two"])
    let left = try #require(DirectoryEditStore(folder.url).load().first)
    #expect(try KeptEdits(left).entries.isEmpty)
    #expect(try KeptEdits(left).unreadable.map(\.text) == odd)
    // The next edit leaves them there, too.
    run.client.table("t").delete("3")
    run.client.engine.settle()
    #expect(try DirectoryEditStore(folder.url).load().map { try KeptEdits($0).unreadable.count } == [3])
    run.client.purge()
    run.client.engine.settle()
    #expect(folder.files == [])
  }

  /// An item stands some levels deeper in the file than in its request.
  @Test(arguments: [253, 254, 255, 256]) func theDeepestItemsAreKept(_ depth: Int) throws {
    let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let add = TableEdit.add(item: try JSONText(nested), .end, preview: nil)
    var kept = KeptEdits(origin: "http://h", caller: "c", address: TableAddress("t"), entries: [])
    kept.entries = [.init(id: EditID("one"), edit: add), .init(id: EditID("two"), edit: .batch([add]))]
    #expect(try KeptEdits(kept.bytes) == kept)
  }

  /// A full disk, or no folder: the edits go on, and the app hears of it.
  @Test func whatIsNotKeptIsTold() throws {
    let folder = Folder()
    try Data().write(to: folder.url)
    let run = try Run(folder)
    run.client.table("t").delete("1")
    #expect(run.sent.count == 1)
    guard case .notKept(table: "t", reason: _)? = run.client.lastError?.kind else {
      Issue.record("the last error is \(run.client.lastError?.description ?? "none")")
      return
    }
  }

  @Test(arguments: ["", "{}", "[]", "{\"origin\":\"http://h\",\"caller\":1}", "nonsense"])
  func aFileThatCannotBeReadIsLeftAlone(_ text: String) throws {
    let folder = Folder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: folder.url.appendingPathComponent("a.edits"))
    #expect(try Run(folder).sent.isEmpty)
  }
}
