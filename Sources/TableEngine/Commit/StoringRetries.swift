import TableStore

/// When what the sources have said is stored that could not be: after pauses that grow, until it is. A state machine without
/// I/O.
struct StoringRetries: Sendable {
  private var backoff = Backoff()
  /// A pause is under way: what comes after it stores all that there is then.
  private(set) var isPausing = false
  /// The reason that was logged last, when, and how many changes have failed since.
  private var reported: (reason: StoreError, at: ContinuousClock.Instant, unreported: Int)?

  /// So long is the same reason not logged again.
  static let quiet = Duration.seconds(10)

  /// It could not be stored. After how many milliseconds it is tried again; nil where that is to come already.
  mutating func fail() -> Int? {
    guard !isPausing else { return nil }
    isPausing = true
    return backoff.next()
  }

  /// The pause is over.
  mutating func resume() { isPausing = false }

  /// A change could not be stored. Returns the number of those that a line in the log is to tell of; nil: none, as one has just told
  /// the same.
  mutating func report(_ reason: StoreError, now: ContinuousClock.Instant) -> Int? {
    guard let last = reported, last.reason == reason else {
      reported = (reason, now, 0)
      return 1
    }
    let isQuiet = now - last.at < Self.quiet
    reported = isQuiet ? (reason, last.at, last.unreported + 1) : (reason, now, 0)
    return isQuiet ? nil : last.unreported + 1
  }

  /// It is stored.
  mutating func succeed() { backoff = Backoff() }
}
