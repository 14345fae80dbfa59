import Configuration
import Foundation
import HTTPServer
import JSON
import Logging
import TableStore
import TestSupport
import Testing

@testable import TableService

/// What takes too long for an event loop is done elsewhere, a little at a time.
@Suite struct LongRequestsTests {
  /// Work that fills all turns until it is let go.
  private struct Blockade: Sendable {
    private let running = Monitor(0)
    private let released = Monitor(0)

    init(of requests: LongRequests) throws {
      for number in 0..<LongRequests.atOnce {
        requests.perform(for: 0) { [running, released] in
          running.change { $0 += 1 }
          _ = try? released.wait(for: "the end of a blockade") { $0 > number ? true : nil }
        }
      }
      try running.wait(for: "work in all turns") { $0 == LongRequests.atOnce ? true : nil }
    }

    /// Lets so many of them go.
    func release(_ count: Int = LongRequests.atOnce) { released.change { $0 = count } }
  }

  @Test func clientsHaveTurns() throws {
    let requests = LongRequests()
    let done = Monitor<[String]>([])
    let blockade = try Blockade(of: requests)
    for (share, name) in [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (3, "c1"), (2, "b2")] as [(UInt64, String)] {
      requests.perform(for: share) { done.change { $0.append(name) } }
    }
    #expect(done.current == [])
    // One after the other, as long as the second turn is taken.
    blockade.release(1)
    #expect(try done.wait(for: "all work") { $0.count == 6 ? $0 : nil } == ["a1", "b1", "c1", "a2", "b2", "a3"])
    blockade.release()
    // What comes after a rest is done as well.
    for name in ["d", "e", "f"] { requests.perform(for: 4) { done.change { $0.append(name) } } }
    #expect(try Set(done.wait(for: "more work") { $0.count == 9 ? $0.suffix(3) : nil }) == ["d", "e", "f"])
  }

  @Test func noMoreAreInHandAtOnceThanMayBe() throws {
    let requests = LongRequests()
    let hands = Monitor((running: 0, most: 0, done: 0))
    for number in 0..<200 {
      requests.perform(for: UInt64(number % 7)) {
        hands.change { $0 = ($0.running + 1, max($0.most, $0.running + 1), $0.done) }
        hands.change { $0 = ($0.running - 1, $0.most, $0.done + 1) }
      }
    }
    try hands.wait(for: "all work") { $0.done == 200 ? true : nil }
    #expect((1...LongRequests.atOnce).contains(hands.current.most))
  }

  // MARK: In the service

  /// A service with one event loop.
  private final class Served: Sendable {
    let service: TableService
    private let server: Server
    let port: UInt16

    init(tables: Int) async throws {
      let names = (0..<tables).map { "t\($0)" }
      let list = names.map {
        "  \($0): {source: {local: {items: [{title: first}]}}, cell: Label, payload: {title: \"${title}\"}}\n"
      }
      let (definition, diagnostics) = ConfigurationReader.read(
        text: "cells: {Label: {fields: {title: string}}}\ntables:\n" + list.joined(),
        file: "test",
        environment: [:]
      )
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      service = try await TableService(
        try required(definition, "\(diagnostics)"),
        environment: ServiceEnvironment(store: MemoryStore(), logger: logger, isOpenForEdits: true)
      )
      var configuration = HTTPServer.Configuration()
      configuration.port = 0
      configuration.loops = 1
      server = Server(configuration: configuration, handler: service, logger: logger)
      service.attach(server)
      port = try server.start().port
      await service.start()
    }

    func client() throws -> HTTPClient { try HTTPClient(port: port) }

    /// Waits until so many requests were given to the service.
    func awaitRequests(_ count: Int) {
      let haveCome = Self.eventually { server.statistics.requests >= count }
      #expect(haveCome, "\(count) requests")
    }

