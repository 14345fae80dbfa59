/// The upkeep of a family's member: its sources tell it all that they tell other tables. This stops while nobody reads the member. On a
/// replica that follows, it begins when the leader has agreed. A value without I/O.
struct MemberUpkeep: Sendable {
  private enum State: Equatable {
    /// By this replica under a lease of that term; nil: by another one, or where no others are.
    case kept(term: UInt64?)
    case left, resuming
  }

  private var state: State
  /// Counts how often it was left.
  private var lapses: UInt64 = 0
  /// The readers that wait until it is kept up again.
  private var waiters: [StoreLooks.Completion] = []

  init(isKept: Bool) { state = isKept ? .kept(term: nil) : .left }

  /// The state as a reader meets it.
  enum Reading {
    case kept
    /// Somebody has to ask for it: it was left so often by now.
    case left(UInt64)
    /// The reader waits; it is the first one to.
    case waits(isFirst: Bool)
  }

  /// - Parameters:
  ///   - term: of the lease under which this replica asks the sources now; nil: another one does.
  ///   - isClaimed: that one has been told in time, and again, that the member is read here.
  mutating func read(under term: UInt64?, isClaimed: Bool, _ completion: @escaping StoreLooks.Completion) -> Reading {
    switch state {
    case .kept(term) where term != nil || isClaimed: return .kept
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

  /// Returns whether this replica, which asks the sources, has not begun to keep it up.
  func isLeft(under term: UInt64?) -> Bool { !isResuming && state != .kept(term: term) }

  /// Nobody keeps it up any more, or nobody knows.
  mutating func lapse() {
    lapses += 1
    if state != .resuming { state = .left }
  }

  /// This replica asks the sources from now on: what another one has kept up so far is.
  mutating func lead(under term: UInt64) { if state == .kept(term: nil) { state = .kept(term: term) } }

  /// It is about to be told what its sources have said. Returns how often it was left by now; nil: it is kept up.
  mutating func resume(under term: UInt64?) -> UInt64? {
    guard state != .kept(term: term) else { return nil }
    state = .resuming
    return lapses
  }

  /// It has been told, unless it was left again since. Returns the readers that have waited.
  mutating func keep(since lapse: UInt64, under term: UInt64?) -> [StoreLooks.Completion] {
    state = lapse == lapses ? .kept(term: term) : .left
    return giveUp()
  }

  /// The readers that wait do so no longer. Returns these.
  mutating func giveUp() -> [StoreLooks.Completion] {
    defer { waiters = [] }
    return waiters
  }
}
