import TestSupport
import Testing

@testable import Upstream

@Suite struct RefreshScheduleTests {
  typealias Schedule = RefreshSchedule

  static func schedule(every: Duration = .seconds(10), retries: Int = 2) -> Schedule {
    var configuration = Schedule.Configuration()
    configuration.every = every
    configuration.retries = retries
    return Schedule(configuration)
  }

  static let transient = Schedule.Outcome.failure(isTransient: true, retryAfter: nil)
  static let final = Schedule.Outcome.failure(isTransient: false, retryAfter: nil)
  static let success = Schedule.Outcome.success(maxAge: nil)

  @Test(arguments: [(0.0, 9.0), (0.5, 10.0), (0.999, 10.998)])
  func jitter(random: Double, seconds: Double) throws {
    var schedule = Self.schedule()
    #expect(schedule.start(at: .zero) == .fetch)
    let step = schedule.finished(Self.success, at: .zero, random: random)
    #expect(step.settled)
    guard case .sleep(let until?) = step.action else { throw Unexpected(step) }
    #expect(abs(until.seconds - seconds) < 0.001)
    #expect(schedule.timerFired(at: until - .milliseconds(1)) == .sleep(until: until))
    #expect(schedule.timerFired(at: until) == .fetch)
  }

  /// An answer that turned out to be none is asked for again as after a failure, less and less often.
  @Test func refusals() {
    var schedule = Self.schedule(every: .seconds(60))
    _ = schedule.start(at: .zero)
    var (now, pauses): (Duration, [Int64]) = (.zero, [])
    for _ in 0..<6 {
      _ = schedule.finished(Self.success, at: now, random: 0.5)
      guard case .sleep(let until?) = schedule.refusedLast(at: now, random: 0.5) else { break }
      pauses.append((until - now).components.seconds)
      now = until
      #expect(schedule.timerFired(at: now) == .fetch)
    }
    #expect(pauses == [2, 4, 8, 16, 32, 60])
    // Good ones in between begin it anew.
    for _ in 0..<2 {
      _ = schedule.finished(Self.success, at: now, random: 0.5)
      now += .seconds(60)
      #expect(schedule.timerFired(at: now) == .fetch)
    }
    _ = schedule.finished(Self.success, at: now, random: 0.5)
    #expect(schedule.refusedLast(at: now, random: 0.5) == .sleep(until: now + .seconds(2)))
    // What is under way will say something else.
    #expect(schedule.refreshAsked(at: now) == .joins(.fetch))
    #expect(schedule.refusedLast(at: now, random: 0.5) == .nothing)
  }

  /// One that is fetched once has not worked before an answer that stands.
  @Test func refusalsOfZero() {
    var schedule = Self.schedule(every: .zero)
    _ = schedule.start(at: .zero)
    for (now, next) in [(0, 2), (2, 6), (6, 14)] {
      _ = schedule.finished(Self.success, at: .seconds(now), random: 0.5)
      #expect(schedule.refusedLast(at: .seconds(now), random: 0.5) == .sleep(until: .seconds(next)))
      #expect(schedule.timerFired(at: .seconds(next)) == .fetch)
    }
    // The same is said of the one before while the next is fetched.
    schedule.refusedEarlier()
    #expect(schedule.finished(Self.success, at: .seconds(14), random: 0.5).action == .sleep(until: nil))
    #expect(schedule.refusedLast(at: .seconds(14), random: 0.5) == .sleep(until: .seconds(30)))
    #expect(schedule.timerFired(at: .seconds(30)) == .fetch)
    #expect(schedule.finished(Self.success, at: .seconds(30), random: 0.5).action == .sleep(until: nil))
    _ = schedule.refreshAsked(at: .seconds(99))
    _ = schedule.finished(Self.success, at: .seconds(99), random: 0.5)
    #expect(schedule.refusedLast(at: .seconds(99), random: 0.5) == .sleep(until: nil))
  }

  struct Unexpected: Error {
    init(_ what: Any) { print(what) }
  }

