/// Spares a host that fails again and again: after some failures in a row it is asked once in a while only, until
/// one answer is good. A state machine without a clock; instants count from any fixed point.
struct CircuitBreaker: Sendable {
  enum State: Equatable, Sendable {
    /// Everything passes; so many failures in a row so far.
    case closed(failures: Int)
    /// Nothing passes before `until`; then one probe.
    case open(until: Duration, period: Duration)
    /// The probe is under way; nothing else passes.
    case halfOpen(period: Duration)
  }

  enum Verdict: Equatable { case good, bad, unknown }

  private(set) var state = State.closed(failures: 0)
  var threshold = 5
  var firstPeriod = Duration.seconds(1)
  var maximumPeriod = Duration.seconds(15)

  /// - Parameter isUrgent: somebody asked for it now: may be the probe before its time.
  mutating func permits(at now: Duration, isUrgent: Bool = false) -> Bool {
    switch state {
    case .closed: return true
    case .halfOpen: return false
    case .open(let until, let period):
      guard isUrgent || now >= until else { return false }
      state = .halfOpen(period: period)
      return true
    }
  }

  /// - Parameter random: in 0..<1.
  mutating func record(_ verdict: Verdict, at now: Duration, random: Double) {
    switch (verdict, state) {
    case (.good, _): state = .closed(failures: 0)
    case (.bad, .closed(let failures)):
      state = failures + 1 < threshold ? .closed(failures: failures + 1) : opened(firstPeriod, now, random)
    case (.bad, .halfOpen(let period)): state = opened(min(period * 2, maximumPeriod), now, random)
    case (.unknown, .halfOpen(let period)): state = .open(until: now, period: period)
    case (.bad, .open), (.unknown, .closed), (.unknown, .open): break  // asked before it opened
    }
  }

  /// Between a half and the whole period: many services do not come back in step.
  private func opened(_ period: Duration, _ now: Duration, _ random: Double) -> State {
    .open(until: now + period * (0.5 + random / 2), period: period)
  }
}
