import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Tables that nobody observes any more: the last ones stay in memory.
@Suite struct IdleTests {
  private struct Stage {
    let transport = ScriptedTransport()
    let scheduler = ManualScheduler()
    let client: TablecastClient<AnyCell>

    init() throws {
      var options = ClientOptions()
      (options.transport, options.scheduler, options.seed) = (transport, scheduler, 1)
      client = TablecastClient(url: try #require(URL(string: "http://h")), options: options)
    }

    func settle() { client.engine.settle() }

    static func response(_ table: String) -> TransportResponse {
      let row = #"{"id":"1","cellIdentifier":"C","payload":{}}"#
      let sections = "[{\"id\":\"s\",\"rows\":[\(row)]}]"
      let cursor = "00000000000a.1"
      let snapshot = "{\"table\":\"\(table)\",\"cursor\":\"\(cursor)\",\"sections\":\(sections)}"
      let reply = "{\"table\":\"\(table)\",\"from\":null,\"to\":\"\(cursor)\",\"snapshot\":\(snapshot)}"
      return TransportResponse(json: reply)
    }

    func answer(_ table: String) throws {
      settle()
      let call = try #require(transport.waiting.first { $0.request.url.contains("/\(table)/changes") })
      transport.answer(call.number, .success(Self.response(table)))
      settle()
    }

    /// Somebody looks at a table, and leaves.
    func visit(_ table: String) throws {
      let observation = client.table(table).observe { _ in }
      try answer(table)
      observation.cancel()
      settle()
      for _ in 0..<6 {
        scheduler.advance(by: 1)
        settle()
      }
    }

    var names: Set<String> { Set(client.engine.follower.tables.keys.map(\.name)) }
  }

  @Test func theLastTablesStayAndThoseWithOpenEdits() throws {
    let stage = try Stage()
    stage.client.table("t1").delete("1")
    for number in 0..<20 { try stage.visit("t\(number)") }
    let expected = Set(["t1"] + (4..<20).map { "t\($0)" })
    #expect(stage.names == expected)
    let engine = stage.client.engine
    #expect(Set(engine.hubs.keys.map(\.name)) == expected)
    #expect(engine.desks.keys.map(\.name) == ["t1"])
    #expect(engine.follower.lanes.keys.filter { $0 != .joined(0) }.count == expected.count)
    let isShown = stage.client.table("t0").snapshot != nil
    #expect(!isShown)
    #expect(stage.client.table("t4").snapshot?.rowCount == 1)
    #expect(stage.client.table("t1").snapshot?.edits.count == 1)
  }

  /// The follower has never heard of it.
  @Test func anUnobservedTableIsDroppedAfterItsLastEdit() throws {
    let stage = try Stage()
    let edit = stage.client.table("x").delete("1")
    stage.settle()
    let call = try #require(stage.transport.waiting.first)
    let headers = ["Content-Type": "application/problem+json"]
    let problem = #"{"title":"Forbidden","status":403}"#
    stage.transport.answer(call.number, .success(TransportResponse(status: 403, headers: headers, json: problem)))
    try stage.visit("t")
    let engine = stage.client.engine
    #expect(Set(engine.hubs.keys.map(\.name)) == ["t", "x"])
    stage.client.table("x").discard(edit.id)
    try stage.visit("u")
    #expect(Set(engine.hubs.keys.map(\.name)) == ["t", "u"])
    #expect(engine.desks.isEmpty)
  }

  /// Polls end with their client; edits don't.
  @Test func aClientThatEndsLeavesNoPollOpen() throws {
    let transport = ScriptedTransport()
    var observation: TableObservation?
    do {
      var options = ClientOptions()
      (options.transport, options.scheduler) = (transport, ManualScheduler())
      let client = TablecastClient<AnyCell>(url: try #require(URL(string: "http://h")), options: options)
      observation = client.table("t").observe { _ in }
      client.table("t").delete("1")
      client.engine.settle()
      withExtendedLifetime(client) { #expect(transport.waiting.count == 2) }
    }
    #expect(transport.waiting.map(\.request.method) == ["DELETE"])
    withExtendedLifetime(observation) {}
  }

  @Test func theNextObserverOfADroppedTableIsItsFirst() throws {
    let stage = try Stage()
    for number in 0..<20 { try stage.visit("t\(number)") }
    let recorder = ChangeRecorder()
    let observation = stage.client.table("t0").observe(recorder.receive)
    stage.settle()
    #expect(recorder.changes.isEmpty)
    try stage.answer("t0")
    let first = try #require(recorder.changes.first)
    #expect(first.snapshot.rowCount == 1 && first.snapshot.connection == .live)
    #expect(first.from > 0 && first.snapshot.revision == first.from + 1)
    observation.cancel()
  }

  @Test func theNextObserverOfAnotherSeesItsRowsAtOnce() throws {
    let stage = try Stage()
    for number in 0..<20 { try stage.visit("t\(number)") }
    let recorder = ChangeRecorder()
    let observation = stage.client.table("t4").observe(recorder.receive)
    stage.settle()
    #expect(recorder.changes.first?.snapshot.rowCount == 1)
    observation.cancel()
  }

  @Test func aTableIsIdleAfterItsLinger() {
    var follower = Follower(seed: 1)
    let address = TableAddress("t")
    _ = follower.handle(.observe(address, nil), now: 0)
    #expect(follower.idleTables.isEmpty)
    _ = follower.handle(.leave(address), now: 1)
    #expect(follower.idleTables.isEmpty)
    _ = follower.handle(.time, now: 6)
    #expect(follower.idleTables == [address])
    _ = follower.handle(.pause("a", address), now: 7)
    #expect(follower.idleTables.isEmpty)
  }

  /// The reply may tell of it, and is illegal where the follower does not know it.
  @Test func aTableThatARequestNamesIsNotIdle() throws {
    var follower = Follower(seed: 1)
    let (left, other) = (TableAddress("a"), TableAddress("b"))
    func requests(_ event: Follower.Event, _ now: Double) -> [Int] {
      follower.handle(event, now: now).compactMap { action -> Int? in
        guard case .send(let id, _, _) = action else { return nil }
        return id
      }
    }
    var last = 0
    for address in [left, other] {
      let asked = requests(.observe(address, nil), 0)
      let id = try #require(asked.first)
      let polls = requests(.response(id, Stage.response(address.name)), 0)
      last = try #require(polls.last)
    }
    _ = requests(.leave(left), 1)
    _ = requests(.time, 6)
    #expect(follower.tables[left]?.isActive == false)
    #expect(follower.idleTables.isEmpty)
    let next = requests(.response(last, TransportResponse(json: #"{"changes":[]}"#)), 20)
    #expect(next.count == 1)
    #expect(follower.idleTables == [left])
  }
}
