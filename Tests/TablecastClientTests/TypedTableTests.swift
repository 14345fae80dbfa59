import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Typed edits, batches, versions, and what a client tells of itself.
@Suite struct TypedTableTests {
  struct Tasks: TableSchema {
    static let name = "t"
    enum Section: String, Sendable { case today, later }
    enum Action: String, Sendable { case archive }
    enum Filter: String, Sendable { case state }
    enum Sort: String, Sendable { case newest }

    struct Item: TableItem {
      struct Place: Sendable { var city: String? }
      var title: String
      var done: Bool
      var place: Place
      var `class`: Int

      struct New: Encodable, Sendable {
        var title: String
        var done: Bool?
      }

      static func path(of member: PartialKeyPath<Item>) -> [String]? {
        switch member {
        case \Item.title: ["title"]
        case \Item.done: ["done"]
        case \Item.place.city: ["place", "city"]
        default: nil
        }
      }
    }
  }

  private struct Stage {
    let transport = ScriptedTransport()
    let scheduler = ManualScheduler()
    let client: TablecastClient<AnyCell>
    let tasks: TypedTable<Tasks, AnyCell>

    init() throws {
      var options = ClientOptions()
      (options.transport, options.scheduler, options.seed) = (transport, scheduler, 1)
      client = TablecastClient(url: try #require(URL(string: "http://h")), cells: AnyCell.self, options: options)
      tasks = client.table(Tasks())
    }

    /// The edit that is sent, once it is.
    func sent(_ method: String) async throws -> ScriptedTransport.Call {
      while true {
        client.engine.settle()
        if let call = transport.waiting.first(where: { $0.request.method == method }) { return call }
        await Task.yield()
      }
    }

    func body(_ call: ScriptedTransport.Call) -> String { String(decoding: call.request.body ?? [], as: UTF8.self) }

    func refuse(_ call: ScriptedTransport.Call, _ status: Int) {
      let headers = ["Content-Type": "application/problem+json"]
      let json = "{\"title\":\"No\",\"status\":\(status),\"at\":1}"
      transport.answer(call.number, .success(TransportResponse(status: status, headers: headers, json: json)))
    }
  }

