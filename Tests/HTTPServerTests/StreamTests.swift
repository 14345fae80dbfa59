import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Streams whose source waits until what it sent has gone.
@Suite struct StreamTests {
  private static let size = 10_000_000

  private static func open(_ service: TestService, fill: Int) -> TestClient {
    let client = TestClient(port: service.port)
    client.send("GET /paced?fill=\(fill) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return client
  }

  @Test func aMessageOfAnySizeArrivesWhole() throws {
    let service = try TestService()
    let client = StreamTests.open(service, fill: StreamTests.size)
    #expect(client.receiveHead().code == "200")
    for version in 0...2 {
      let message = client.receiveChunk()
      let isWhole = message == PacedTestStream.message(version, fill: StreamTests.size)
      #expect(isWhole, "version \(version): \(message?.count ?? -1) bytes")
      service.publish(9)
    }
    #expect(service.statistics.slowReaders == 0)
  }

  @Test func whatHappensWhileAReaderTakesItsTimeIsOneMessage() throws {
    let service = try TestService()
    let client = StreamTests.open(service, fill: StreamTests.size)
    // It has taken the head, and lets the message wait: more than the kernel holds for it.
    #expect(client.receiveHead().code == "200")
    #expect(TestService.eventually { service.recorded.messages == 1 })
    for _ in 0..<200 { service.publish(9) }
    // The loops have seen all of these when what was posted behind them has been answered.
    let other = TestClient(port: service.port)
    other.send(CaseTests.health)
    #expect(other.receive().code == "200")
    #expect(service.recorded.messages == 1)
    for version in [0, 200] {
      let isWhole = client.receiveChunk() == PacedTestStream.message(version, fill: StreamTests.size)
      #expect(isWhole, "version \(version)")
    }
    #expect(service.recorded.messages == 2)
    #expect(service.statistics.streams == 1 && service.statistics.slowReaders == 0)
  }

  @Test func aReaderThatTakesNothingOfAMessageIsCutOff() throws {
    let service = try TestService { $0.timeouts.write = .milliseconds(150) }
    let client = StreamTests.open(service, fill: StreamTests.size)
    #expect(TestService.eventually { service.recorded.streamsClosed == 1 })
    #expect(service.statistics.slowReaders == 1 && service.statistics.streams == 0)
    client.close()
  }

  @Test func aReaderThatStillTakesIsNotAskedForASignOfLife() {
    let timeouts = Timeouts(Configuration.Timeouts())
    var machine = ConnectionStateMachine(now: 0, timeouts)
    machine.requestRead(keepsAlive: true, Configuration.Limits())
    machine.streamed(heartbeat: timeouts.heartbeat)
    machine.outputWaits(taken: 0, now: timeouts.heartbeat - 1, timeouts)
    #expect(machine.deadlineReached(now: timeouts.heartbeat, timeouts) == .nothing)
    machine.outputTaken(now: timeouts.heartbeat, timeouts)
    #expect(machine.deadlineReached(now: 2 * timeouts.heartbeat, timeouts) == .heartbeat)
  }

  @Test func onlyWhatWaitsBehindAMessageIsBounded() {
    var queue = OutputQueue()
    // A head that waits is no message.
    queue.append([1, 2, 3])
    func send(_ size: Int) -> Bool {
      let isAdmitted = queue.admit(message: size, backlog: 10)
      if isAdmitted { queue.append([UInt8](repeating: 0, count: size)) }
      return isAdmitted
    }
    let first = [send(1000), send(6), send(4), send(1)]
    #expect(first == [true, true, true, false])
    queue.advance(queue.count - 2)
    let second = [send(8), send(1)]
    #expect(second == [true, false])
    queue.advance(queue.count)
    let hadMessages = [queue.endMessages(), queue.endMessages()]
    #expect(hadMessages == [true, false])
    let third = send(1000)
    #expect(third)
  }

  enum Event { case woken, send, rest, drained, heartbeat }

  @Test(
    arguments: [
      ("news", [(.woken, true), (.send, false), (.drained, false), (.woken, true)]),
      ("nothing new", [(.woken, true), (.rest, false), (.woken, true)]),
      ("news while one is made", [(.woken, true), (.woken, false), (.send, false), (.drained, true), (.rest, false)]),
      ("news while nothing is found", [(.woken, true), (.woken, false), (.rest, true), (.rest, false)]),
      ("news while one goes", [(.woken, true), (.send, false), (.woken, false), (.woken, false), (.drained, true)]),
      ("what went was no message", [(.drained, false), (.woken, true), (.drained, false), (.send, false)]),
      (
        "a sign of life, and a look behind it",
        [(.heartbeat, true), (.heartbeat, false), (.drained, true), (.rest, false)]
      ),
      ("no sign of life beside a message", [(.woken, true), (.heartbeat, false), (.send, false), (.heartbeat, false)]),
    ] as [(String, [(Event, Bool)])]
  )
  func pacing(name: String, events: [(Event, Bool)]) {
    var pacing = StreamPacing()
    for (index, (event, makes)) in events.enumerated() {
      let action: Bool
      switch event {
      case .woken: action = pacing.woken() == .make
      case .send:
        pacing.send()
        action = false
      case .rest: action = pacing.rest() == .make
      case .drained: action = pacing.drained() == .make
      case .heartbeat: action = pacing.heartbeat()
      }
      #expect(action == makes, "\(name), event \(index)")
    }
  }
}

/// Sends its version, and `fill` bytes behind it, one message at a time; made on another queue.
final class PacedTestStream: StreamSource {
  let topics = [Topic(rawValue: 9)]
  private let service: TestService
  private let fill: [UInt8]
  private let state = Mutex((pacing: StreamPacing(), sent: -1))
  private let queue = DispatchQueue(label: "paced")

  init(_ service: TestService, _ fill: Int) {
    self.service = service
    self.fill = [UInt8](repeating: 0x78, count: fill)
  }

  static func message(_ version: Int, fill: Int) -> [UInt8] {
    Array("\(version)".utf8) + [UInt8](repeating: 0x78, count: fill)
  }

  func opened(_ stream: StreamHandle) { woken(stream) }

  func woken(_ stream: StreamHandle) {
    if state.withLock({ $0.pacing.woken() }) == .make { make(stream) }
  }

  func drained(_ stream: StreamHandle) {
    if state.withLock({ $0.pacing.drained() }) == .make { make(stream) }
  }

  func heartbeat(_ stream: StreamHandle) {}
  func closed() { service.record { $0.streamsClosed += 1 } }

  private func make(_ stream: StreamHandle) {
    queue.async { [self] in
      let version = service.version(9)
      let isNew = state.withLock { state in
        guard state.sent != version else { return false }
        state.sent = version
        state.pacing.send()
        return true
      }
      if isNew {
        service.record { $0.messages += 1 }
        stream.send([Array("\(version)".utf8), fill])
      } else if state.withLock({ $0.pacing.rest() }) == .make {
        make(stream)
      }
    }
  }
}
