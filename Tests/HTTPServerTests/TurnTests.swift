import Testing

@testable import HTTPServer

/// What an event loop does in its turns, taken one by one.
@Suite struct TurnTests {
  /// Waits for topic 2 once topic 1 was woken.
  private final class MovingWaiter: Waiter {
    func woken(_ exchange: Exchange) -> Reply? {
      .wait(Wait(topics: [Topic(rawValue: 2)], timeout: nil, waiter: self))
    }

    func timedOut(_ exchange: Exchange) -> Reply { .response(Response(status: .noContent)) }
    func abandoned() {}
  }

  /// The response before it waits to be taken, for which there is less time.
  @Test func aWaitForSomethingElseKeepsItsDeadline() throws {
    let test = try TestLoop()
    let (loop, connection) = (test.loop, test.connection)
    test.beginRequest()
    loop.respond(connection, Response(status: .ok, body: [UInt8](repeating: 0x78, count: 4_000_000)))
    loop.flush(connection)
    test.beginRequest()
    let end = loop.clock.now + 3_600_000
    loop.park(connection, Wait(topics: [Topic(rawValue: 1)], timeout: nil, waiter: MovingWaiter()), until: end)
    #expect(connection.machine.hasOutput && connection.machine.deadline < end)
    loop.wake([Topic(rawValue: 1)])
    loop.answerWoken(1)
    #expect(connection.machine.phase == .waiting(isAskedFor: true))
    #expect(connection.machine.phaseDeadline == end)
  }
}