  @Test(arguments: [
    (every: 10, maxAge: 5, maximum: 3600, next: 10), (10, 60, 3600, 63), (10, 9000, 3600, 3780), (10, 60, 5, 10),
  ])
  func maxAgeLengthens(every: Int, maxAge: Int, maximum: Int, next: Int) {
    var configuration = Schedule.Configuration()
    configuration.every = .seconds(every)
    configuration.maximumAge = .seconds(maximum)
    var schedule = Schedule(configuration)
    _ = schedule.start(at: .seconds(100))
    let step = schedule.finished(.success(maxAge: .seconds(maxAge)), at: .seconds(101), random: 0.5)
    #expect(step.action == .sleep(until: .seconds(100 + next)))
    #expect(schedule.lengthened == (next > every ? .seconds(min(maxAge, maximum)) : nil))
    // Nobody is asked before the age is over, whatever the jitter.
    _ = schedule.timerFired(at: .seconds(100 + next))
    let early = schedule.finished(.success(maxAge: .seconds(maxAge)), at: .seconds(100 + next), random: 0)
    guard case .sleep(let until?) = early.action else { return #expect(Bool(false)) }
    #expect(until >= .seconds(100 + next + min(maxAge, maximum)))
  }

  @Test(arguments: [
    (took: 0, next: 10_000), (3_000, 10_000), (8_900, 10_000), (9_500, 10_500), (25_000, 26_000),
  ])
  func theIntervalCountsFromTheStart(took: Int, next: Int) {
    var schedule = Self.schedule()
    _ = schedule.start(at: .seconds(7))
    let end = Duration.seconds(7) + .milliseconds(took)
    #expect(
      schedule.finished(Self.success, at: end, random: 0.5).action == .sleep(until: .seconds(7) + .milliseconds(next))
    )
  }

