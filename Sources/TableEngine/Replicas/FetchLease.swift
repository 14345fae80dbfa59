import TableStore

/// When a replica may ask the sources: as long as it holds the lease for it. A state machine without I/O; the clock is
/// given, in seconds that never go back.
struct FetchLease {
  enum State: Equatable {
    /// Another one holds it, or nobody has been asked yet.
    case waiting
    /// The store was asked for it.
    case asking
    case holding(Lease, until: Double)
    case stopped
  }

  enum Action: Equatable {
    case acquire
    case renew(Lease)
    case release(Lease)
    case beginFetching
    case stopFetching
  }

  private(set) var state = State.waiting
  /// How long it lasts unless it is renewed, in seconds.
  private let lifetime: Double

  init(lifetime: Double = Double(Lease.lifetime.components.seconds)) { self.lifetime = lifetime }

  /// Also where its time is over, which the next tick finds.
  var lease: Lease? {
    if case .holding(let lease, _) = state { lease } else { nil }
  }

  /// The lease while nobody else can have it: a process that was stopped may have lost it without knowing.
  func lease(at now: Double) -> Lease? {
    if case .holding(let lease, let until) = state, now < until { lease } else { nil }
  }

  /// Time has passed; to be called some three times in a lifetime.
  mutating func tick(at now: Double) -> [Action] {
    switch state {
    case .waiting:
      state = .asking
      return [.acquire]
    case .asking, .stopped: return []
    case .holding(let lease, let until):
      // A holder that has not heard of a renewal in time has to assume that another one has the lease.
      guard now < until else {
        state = .asking
        return [.stopFetching, .acquire]
      }
      return [.renew(lease)]
    }
  }

  /// The store has answered: nil where another one holds the lease, or it could not be asked.
  ///
  /// - Parameter asked: when it was asked for.
  mutating func acquired(_ lease: Lease?, asked: Double) -> [Action] {
    guard case .asking = state else { return lease.map { [.release($0)] } ?? [] }
    guard let lease else {
      state = .waiting
      return []
    }
    state = .holding(lease, until: asked + lifetime)
    return [.beginFetching]
  }

  /// - Parameter isKept: false where another one has it; nil where the store could not be asked.
  mutating func renewed(_ isKept: Bool?, asked: Double, at now: Double) -> [Action] {
    guard case .holding(let lease, let until) = state else { return [] }
    switch isKept {
    // The work since it ran out was done without it.
    case true? where now >= until: return tick(at: now)
    case true?:
      state = .holding(lease, until: max(until, asked + lifetime))
      return []
    case false?: return lost()
    case nil: return []
    }
  }

  /// Somebody else has it: what is written says so.
  mutating func lost() -> [Action] {
    guard case .holding = state else { return [] }
    state = .waiting
    return [.stopFetching]
  }

  /// Lets go of it, for a while or for good.
  mutating func giveUp(forGood: Bool) -> [Action] {
    let held = lease
    state = forGood ? .stopped : .waiting
    return held.map { [.stopFetching, .release($0)] } ?? []
  }
}
