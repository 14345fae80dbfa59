/// Whether a member of a family is kept up: told what its sources say to whoever else reads them. It is not while nobody reads it, and
/// on a replica that follows not before the one that asks the sources has agreed. A value without I/O.
struct MemberUpkeep: Sendable {
  private enum State { case kept, left, resuming }

  private var state: State
  /// Counts how often it was left.
  private var lapses: UInt64 = 0
  /// The readers that wait until it is kept up again.
  private var waiters: [StoreLooks.Completion] = []

  init(isKept: Bool) { state = isKept ? .kept : .left }

  /// The state as a reader meets it.
  enum Reading {
    case kept
    /// Somebody has to ask for it: it was left so often by now.
    case left(UInt64)
    /// The reader waits; it is the first one to.
    case waits(isFirst: Bool)
  }

  mutating func read(_ completion: @escaping StoreLooks.Completion) -> Reading {
    switch state {
    case .kept: return .kept
    case .left: return .left(lapses)
    case .resuming:
      waiters.append(completion)
      return .waits(isFirst: waiters.count == 1)
    }
  }

  /// Nobody keeps it up any more, or nobody knows.
  mutating func lapse() {
    lapses += 1
    if state == .kept { state = .left }
  }

  /// It is about to be told what its sources have said. Returns how often it was left by now; nil: it is kept up.
  mutating func resume() -> UInt64? {
    guard state != .kept else { return nil }
    state = .resuming
    return lapses
  }

  /// It has been told, unless it was left again since. Returns the readers that have waited.
  mutating func keep(since lapse: UInt64) -> [StoreLooks.Completion] {
    if state != .kept { state = lapse == lapses ? .kept : .left }
    return giveUp()
  }

  /// The readers that wait do so no longer. Returns these.
  mutating func giveUp() -> [StoreLooks.Completion] {
    defer { waiters = [] }
    return waiters
  }
}
