import Testing

@testable import HTTPServer

@Suite struct ConnectionStateMachineTests {
  private let limits = Configuration.Limits()
  private let timeouts = Timeouts(Configuration.Timeouts())

  private func machine() -> ConnectionStateMachine { ConnectionStateMachine(now: 1000, timeouts) }

  @Test func aSilentClientIsClosedWithoutAWord() {
    var machine = machine()
    #expect(machine.deadline == 9000)
    #expect(machine.deadlineReached(now: 8999, timeouts) == .nothing)
    #expect(machine.deadlineReached(now: 9000, timeouts) == .close)
  }

  @Test func aDripDoesNotMoveTheHeadsDeadline() {
    var machine = machine()
    for now in stride(from: 1000, to: 9000, by: 500) {
      machine.received(isBody: false, bodyCount: 0, now: now, timeouts)
    }
    #expect(machine.deadline == 9000)
    #expect(machine.deadlineReached(now: 9000, timeouts) == .refuse(.tooSlow))
  }

  @Test func aBodyNeedsItsRate() {
    var machine = machine()
    // A byte a second: idle never, and yet too slow.
    var now = 1000
    var count = 0
    while machine.deadlineReached(now: now, timeouts) == .nothing, now < 60_000 {
      count += 1
      machine.received(isBody: true, bodyCount: count, now: now, timeouts)
      now += 1000
    }
    #expect(now == 10_000)
  }

  @Test func keepAliveEndsWithTheLimitOfRequests() {
    var limits = limits
    limits.requestsPerConnection = 2
    var machine = machine()
    machine.requestRead(keepsAlive: true, limits)
    #expect(machine.keepsAlive && !machine.wantsInput)
    machine.responded(now: 2000, timeouts)
    #expect(machine.phase == .idle && machine.wantsInput)
    #expect(machine.deadlineReached(now: 2000 + timeouts.keepAlive, timeouts) == .close)
    machine.requestRead(keepsAlive: true, limits)
    machine.responded(now: 3000, timeouts)
    #expect(machine.phase == .closing)
  }

  @Test func outputThatWaitsStopsReadingAndHasADeadline() {
    var machine = machine()
    machine.requestRead(keepsAlive: true, limits)
    machine.responded(now: 1000, timeouts)
    machine.outputWaits(taken: 0, now: 1000, timeouts)
    #expect(!machine.wantsInput)
    machine.outputWaits(taken: 50_000, now: 5000, timeouts)
    #expect(machine.deadlineReached(now: 1000 + timeouts.write, timeouts) == .nothing)
    #expect(machine.deadlineReached(now: 5000 + timeouts.write, timeouts) == .cutOff)
    machine.outputTaken(now: 6000, timeouts)
    #expect(machine.wantsInput && machine.deadline == 6000 + timeouts.keepAlive)
  }

  /// The first response waits to be taken since before the second one, whose request came with its own.
  @Test func aReaderOfTwoResponsesIsNotIdle() {
    var machine = machine()
    machine.requestRead(keepsAlive: true, limits)
    machine.responded(now: 1000, timeouts)
    machine.requestRead(keepsAlive: true, limits)
    machine.outputWaits(taken: 0, now: 1000, timeouts)
    machine.responded(now: 1000, timeouts)
    #expect(machine.phase == .idle && machine.deadline == 1000 + timeouts.write)
    machine.outputTaken(now: 12_000, timeouts)
    #expect(machine.deadline == 12_000 + timeouts.keepAlive)
  }

  /// What came behind a response that is not taken yet could not be kept.
  @Test func aResponseOnItsWayIsTheLastOne() {
    var machine = machine()
    machine.requestRead(keepsAlive: true, limits)
    machine.responded(now: 1000, timeouts)
    machine.outputWaits(taken: 0, now: 1000, timeouts)
    machine.mustClose()
    machine.outputTaken(now: 2000, timeouts)
    #expect(machine.phase == .closing && !machine.wantsInput)
  }

