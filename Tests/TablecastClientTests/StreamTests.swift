import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

@Suite struct EventStreamParserTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var events: [String]
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "one", text: "event: changes\nid: 1\ndata: {}\n\n", events: ["changes 1 {}"]),
    Case(name: "comments are no events", text: ": still here\n\n:\n\ndata:x\n\n", events: ["message  x"]),
    Case(name: "several lines of data", text: "data: a\ndata:  b\n\n", events: ["message  a\n b"]),
    Case(
      name: "every kind of line end",
      text: "data: a\r\n\r\ndata: b\r\rdata: c\n\n",
      events: ["message  a", "message  b", "message  c"]
    ),
    Case(name: "an id stays", text: "id: 7\n\ndata: a\n\ndata: b\nid: 8\n\n", events: ["message 7 a", "message 8 b"]),
    Case(name: "unknown fields, and one without a value", text: "retry: 3\nnonsense\ndata\n\n", events: ["message  "]),
    Case(name: "a byte order mark", text: "\u{FEFF}data: a\n\n", events: ["message  a"]),
    Case(name: "what isn't ended isn't there", text: "data: a\n\ndata: b\n", events: ["message  a"]),
  ]

  @Test(arguments: cases) func eventsAreTheSameInWhateverPieces(_ test: Case) throws {
    let bytes = Array(test.text.utf8)
    for size in 1...max(bytes.count, 1) {
      var parser = EventStreamParser(maximumBytes: 1000)
      var events: [String] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        for event in try parser.take(bytes[start..<min(start + size, bytes.count)]) {
          events.append("\(event.name) \(event.id) \(String(decoding: event.data, as: UTF8.self))")
        }
      }
      #expect(events == test.events, "pieces of \(size)")
    }
  }

  @Test func whatIsTooLongIsRefused() {
    var parser = EventStreamParser(maximumBytes: 100)
    #expect(throws: EventStreamParser.TooLong.self) { _ = try parser.take(Array(repeating: 0x61, count: 101)) }
  }
}

/// Following by streams: the state machine alone, its time given.
@Suite struct StreamFollowingTests {
  private let address = TableAddress("t", view: "v")

  private struct Run {
    var follower: Follower
    var now = 0.0
    var asked: [String] = []
    var last = 0
    var cancelled: [Int] = []

    init() {
      var settings = Follower.Settings()
      settings.usesStreams = true
      follower = Follower(settings, seed: 1)
    }

    mutating func handle(_ event: Follower.Event) {
      for action in follower.handle(event, now: now) {
        switch action {
        case .send(let id, let target, _):
          asked.append(target)
          last = id
        case .stream(let id, let target, let cursor, _):
          asked.append("\(target) after \(cursor)")
          last = id
        case .cancel(let id): cancelled.append(id)
        case .changed, .confirmed: continue
        }
      }
    }

    mutating func answer(_ json: String) { handle(.response(last, TransportResponse(json: json))) }

    mutating func advance(_ seconds: Double) {
      let end = now + seconds
      while let due = follower.nextDeadline, due <= end {
        now = max(now, due)
        handle(.time)
      }
      now = end
    }
  }

  private static func empty(_ version: Int) -> String {
    "{\"table\":\"t\",\"from\":\"00000000000a.\(version)\",\"to\":\"00000000000a.\(version)\",\"stages\":[]}"
  }

  private static let start = """
    {"table":"t","from":null,"to":"00000000000a.1","reset":"start","snapshot":{"table":"t","cursor":"00000000000a.1",
     "state":"ready","sections":[{"id":"s","rows":[{"id":"1","cellIdentifier":"C","payload":{}}]}]}}
    """
  private static let deletion = """
    {"table":"t","from":"00000000000a.1","to":"00000000000a.2",
     "stages":[{"rows":{"delete":[{"at":[0,0],"id":"1"}]}}]}
    """

  private func running() -> Run {
    var run = Run()
    run.handle(.observe(address, nil))
    run.answer(Self.start)
    return run
  }

  private func rows(_ run: Run) -> Int? {
    run.follower.tables[address]?.content?.sections.reduce(0) { $0 + $1.rows.count }
  }