  @Test func retriesDoNotMoveTheNextPoll() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .seconds(7))
    _ = schedule.finished(Self.transient, at: .seconds(8), random: 0.5)
    _ = schedule.timerFired(at: .seconds(9))
    #expect(schedule.finished(Self.success, at: .seconds(10), random: 0.5).action == .sleep(until: .seconds(17)))
    // One that was asked for is a start like any other.
    #expect(schedule.refreshAsked(at: .seconds(12)) == .joins(.fetch))
    #expect(schedule.finished(Self.success, at: .seconds(13), random: 0.5).action == .sleep(until: .seconds(22)))
  }

  @Test func whatIsOutdatedIsBegunAnew() {
    var schedule = Self.schedule()
    #expect(schedule.outdated(at: .zero) == .joins(.fetch))
    #expect(schedule.refreshAsked(at: .zero) == .joinsNext)
    #expect(schedule.outdated(at: .seconds(1)) == .joins(.fetch))
    #expect(schedule.state == .fetching(attempt: 0, again: false), "who asked for the next one gets this one")
    _ = schedule.finished(Self.transient, at: .seconds(1), random: 0.5)
    #expect(schedule.outdated(at: .seconds(1)) == .joins(.fetch))
    _ = schedule.finished(.failure(isTransient: true, retryAfter: .seconds(30)), at: .seconds(1), random: 0.5)
    #expect(schedule.outdated(at: .seconds(2)) == .refused)
    schedule.stop()
    #expect(schedule.outdated(at: .seconds(99)) == .refused)
  }

  @Test func zeroIsFetchedOnceAndThenOnRequest() {
    var schedule = Self.schedule(every: .zero)
    #expect(schedule.start(at: .zero) == .fetch)
    #expect(schedule.finished(Self.success, at: .zero, random: 0) == .init(settled: true, action: .sleep(until: nil)))
    #expect(schedule.timerFired(at: .seconds(9999)) == .nothing)
    #expect(schedule.refreshAsked(at: .seconds(9999)) == .joins(.fetch))
    #expect(schedule.finished(Self.final, at: .zero, random: 0).action == .sleep(until: nil))
  }

  @Test func zeroIsTriedUntilItWorked() {
    var schedule = Self.schedule(every: .zero)
    _ = schedule.start(at: .zero)
    #expect(schedule.finished(Self.final, at: .zero, random: 0.5).action == .sleep(until: .seconds(2)))
    _ = schedule.timerFired(at: .seconds(2))
    #expect(schedule.finished(Self.final, at: .seconds(2), random: 0.5).action == .sleep(until: .seconds(6)))
  }

  @Test func retriesWithFullJitterThenSettles() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .zero)
    #expect(
      schedule.finished(Self.transient, at: .zero, random: 0.5)
        == .init(settled: false, action: .sleep(until: .milliseconds(125)))
    )
    #expect(schedule.timerFired(at: .milliseconds(125)) == .fetch)
    #expect(
      schedule.finished(Self.transient, at: .zero, random: 0.5)
        == .init(settled: false, action: .sleep(until: .milliseconds(250)))
    )
    #expect(schedule.timerFired(at: .milliseconds(250)) == .fetch)
    #expect(
      schedule.finished(Self.transient, at: .seconds(1), random: 0.5)
        == .init(settled: true, action: .sleep(until: .seconds(3)))
    )
  }

  @Test func recoveryGrowsUpToTheInterval() {
    var schedule = Self.schedule(every: .seconds(10))
    _ = schedule.start(at: .zero)
    for delay in [2, 4, 8, 10, 10] {
      #expect(schedule.finished(Self.final, at: .zero, random: 0.5).action == .sleep(until: .seconds(delay)))
      #expect(schedule.timerFired(at: .seconds(delay)) == .fetch)
    }
  }

  @Test func retryAfterIsObeyedByPollsAndRequests() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .zero)
    let step = schedule.finished(.failure(isTransient: true, retryAfter: .seconds(30)), at: .zero, random: 0.5)
    #expect(step == .init(settled: true, action: .sleep(until: .seconds(30))))
    #expect(schedule.refreshAsked(at: .seconds(29)) == .refused)
    #expect(schedule.refreshAsked(at: .seconds(30)) == .joins(.fetch))
  }

  @Test func askedDuringARefreshLeadsToOneMore() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .zero)
    #expect(schedule.refreshAsked(at: .zero) == .joinsNext)
    #expect(schedule.refreshAsked(at: .zero) == .joinsNext)
    #expect(schedule.finished(Self.success, at: .zero, random: 0) == .init(settled: true, action: .fetch))
    #expect(schedule.finished(Self.success, at: .zero, random: 0.5).action == .sleep(until: .seconds(10)))
  }

  @Test func askedDuringBackoffIsTheNextAttempt() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .zero)
    _ = schedule.finished(Self.transient, at: .zero, random: 1)
    #expect(schedule.refreshAsked(at: .zero) == .joins(.fetch))
    #expect(schedule.state == .fetching(attempt: 1, again: false))
  }

  @Test func suspendedPollsNothing() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .zero)
    #expect(schedule.suspend() == .nothing)
    #expect(schedule.finished(Self.success, at: .zero, random: 0.5).action == .sleep(until: nil))
    #expect(schedule.timerFired(at: .seconds(99)) == .nothing)
    #expect(schedule.refreshAsked(at: .seconds(99)) == .joins(.fetch))
    #expect(schedule.finished(Self.success, at: .seconds(100), random: 0.5).action == .sleep(until: nil))
    #expect(schedule.resume(at: .seconds(105)) == .sleep(until: .seconds(109)))
    #expect(schedule.suspend() == .sleep(until: nil))
    #expect(schedule.resume(at: .seconds(111)) == .fetch)
  }

  @Test func stoppedDoesNothing() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .zero)
    schedule.stop()
    #expect(schedule.finished(Self.success, at: .zero, random: 0) == .init(settled: false, action: .nothing))
    #expect(schedule.refreshAsked(at: .zero) == .refused)
    #expect(schedule.start(at: .zero) == .nothing)
  }

  /// Due, held until and failures as they were left, whether what was said last is known, and when the first fetch comes:
  /// seconds after the change; nil: none.
  @Test(
    arguments: [
      (due: 7, held: nil, failures: 0, isWhole: true, next: 7), (-3, nil, 0, true, 0), (nil, nil, 0, true, 0),
      (7, nil, 0, false, 0), (nil, nil, 0, false, 0), (30, 30, 1, true, 30), (30, 30, 1, false, 30),
      (5, nil, 2, false, 5), (nil, 40, 1, false, 40), (nil, 40, 1, true, 40), (-9, -9, 1, false, 0),
      (90_000, nil, 0, true, 7200), (nil, 90_000, 1, false, 7200),
    ] as [(Int?, Int?, Int, Bool, Int?)]
  )
  func anothersScheduleIsKeptTo(due: Int?, held: Int?, failures: Int, isWhole: Bool, next: Int?) {
    let now = Duration.seconds(1000)
    var left = SourceHandover()
    (left.due, left.heldUntil) = (due.map { now + .seconds($0) }, held.map { now + .seconds($0) })
    (left.failures, left.hasWorked) = (failures, true)
    var schedule = Self.schedule()
    _ = schedule.suspend()
    let action = schedule.takeOver(left, isWhole: isWhole, at: now)
    #expect(action == (next == 0 ? .fetch : .sleep(until: next.map { now + .seconds($0) })))
    #expect(schedule.pace == .running)
    // Whoever asks for a refresh is refused as it would have been.
    if next != 0 {
      let isHeld = (held ?? 0) > 0
      #expect((schedule.refreshAsked(at: now) == .refused) == isHeld)
    }
  }

  /// Where nothing was left, and of one that is asked on request only.
  @Test func whatIsNotPolledIsTakenOverToo() {
    let now = Duration.seconds(1000)
    var schedule = Self.schedule(every: .zero)
    #expect(schedule.takeOver(SourceHandover(), isWhole: true, at: now) == .sleep(until: nil))
    #expect(schedule.takeOver(SourceHandover(), isWhole: false, at: now) == .fetch)
    let pause = Schedule.Outcome.failure(isTransient: true, retryAfter: .seconds(60))
    _ = schedule.finished(pause, at: now, random: 0.5)
    // What the upstream has asked of this one counts where nobody knows more.
    #expect(schedule.takeOver(nil, isWhole: true, at: now) == .sleep(until: now + .seconds(60)))
    #expect(schedule.refreshAsked(at: now) == .refused)
    #expect(schedule.takeOver(nil, isWhole: true, at: now + .seconds(60)) == .fetch)
  }

  @Test func whatIsUnderWayIsDueForTheNextOne() {
    var schedule = Self.schedule()
    _ = schedule.start(at: .seconds(3))
    #expect(schedule.handover.due == .seconds(3) && !schedule.handover.hasWorked)
    _ = schedule.finished(Self.success, at: .seconds(4), random: 0.5)
    #expect(schedule.handover.due == .seconds(13) && schedule.handover.hasWorked)
    _ = schedule.timerFired(at: .seconds(13))
    _ = schedule.finished(.failure(isTransient: true, retryAfter: .seconds(60)), at: .seconds(14), random: 0.5)
    #expect(schedule.handover.heldUntil == .seconds(74) && schedule.handover.failures == 1)
    _ = schedule.timerFired(at: .seconds(80))
    schedule.stop()
    #expect(schedule.handover.due == .seconds(80) && !schedule.isIdle)
  }
}