  @Test func aReaderNeedsItsRate() {
    var machine = machine()
    machine.requestRead(keepsAlive: true, limits)
    machine.responded(now: 1000, timeouts)
    machine.outputWaits(taken: 0, now: 1000, timeouts)
    // Some bytes every second: something always, and yet too little.
    var now = 1000
    while machine.deadlineReached(now: now, timeouts) == .nothing, now < 200_000 {
      now += 1000
      machine.outputWaits(taken: 100, now: now, timeouts)
    }
    #expect((22_000...23_000).contains(now))
    // What is taken at the rate may take as long as it takes, and what waits later is counted anew.
    machine.outputTaken(now: now, timeouts)
    machine.outputWaits(taken: 0, now: 300_000, timeouts)
    for now in stride(from: 301_000, to: 600_000, by: 1000) {
      #expect(machine.deadlineReached(now: now, timeouts) == .nothing)
      machine.outputWaits(taken: timeouts.writeRate, now: now, timeouts)
    }
  }

  @Test func aBodyHasAnEnd() {
    var machine = machine()
    // At twice the rate that is asked for, and without end.
    var now = 1000
    var count = 0
    while machine.deadlineReached(now: now, timeouts) == .nothing, now < 200_000 {
      count += 2 * timeouts.bodyRate
      machine.received(isBody: true, bodyCount: count, now: now, timeouts)
      now += 1000
    }
    #expect(now == 61_000)
    #expect(machine.deadlineReached(now: now, timeouts) == .refuse(.tooSlow))
  }

  @Test func whoeverGoesIsTreatedByWhatWasGoingOn() {
    var fresh = machine()
    #expect(fresh.peerFinished() == .close)
    var handling = machine()
    handling.requestRead(keepsAlive: true, limits)
    #expect(handling.peerFinished() == .nothing)
    // What it sent behind that is answered, too.
    handling.responded(now: 2000, timeouts)
    #expect(handling.phase == .idle && handling.wantsInput)
    handling.requestRead(keepsAlive: true, limits)
    handling.responded(now: 2000, timeouts)
    #expect(handling.peerFinished() == .close)
    var waiting = machine()
    waiting.requestRead(keepsAlive: true, limits)
    waiting.parked(until: 30_000)
    #expect(waiting.deadline == 30_000)
    #expect(waiting.peerFinished() == .close)
    // It has not asked to wait.
    var reading = machine()
    reading.requestRead(keepsAlive: true, limits)
    reading.parked(until: 30_000, isAskedFor: false)
    #expect(reading.peerFinished() == .nothing)
    reading.unparked()
    reading.responded(now: 2000, timeouts)
    #expect(reading.phase == .idle && reading.peerFinished() == .close)
  }

  @Test func drainingLetsNothingGoOn() {
    var fresh = machine()
    #expect(fresh.drainBegan(now: 100, timeouts) == .nothing)
    #expect(fresh.deadline == 350)
    var idle = machine()
    idle.requestRead(keepsAlive: true, limits)
    idle.responded(now: 1, timeouts)
    #expect(idle.drainBegan(now: 100, timeouts) == .close)
    var waiting = machine()
    waiting.requestRead(keepsAlive: true, limits)
    waiting.parked(until: 30_000)
    #expect(waiting.drainBegan(now: 100, timeouts) == .timeOut)
    var head = machine()
    head.received(isBody: false, bodyCount: 0, now: 1000, timeouts)
    #expect(head.drainBegan(now: 100, timeouts) == .nothing)
    head.requestRead(keepsAlive: true, limits)
    head.responded(now: 1, timeouts)
    #expect(head.phase == .closing)
  }

  @Test func aStreamsSilenceCallsForASign() {
    var machine = machine()
    machine.requestRead(keepsAlive: true, limits)
    machine.streamed(heartbeat: 16_000)
    #expect(machine.deadlineReached(now: 16_000, timeouts) == .heartbeat)
    #expect(machine.deadline == 16_000 + timeouts.heartbeat)
  }
}
