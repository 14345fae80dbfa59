/// The upkeep of a family's member: its sources tell it all that they tell other tables. This stops while nobody reads the member. On a
/// replica that follows, it begins when the leader has agreed. A value without I/O.
struct MemberUpkeep: Sendable {
  /// The process that keeps it up.
  enum Host: Equatable {
    /// There are no others.
    case alone
    /// This replica, under its lease of that term.
    case here(term: UInt64)
    /// The leader, whose lease had that term.
    case leader(term: UInt64)
  }

  private enum State: Equatable {
    case kept(Host)
    case left, resuming
  }

  private var state: State
  /// Counts how often it was left.
  private var lapses: UInt64 = 0
  /// The readers that wait until it is kept up again.
  private var waiters: [StoreLooks.Completion] = []

  init(isKept: Bool) { state = isKept ? .kept(.alone) : .left }

  /// The state as a reader meets it.
  enum Reading {
    case kept
    /// It is kept up if the lease has that term still.
    case keptByLeader(term: UInt64)
    /// Somebody has to ask for it: it was left so often by now.
    case left(UInt64)
    /// The reader waits; it is the first one to.
    case waits(isFirst: Bool)
  }

  /// - Parameters:
  ///   - host: This process, if it is the one to keep it up; nil: the leader is.
  ///   - isClaimed: that one has been told in time, and again, that the member is read here.
  mutating func read(by host: Host?, isClaimed: Bool, _ completion: @escaping StoreLooks.Completion) -> Reading {
    switch state {
    case .kept(let known) where known == host: return .kept
    case .kept(.leader(let term)) where host == nil && isClaimed: return .keptByLeader(term: term)
    case .kept:
      lapse()
      return .left(lapses)
    case .left: return .left(lapses)
    case .resuming:
      waiters.append(completion)
      return .waits(isFirst: waiters.count == 1)
    }
  }

  /// It is told what its sources have said, for those who wait.
  var isResuming: Bool { state == .resuming }

  /// Returns whether this process, which is to keep it up, has not begun to.
  func isLeft(by host: Host) -> Bool { !isResuming && state != .kept(host) }

  /// Nobody keeps it up any more, or nobody knows.
  mutating func lapse() {
    lapses += 1
    if state != .resuming { state = .left }
  }

  /// Another replica leads by now than the one that kept it up.
  mutating func lapse(after term: UInt64) { if state == .kept(.leader(term: term)) { lapse() } }

  /// This replica asks the sources from now on: what the leader right before it has kept up so far is. Returns whether that holds for this
  /// member, which has yet to begin to be told.
  mutating func lead(under term: UInt64) -> Bool {
    guard term > 0, state == .kept(.leader(term: term - 1)) else { return false }
    state = .kept(.here(term: term))
    return true
  }

  /// It is about to be told what its sources have said. Returns how often it was left by now; nil: it is kept up.
  mutating func resume(by host: Host?) -> UInt64? {
    if let host, state == .kept(host) { return nil }
    state = .resuming
    return lapses
  }

  /// The leader keeps it up, as it has said, unless it was left again since, or this replica has begun to keep it up.
  mutating func follow(since lapse: UInt64, leader term: UInt64) {
    if state == .left, lapse == lapses { state = .kept(.leader(term: term)) }
  }

  /// It has been told, unless it was left again since. Returns the readers that have waited.
  mutating func keep(since lapse: UInt64, by host: Host?) -> [StoreLooks.Completion] {
    state = lapse == lapses ? host.map(State.kept) ?? .left : .left
    return giveUp()
  }

  /// The readers that wait do so no longer. Returns these.
  mutating func giveUp() -> [StoreLooks.Completion] {
    defer { waiters = [] }
    return waiters
  }
}
