/// The gate of a table's changes. While a configuration is prepared that puts another table in its place, no change is
/// begun, and nobody knows yet whose the next one is: callers that must know wait. A value without I/O.
struct ChangeGate {
  typealias Waiter = @Sendable () -> Void

  private enum State {
    case open
    case undecided([Waiter])
    case closed
  }
  private var state = State.open

  /// No change is begun: another owner takes over what is stored, or the table is gone.
  var isClosed: Bool { if case .open = state { false } else { true } }

  /// Changes are never begun again.
  var isClosedForGood: Bool { if case .closed = state { true } else { false } }

  /// Begins no change until it is decided whether the table goes on.
  mutating func shut() {
    if case .open = state { state = .undecided([]) }
  }

  /// The table goes on, unless it has ended. Returns who waited for that.
  mutating func reopen() -> [Waiter] {
    guard case .undecided(let waiters) = state else { return [] }
    state = .open
    return waiters
  }

  /// Ends it. Returns who waited to know.
  mutating func close() -> [Waiter] {
    defer { state = .closed }
    return if case .undecided(let waiters) = state { waiters } else { [] }
  }

  /// Keeps a waiter until it is decided. False where it is: nothing is kept.
  mutating func await(_ waiter: @escaping Waiter) -> Bool {
    guard case .undecided(let waiters) = state else { return false }
    state = .undecided(waiters + [waiter])
    return true
  }
}
