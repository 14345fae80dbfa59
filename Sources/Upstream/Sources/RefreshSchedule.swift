/// When a source is fetched: the interval with its jitter, retries, `Retry-After`, refreshes on request that never
/// overlap. A state machine without clock, randomness and I/O; instants count from any fixed point.
///
/// The interval counts from the start of one refresh to the start of the next, however long the upstream takes; one
/// that takes longer than the interval is left alone for a tenth of it in between.
struct RefreshSchedule: Sendable {
  struct Configuration: Sendable {
    /// Zero: never by itself.
    var every = Duration.seconds(60)
    /// The longest interval that `Cache-Control: max-age` may lengthen `every` to.
    var maximumAge = Duration.seconds(3600)
    var retries = 2
    var firstBackoff = Duration.milliseconds(250)
    var maximumBackoff = Duration.seconds(10)
    /// After the first failed refresh; doubles up to `every`, so that a long interval does not mean a long outage.
    var firstRecovery = Duration.seconds(2)
    /// The longest interval where `every` is zero and the source never worked.
    var maximumRecovery = Duration.seconds(60)
    /// The longest `Retry-After` of an upstream that counts.
    var maximumRetryAfter = Duration.seconds(3600)
    var jitter = 0.1
  }

  enum State: Equatable, Sendable {
    /// Nothing is done before that instant; nil: only when asked.
    case waiting(until: Duration?)
    /// `again`: somebody asked meanwhile, and gets a fetch that starts after they asked.
    case fetching(attempt: Int, again: Bool)
    /// Between two attempts of one refresh.
    case backingOff(attempt: Int, until: Duration)
    case stopped
  }

  enum Pace: Equatable, Sendable { case running, suspended }

  enum Action: Equatable, Sendable {
    case fetch
    /// Call `timerFired` then; nil: no timer.
    case sleep(until: Duration?)
    case nothing
  }

  /// The result of a demand for a refresh.
  enum Answer: Equatable, Sendable {
    /// Answered by the refresh that starts or goes on now.
    case joins(Action)
    /// Answered by the one after that which is under way.
    case joinsNext
    /// The upstream wants to be left alone: answered with the last failure.
    case refused
  }

  enum Outcome: Equatable, Sendable {
    case success(maxAge: Duration?)
    case failure(isTransient: Bool, retryAfter: Duration?)
  }

  /// `settled`: the refresh is over, whoever waits for it hears of it.
  struct Step: Equatable, Sendable {
    var settled: Bool
    var action: Action
  }

  let configuration: Configuration
  private(set) var state = State.waiting(until: nil)
  private(set) var pace = Pace.running
  /// When the next poll is due, while suspended too.
  private var due: Duration?
  private var heldUntil: Duration?
  /// When the refresh under way, or the last one, was begun.
  private var begun = Duration.zero
  private var failedRefreshes = 0
  private var hasWorked = false
  /// It had worked before the last success.
  private var hadWorked = false
  /// How many successes in a row turned out to be none, and how many there were since the last one that did.
  private var refusals = 0
  private var successesSinceRefusal = 0
  /// The interval by `Cache-Control: max-age`, where it is longer than `every`.
  private(set) var lengthened: Duration?

  init(_ configuration: Configuration) { self.configuration = configuration }

  mutating func start(at now: Duration) -> Action {
    guard case .waiting = state else { return .nothing }
    return begin(at: now)
  }

  mutating func timerFired(at now: Duration) -> Action {
    switch state {
    case .waiting(let until?) where pace == .running: now >= until ? begin(at: now) : .sleep(until: until)
    case .backingOff(let attempt, let until): now >= until ? fetch(attempt: attempt) : .sleep(until: until)
    case .waiting, .fetching, .stopped: .nothing
    }
  }

  mutating func refreshAsked(at now: Duration) -> Answer {
    switch state {
    case .waiting:
      if let heldUntil, now < heldUntil { return .refused }
      return .joins(begin(at: now))
    case .backingOff(let attempt, _): return .joins(fetch(attempt: attempt))
    case .fetching(let attempt, _):
      state = .fetching(attempt: attempt, again: true)
      return .joinsNext
    case .stopped: return .refused
    }
  }

  /// Takes notice that the upstream's items may differ from those that a fetch under way will bring: it is begun anew,
  /// and callers that wait for it, or for the one after it, wait for this one. Else as a refresh that is asked for.
  mutating func outdated(at now: Duration) -> Answer {
    switch state {
    case .waiting: refreshAsked(at: now)
    case .fetching, .backingOff: .joins(begin(at: now))
    case .stopped: .refused
    }
  }

  /// - Parameter random: in 0..<1.
  mutating func finished(_ outcome: Outcome, at now: Duration, random: Double) -> Step {
    guard case .fetching(let attempt, let again) = state else { return Step(settled: false, action: .nothing) }
    switch outcome {
    case .success(let maxAge):
      (failedRefreshes, hadWorked, hasWorked, heldUntil) = (0, hasWorked, true, nil)
      successesSinceRefusal += 1
      let age = min(maxAge ?? .zero, configuration.maximumAge)
      due = nextPoll(age: age, after: now, random)
    case .failure(true, nil) where attempt < configuration.retries && !again:
      // Full jitter: anything up to the ceiling, so that those who failed together do not come back together.
      let ceiling = min(doubled(configuration.firstBackoff, attempt), configuration.maximumBackoff)
      let until = now + ceiling * random
      state = .backingOff(attempt: attempt + 1, until: until)
      return Step(settled: false, action: .sleep(until: until))
    case .failure(_, let retryAfter):
      failedRefreshes += 1
      let pause = retryAfter.map { min($0, configuration.maximumRetryAfter) }
      heldUntil = pause.map { now + $0 }
      due = recovery(random).map { now + max($0, pause ?? .zero) }
    }
    if again, heldUntil == nil { return Step(settled: true, action: begin(at: now)) }
    state = .waiting(until: due)
    return Step(settled: true, action: .sleep(until: pace == .running ? due : nil))
  }