@Suite struct CircuitBreakerTests {
  @Test func opensProbesAndCloses() {
    var breaker = CircuitBreaker()
    for _ in 0..<5 {
      #expect(breaker.permits(at: .zero) == true)
      breaker.record(.bad, at: .zero, random: 1)
    }
    #expect(breaker.state == .open(until: .seconds(1), period: .seconds(1)))
    #expect(breaker.permits(at: .milliseconds(999)) == false)
    #expect(breaker.permits(at: .seconds(1)) == true)
    #expect(breaker.permits(at: .seconds(1)) == false, "one probe at a time")
    breaker.record(.bad, at: .seconds(1), random: 1)
    #expect(breaker.state == .open(until: .seconds(3), period: .seconds(2)))
    #expect(breaker.permits(at: .seconds(2), isUrgent: true) == true, "somebody asked")
    breaker.record(.unknown, at: .seconds(2), random: 1)
    #expect(breaker.permits(at: .seconds(2)) == true, "a cancelled probe makes room")
    breaker.record(.good, at: .seconds(2), random: 1)
    #expect(breaker.state == .closed(failures: 0))
  }

  @Test func oneGoodAnswerForgives() {
    var breaker = CircuitBreaker()
    for round in 0..<40 {
      breaker.record(round % 5 == 4 ? .good : .bad, at: .zero, random: 0)
      #expect(breaker.permits(at: .zero) == true)
    }
  }

  @Test func periodHasABound() {
    var breaker = CircuitBreaker()
    for _ in 0..<100 {
      _ = breaker.permits(at: .zero, isUrgent: true)
      breaker.record(.bad, at: .zero, random: 0.5)
    }
    #expect(breaker.state == .open(until: .seconds(15) * 0.75, period: .seconds(15)))
  }
}
