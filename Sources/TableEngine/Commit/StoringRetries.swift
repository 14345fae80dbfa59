import TableStore

/// When what the sources have said is stored that could not be: after pauses that grow, until it is. A state machine without
/// I/O.
struct StoringRetries: Sendable {
  private var backoff = Backoff()
  /// A pause is under way: what comes after it stores all that there is then.
  private var isPausing = false

  /// It could not be stored. After how many milliseconds it is tried again; nil where that is to come already.
  mutating func fail() -> Int? {
    guard !isPausing else { return nil }
    isPausing = true
    return backoff.next()
  }

  /// The pause is over.
  mutating func resume() { isPausing = false }

  /// It is stored.
  mutating func succeed() { backoff = Backoff() }
}