  /// Takes notice that the last refresh's result is of no use: it counts as failed. Of one that is under way or over,
  /// nothing changes.
  mutating func refusedLast(at now: Duration, random: Double) -> Action {
    guard case .waiting = state else { return .nothing }
    refusals = successesSinceRefusal > 1 ? 1 : refusals + 1
    (failedRefreshes, successesSinceRefusal, hasWorked) = (refusals, 0, hadWorked)
    due = recovery(random).map { now + $0 } ?? due
    state = .waiting(until: due)
    return .sleep(until: pace == .running ? due : nil)
  }

  /// The same while the next fetch is under way.
  mutating func refusedEarlier() { hasWorked = hadWorked }

  /// A fetch that is under way goes on to its end; after it nothing is done but what is asked for.
  mutating func suspend() -> Action {
    pace = .suspended
    if case .waiting = state { return .sleep(until: nil) }
    return .nothing
  }

  mutating func resume(at now: Duration) -> Action {
    guard pace == .suspended else { return .nothing }
    pace = .running
    guard case .waiting(let until?) = state else { return .nothing }
    return now >= until ? begin(at: now) : .sleep(until: until)
  }

  mutating func stop() {
    due = handover.due
    state = .stopped
  }

  // MARK: From one to the next

  /// No refresh is under way.
  var isIdle: Bool { if case .waiting = state { true } else { false } }

  var isStopped: Bool { state == .stopped }

  /// The state for the next leader. A refresh that is under way is due.
  var handover: SourceHandover {
    var handover = SourceHandover()
    switch state {
    case .waiting, .stopped: handover.due = due
    case .fetching, .backingOff: handover.due = begun
    }
    (handover.heldUntil, handover.failures, handover.hasWorked) = (heldUntil, failedRefreshes, hasWorked)
    handover.lengthened = lengthened
    return handover
  }

  /// Goes on where another one has stopped.
  ///
  /// - Parameters:
  ///   - left: nil: nobody knows where.
  ///   - isWhole: what that one was told last is known, too. Else the upstream is asked as soon as it may be: at once, or
  ///     when a failing one is due.
  mutating func takeOver(_ left: SourceHandover?, isWhole: Bool, at now: Duration) -> Action {
    guard case .waiting = state else { return resume(at: now) }
    pace = .running
    let isWhole = isWhole && left != nil
    let left = left ?? ownPause
    (heldUntil, failedRefreshes) = (left.heldUntil, left.failures)
    (hasWorked, hadWorked) = (left.hasWorked, left.hasWorked)
    lengthened = left.lengthened
    // Clocks may be set: nobody waits much longer than this one ever would.
    let latest = now + max(configuration.every, configuration.maximumAge, configuration.maximumRetryAfter) * 2
    heldUntil = heldUntil.map { min($0, latest) }
    // A source that is polled always has a due time: else it was left in the middle of being taken over.
    let isDueAsLeft = left.due == nil ? isWhole && configuration.every == .zero : isWhole || left.failures > 0
    due = isDueAsLeft ? left.due.map { min($0, latest) } : max(heldUntil ?? now, now)
    guard let due else {
      state = .waiting(until: nil)
      return .sleep(until: nil)
    }
    guard now < due else { return begin(at: now) }
    state = .waiting(until: due)
    return .sleep(until: due)
  }

  /// The pause that the upstream has asked for.
  private var ownPause: SourceHandover {
    var pause = SourceHandover()
    (pause.heldUntil, pause.hasWorked) = (heldUntil, hasWorked)
    return pause
  }

  private mutating func begin(at now: Duration) -> Action {
    begun = now
    return fetch(attempt: 0)
  }

  private mutating func fetch(attempt: Int) -> Action {
    state = .fetching(attempt: attempt, again: false)
    return .fetch
  }

  /// Freshness counts from the request too (RFC 9111 section 4.2.3); nobody is asked before it is over.
  private mutating func nextPoll(age: Duration, after now: Duration, _ random: Double) -> Duration? {
    lengthened = age > configuration.every ? age : nil
    guard configuration.every > .zero else { return nil }
    let interval = max(jittered(configuration.every, random), age * (1 + configuration.jitter * random))
    return max(begun + interval, now + configuration.every * configuration.jitter)
  }

  private func recovery(_ random: Double) -> Duration? {
    let grown = doubled(configuration.firstRecovery, failedRefreshes - 1)
    if configuration.every > .zero { return jittered(min(configuration.every, grown), random) }
    return hasWorked ? nil : jittered(min(configuration.maximumRecovery, grown), random)
  }

  private func doubled(_ duration: Duration, _ times: Int) -> Duration { duration * (1 << max(0, min(times, 20))) }

  private func jittered(_ duration: Duration, _ random: Double) -> Duration {
    duration * (1 - configuration.jitter + 2 * configuration.jitter * random)
  }
}
