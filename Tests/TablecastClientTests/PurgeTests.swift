import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// After a logout nothing of the user stays on the disk.
@Suite struct PurgeTests {
  /// `@unchecked Sendable`: everything is used with the lock held.
  private final class MemoryStore: SnapshotStore, @unchecked Sendable {
    private let lock = NSLock()
    private var states: [String: [UInt8]] = [:]

    var count: Int { lock.withLock { states.count } }
    func load(_ key: SnapshotKey) -> [UInt8]? { lock.withLock { states[key.description] } }
    func save(_ bytes: [UInt8], for key: SnapshotKey) { lock.withLock { states[key.description] = bytes } }
    func purge() { lock.withLock { states = [:] } }
  }

  private struct Stage {
    let transport = ScriptedTransport()
    let scheduler = ManualScheduler()
    let store = MemoryStore()
    let client: TablecastClient<AnyCell>

    init() throws {
      var options = ClientOptions()
      (options.transport, options.scheduler, options.seed) = (transport, scheduler, 1)
      options.store = store
      client = TablecastClient(url: try #require(URL(string: "http://h")), options: options)
    }

    /// The number of stored states after so many seconds.
    func stored(after seconds: Double) -> Int {
      client.engine.settle()
      scheduler.advance(by: seconds)
      client.engine.settle()
      return store.count
    }

    func answer(_ json: String) throws {
      client.engine.settle()
      let call = try #require(transport.waiting.first { $0.request.method == "GET" })
      transport.answer(call.number, .success(TransportResponse(json: json)))
      client.engine.settle()
    }
  }

  private static let snapshot = """
    {"table":"t","from":null,"to":"00000000000a.1","reset":"start","snapshot":{"table":"t","cursor":"00000000000a.1",\
    "state":"ready","sections":[{"id":"s","rows":[{"id":"1","cellIdentifier":"C","payload":{}}]}]}}
    """

  @Test func aStateIsStoredAgainAfterAnAnswerToALaterRequest() throws {
    let stage = try Stage()
    let table = stage.client.table("t")
    let observation = table.observe { _ in }
    try stage.answer(Self.snapshot)
    #expect(stage.stored(after: 1) == 1)
    // What is shown changes by the purge itself, as this edit is no more.
    table.delete("1")
    stage.client.engine.settle()
    let former = stage.transport.waiting.map(\.number)
    #expect(former.count == 2)
    stage.client.purge()
    #expect(stage.stored(after: 3) == 0)
    #expect(table.snapshot?.edits.isEmpty == true && table.snapshot?.rowCount == 1)
    #expect(Set(stage.transport.waiting.map(\.number)).isDisjoint(with: former))
    try stage.answer(#"{"table":"t","from":"00000000000a.1","to":"00000000000a.1","stages":[]}"#)
    #expect(stage.stored(after: 1) == 1)
    withExtendedLifetime(observation) {}
  }

  @Test func anObserverMayFlush() throws {
    let stage = try Stage()
    let client = stage.client
    let observation = client.table("t").observe { [weak client] _ in client?.flush() }
    try stage.answer(Self.snapshot)
    #expect(stage.store.count == 1)
    withExtendedLifetime(observation) {}
  }

  /// They are the former user's, whatever has become of them.
  @Test func failedEditsLeaveTheScreenAtOnce() throws {
    let stage = try Stage()
    let table = stage.client.table("t")
    let observation = table.observe { _ in }
    try stage.answer(Self.snapshot)
    table.delete("1")
    stage.client.engine.settle()
    let call = try #require(stage.transport.waiting.first { $0.request.method == "DELETE" })
    let headers = ["Content-Type": "application/problem+json"]
    let refusal = TransportResponse(status: 403, headers: headers, json: #"{"title":"Forbidden","status":403}"#)
    stage.transport.answer(call.number, .success(refusal))
    stage.client.engine.settle()
    #expect(table.snapshot?.edits.count == 1)
    stage.client.purge()
    stage.client.engine.settle()
    #expect(table.snapshot?.edits.isEmpty == true)
    withExtendedLifetime(observation) {}
  }

  @Test func whatWasAboutToBeStoredIsNot() throws {
    let stage = try Stage()
    let observation = stage.client.table("t").observe { _ in }
    try stage.answer(Self.snapshot)
    stage.client.purge()
    stage.client.flush()
    #expect(stage.store.count == 0)
    #expect(stage.stored(after: 3) == 0)
    withExtendedLifetime(observation) {}
  }
}