  @Test func aStreamFollowsTheFirstAnswer() {
    var run = running()
    #expect(run.asked == ["/v1/tables/t/changes?wait=0&view=v", "/v1/tables/t/stream?view=v after 00000000000a.1"])
    run.handle(.opened(run.last))
    run.handle(.alive(run.last))
    run.handle(.event(run.last, Array(Self.deletion.utf8)))
    #expect(rows(run) == 0)
    #expect(run.follower.tables[address]?.content?.cursor.text == "00000000000a.2")
    #expect(run.asked.count == 2, "the stream goes on")
    #expect(run.cancelled.isEmpty)
  }

  @Test func signsOfLifeKeepItAndSilenceEndsIt() {
    var run = running()
    run.handle(.opened(run.last))
    for _ in 0..<10 {
      run.advance(15)
      run.handle(.alive(run.last))
    }
    #expect(run.asked.count == 2)
    run.advance(45)
    #expect(run.cancelled.count == 1)
    #expect(run.asked.count == 3 && run.asked[2].hasPrefix("/v1/tables/t/changes?after=00000000000a.1&wait=0"))
    #expect(run.follower.tables[address]?.connection == .retrying)
    run.answer(Self.empty(1))
    #expect(run.asked.last == "/v1/tables/t/stream?view=v after 00000000000a.1")
  }

  @Test func whereNothingGetsThroughItIsPolled() {
    var run = running()
    for _ in 0..<2 {
      run.handle(.opened(run.last))
      run.advance(45)
      run.answer(Self.empty(1))
    }
    #expect(run.asked.last == "/v1/tables/t/changes?after=00000000000a.1&wait=20&view=v", "\(run.asked)")
    #expect(run.asked.count < 8)
  }

  @Test func anEventOfAnotherCursorIsNeverApplied() {
    var run = running()
    run.handle(.alive(run.last))
    run.handle(.event(run.last, Array(Self.deletion.replacingOccurrences(of: "a.1\"", with: "a.7\"").utf8)))
    #expect(rows(run) == 1)
    #expect(run.cancelled.count == 1)
    run.advance(2)
    #expect(run.asked.last == "/v1/tables/t/changes?wait=0&view=v", "the table is asked for whole")
  }

  @Test func aProblemEndsTheTable() {
    var run = running()
    let problem = #"{"title":"Forbidden","status":403}"#
    let headers = ["Content-Type": "application/problem+json"]
    run.handle(.response(run.last, TransportResponse(status: 403, headers: headers, json: problem)))
    #expect(run.follower.tables[address]?.connection == .refused)
    run.advance(100)
    #expect(run.asked.count == 2)
  }

  /// Answers a poll with the table, and leaves a stream to the test.
  private final class Streams: StreamTransport {
    let opened = Watched<[@Sendable (StreamPart) -> Void]>([])

    func send(
      _ request: TransportRequest,
      completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
    ) -> any Cancellable {
      completion(.success(TransportResponse(json: StreamFollowingTests.start)))
      return NothingToCancel()
    }

    func stream(_ request: TransportRequest, receive: @escaping @Sendable (StreamPart) -> Void) -> any Cancellable {
      opened.change { $0.append(receive) }
      return NothingToCancel()
    }
  }

  @Test func aStreamThatFailsIsTheLastError() throws {
    let streams = Streams()
    var options = ClientOptions()
    (options.transport, options.scheduler, options.usesStreams) = (streams, ManualScheduler(), true)
    let client = TablecastClient<AnyCell>(url: try #require(URL(string: "http://h")), options: options)
    let observation = client.table("t", view: "v").observe { _ in }
    // The table is observed, its poll answered.
    for _ in 0..<2 { client.engine.settle() }
    let receive = try #require(streams.opened.current.first)
    receive(.opened)
    receive(.ended(TransportFailure("cut")))
    client.engine.settle()
    guard case .failed("GET", let target, let reason, _)? = client.lastError?.kind else {
      Issue.record("it is \(client.lastError?.description ?? "none")")
      return
    }
    #expect(target == "/v1/tables/t/stream?view=v" && reason == "cut")
    withExtendedLifetime(observation) {}
  }

  @Test func streamsThatEndAtOnceMakeNoStorm() {
    var run = running()
    for _ in 0..<200 {
      run.handle(.alive(run.last))
      run.handle(.failure(run.last))
      run.advance(1)
      if run.follower.lanes.values.contains(where: { $0.outstanding?.isStream == false }) { run.answer(Self.empty(1)) }
    }
    #expect(Double(run.asked.count) / run.now < 5)
  }
}
