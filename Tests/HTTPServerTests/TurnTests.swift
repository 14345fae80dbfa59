import Synchronization
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
    #expect(test.connection.machine.phase == .waiting(isAskedFor: true))
    #expect(test.connection.machine.phaseDeadline == end)
  }

  /// Also where the server drains.
  @Test(arguments: [false, true]) func waitsThatEndTogetherKeepNobodyWaiting(byDrain: Bool) throws {
    var configuration = Configuration()
    configuration.limits.descriptors = 20_000
    (configuration.limits.connections, configuration.limits.waiters) = (15_000, 10_000)
    let test = try TestLoop(configuration)
    let (loop, counters, count) = (test.loop, test.loop.counters, 5_000)
    loop.watch(test.connection)
    let waiter = MovingWaiter()
    let end = byDrain ? loop.clock.now + 3_600_000 : loop.clock.now
    for number in 0..<count {
      let connection = test.addConnection(withoutSocket: Int32(100_000 + number))
      connection.machine.requestRead(keepsAlive: true, loop.shared.limits)
      loop.park(connection, Wait(topics: [Topic(rawValue: 1)], timeout: nil, waiter: waiter), until: end)
    }
    #expect(counters.waiters.load(ordering: .relaxed) == count)
    if byDrain { loop.drain() }
    for _ in 0..<1000 where counters.timedOut.load(ordering: .relaxed) == 0 { loop.turn() }
    #expect(test.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    for _ in 0..<1000 where counters.requests.load(ordering: .relaxed) == 0 { loop.turn() }
    #expect(counters.requests.load(ordering: .relaxed) == 1)
    #expect((1..<count).contains(counters.timedOut.load(ordering: .relaxed)))
    // There is more to do until all are answered.
    while counters.waiters.load(ordering: .relaxed) > 0 { guard loop.turn() else { break } }
    #expect(counters.waiters.load(ordering: .relaxed) == 0)
    #expect(test.loop.counters.timedOut.load(ordering: .relaxed) == count)
  }
}