    private static func eventually(_ condition: () -> Bool) -> Bool {
      for _ in 0..<5000 {
        if condition() { return true }
        usleep(1000)
      }
      return condition()
    }

    func end() async {
      await withCheckedContinuation { continuation in
        server.drain(deadline: .seconds(1)) { [service] in service.close { continuation.resume() } }
      }
    }
  }

  private static func patch(_ title: String) -> JSONValue { ["title": .string(title)] }

  /// Others are answered before it. What its client has sent behind it is answered after it, also where the client has
  /// shut its side.
  @Test func aLargeBodyHoldsUpNobody() async throws {
    let served = try await Served(tables: 1)
    let blockade = try Blockade(of: served.service.longRequests)
    let large = Self.patch("large " + String(repeating: "x", count: LongRequests.largeBody))
    let client = try served.client()
    try client.send("PATCH", "/v1/tables/t0/items/1", body: large)
    try client.send("GET", "/v1/tables/t0/items/1")
    client.endSending()
    served.awaitRequests(1)
    let other = try served.client()
    #expect(try other.request("GET", "/v1/tables/t0/items/1").text.contains("first"))
    #expect(try other.request("GET", "/v1/tables").status == 200)
    // What is small waits for no turn.
    #expect(try other.request("PATCH", "/v1/tables/t0/items/1", body: Self.patch("small")).status == 200)
    #expect(try other.request("GET", "/v1/tables/t0/items/1").text.contains("small"))
    blockade.release()
    #expect(try client.receive("the large edit").status == 200)
    #expect(try client.receive("what the edit has made").json["title"] == large["title"])
    await served.end()
  }

  /// A list of many tables is made when its turn has come, and shows what there is then.
  @Test func aLongListHoldsUpNobody() async throws {
    let served = try await Served(tables: TableList.shortList + 1)
    let blockade = try Blockade(of: served.service.longRequests)
    let (client, other) = (try served.client(), try served.client())
    try client.send("GET", "/v1/tables", ["Accept-Encoding": "gzip"])
    client.endSending()
    served.awaitRequests(1)
    #expect(try other.request("POST", "/v1/tables/t0/items", body: ["title": "added meanwhile"]).status == 201)
    blockade.release()
    let reply = try client.receive("the list")
    #expect(reply.status == 200 && reply["Content-Encoding"] == "gzip")
    let tables = try reply.json["tables"]?.elements ?? []
    #expect(tables.count == TableList.shortList + 1 && tables.first?["rows"] == 2)
    await served.end()
  }

  /// They are answered as if they had been small ones.
  @Test func largeBodiesAreJudged() async throws {
    let served = try await Served(tables: 1)
    let client = try served.client()
    let long = String(repeating: "x", count: LongRequests.largeBody)
    let target = "/v1/tables/t0/items/1"
    let cases: [(method: String, path: String, body: String, status: Int)] = [
      ("PATCH", target, "[\"\(long)\"]", 422), ("PATCH", target, "{\"title\": \"\(long)", 400),
      ("PATCH", "/v1/tables/none/items/1", "{\"title\": \"\(long)\"}", 404), ("POST", target, "\"\(long)\"", 405),
      ("PATCH", target, "{\"title\": \"\(long)\"}", 200),
    ]
    for (method, path, body, status) in cases {
      let client = status == 404 || status == 405 ? try served.client() : client
      let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
      try client.send(raw: head + body)
      #expect(try client.receive("\(method) \(path)").status == status, "\(method) \(path): \(body.prefix(20))")
    }
    let key = ["Idempotency-Key": "one"]
    for (title, status) in [("A", 201), ("A", 201), ("B", 422)] {
      let item: JSONValue = ["title": .string(title + long)]
      #expect(try client.request("POST", "/v1/tables/t0/items", key, body: item).status == status, "\(title)")
    }
    #expect(try client.request("GET", "/v1/tables").json["tables"]?.elements.first?["rows"] == 2)
    await served.end()
  }
}