  @Test func anItemIsAddedToASectionWithItsTypes() async throws {
    let stage = try Stage()
    let tasks = stage.tasks
    async let row = tasks.add(Tasks.Item.New(title: "Milk", done: nil), .after("7"))
    let call = try await stage.sent("PUT")
    #expect(stage.body(call) == #"{"title":"Milk"}"#)
    #expect(call.request.url.contains("?after=7"))
    stage.refuse(call, 422)
    do {
      _ = try await row
      Issue.record("what is refused throws")
    } catch EditFailure.refused(_, let problem) { #expect(problem.status == 422) }
  }

  @Test func aMemberIsPatchedByItsPath() async throws {
    let stage = try Stage()
    let tasks = stage.tasks
    let version = try #require(TableCursor("00000000000a.7"))
    async let done: Void = tasks.patch("1", \.done, true, ifMatch: version)
    let call = try await stage.sent("PATCH")
    #expect(stage.body(call) == #"{"done":true}"#)
    #expect(call.request.headers["If-Match"] == "\"00000000000a.7\"")
    stage.refuse(call, 412)
    do {
      try await done
      Issue.record("a version that is past is refused")
    } catch EditFailure.refused(_, let problem) { #expect(problem.status == 412) }
    async let city: Void = tasks.patch("1", \.place.city, nil)
    let next = try await stage.sent("PATCH")
    #expect(stage.body(next) == #"{"place":{"city":null}}"#)
    stage.refuse(next, 422)
    do {
      try await city
      Issue.record("what is refused throws")
    } catch is EditFailure {}
    await #expect(throws: MalformedReply.self) { try await tasks.patch("1", \.class, 1) }
  }

  private struct Holder: Encodable {
    var json: JSONText
  }

  @Test(arguments: [
    "1.5", "-0.001", "12345678901234567890123456789012345678", "1e20", "15E-1", "0", "-0.0", "null", "[true,\"é\"]",
    #"{"a":{"b":[1]}}"#,
  ])
  func aTextIsEncodedInsideAnotherValue(_ text: String) throws {
    let json = try JSONText(encoding: Holder(json: try JSONText(text)))
    let inner = try #require(json.members.first?.value)
    #expect(Double(inner.text) == Double(text) && inner.isNull == (text == "null"))
  }

  /// Another number, or an object without one of its members, would be written in its place.
  @Test(arguments: [
    "1e400", "-1e-400", "1234567890123456789012345678901234567890.5", "0.1234567890123456789012345678901234567890123",
    "1e9223372036854775807", "[1,{\"a\":1e999}]", #"{"a":1,"a":2}"#, "{\"e\u{301}\":1,\"\u{e9}\":2}",
  ])
  func whatWouldBecomeAnotherValueIsRefused(_ text: String) throws {
    let holder = Holder(json: try JSONText(text))
    #expect(throws: EncodingError.self) { try JSONText(encoding: holder) }
    #expect(try JSONText(encoding: holder.json).text == text, "by itself it stays as it came")
  }

  private struct PreviewedCell: CellModel, Encodable {
    var cellIdentifier: String
    static var acceptedCells: String? { nil }
    static func decodes(cellIdentifier: String) -> Bool { true }
  }

  @Test func anIndexNeedsASection() async throws {
    let transport = ScriptedTransport()
    var options = ClientOptions()
    (options.transport, options.scheduler) = (transport, ManualScheduler())
    let url = try #require(URL(string: "http://h"))
    let client = TablecastClient(url: url, cells: PreviewedCell.self, options: options)
    let tasks = client.table(Tasks())
    let item = Tasks.Item.New(title: "Milk", done: nil)
    await #expect(throws: MalformedReply.self) { try await tasks.add(item, at: 0) }
    await #expect(throws: MalformedReply.self) { try await tasks.batch { batch in try batch.add(item, at: 0) } }
    client.engine.settle()
    #expect(transport.requests.isEmpty)
  }

  @Test func aBatchIsOneRequest() async throws {
    let stage = try Stage()
    let tasks = stage.tasks
    async let batch: Void = tasks.batch { batch in
      try batch.add(Tasks.Item.New(title: "Milk", done: false), in: .today, at: 0)
      try batch.patch("1", \.done, true)
      batch.delete("2")
      batch.move("3", to: .later)
    }
    let call = try await stage.sent("POST")
    #expect(call.request.url.hasSuffix("/v1/tables/t/edits"))
    let edits = try #require(try JSONText(call.request.body ?? [])["edits"]).elements
    #expect(edits.map { $0["op"]?.string } == ["add", "patch", "delete", "move"])
    #expect(edits[0]["section"]?.string == "today" && edits[0]["at"]?.integer == 0)
    #expect(edits.dropFirst().map { $0["id"]?.string } == ["1", "2", "3"])
    stage.refuse(call, 422)
    do {
      try await batch
      Issue.record("a batch is refused as a whole")
    } catch EditFailure.refused(_, let problem) { #expect(problem.field == "1") }
    try await tasks.batch { _ in }
  }

  @Test func aBatchOutlivesTheProgramWithItsVersion() throws {
    var status = EditStatus(
      id: EditID(),
      edit: .batch([
        .delete(row: "a"), .move(row: "b", .section("s", at: 1)), .patch(row: "c", try JSONText("{}"), preview: nil),
      ]),
      state: .local
    )
    status.version = TableCursor("00000000000a.7")
    let entry = try #require(KeptEdits.Entry(status))
    let kept = KeptEdits(origin: "o", caller: "c", address: TableAddress("t"), entries: [entry])
    #expect(try KeptEdits(kept.bytes) == kept)
    #expect(try KeptEdits(kept.bytes).entries.first?.status.version == status.version)
  }

  @Test func aClientTellsWhatItDoesAndNeverATokenNorABody() async throws {
    let log = Log()
    let transport = ScriptedTransport()
    var options = ClientOptions()
    (options.transport, options.scheduler, options.seed) = (transport, ManualScheduler(), 1)
    options.headers = ["X-Key": "secret"]
    options.log = { log.add($0) }
    let client = TablecastClient(url: try #require(URL(string: "http://h")), cells: AnyCell.self, options: options)
    let edit = client.table("t").add(try JSONText("{\"title\":\"private\"}"))
    client.engine.settle()
    let call = try #require(transport.waiting.first)
    transport.answer(call.number, .failure(TransportFailure("no route", kind: .unsent)))
    client.engine.settle()
    #expect(log.texts.contains("→ PUT /v1/tables/t/items/\(edit.row)"))
    #expect(client.lastError?.description == "✗ PUT /v1/tables/t/items/\(edit.row) after 0 ms: no route")
    #expect(!log.texts.contains { $0.contains("secret") || $0.contains("private") })
  }

  /// `@unchecked Sendable`: everything is used with the lock held.
  private final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [ClientEvent] = []
    func add(_ event: ClientEvent) { lock.withLock { events.append(event) } }
    var texts: [String] { lock.withLock { events.map(\.description) } }
  }
}
