/// One poll after the other: of one table, or of several that wait together.
struct PollLane: Sendable {
  enum ID: Hashable, Sendable {
    case alone(TableAddress)
    /// Tables in groups that fit into a request.
    case joined(Int)
  }

  /// What a request asks for one table.
  struct Ask: Hashable, Sendable {
    var cursor: TableCursor?
    var rows: WindowAsk?
    var search: TableSearch?
    var slot: String?

    /// Whether its answer is of use where these rows are wanted by now: the same ones, or some of them. A window that
    /// moves all the time, a little at once, would otherwise get none.
    func serves(_ wanted: WindowAsk?) -> Bool {
      if rows == wanted { return true }
      guard case .window(let own)? = rows, case .window(let other)? = wanted else { return false }
      return own.overlaps(other)
    }
  }

  /// A table as a request for several names it.
  struct Pair: Hashable, Sendable {
    var address: TableAddress
    /// The members of a lens of its own, percent-encoded; none where it is seen as the plain table is.
    var lens: [String] = []
  }

  enum WindowAsk: Hashable, Sendable {
    case all
    case window(RowWindow)
  }

  /// A request under way.
  struct Outstanding: Sendable {
    var id: Int
    var asks: [TableAddress: Ask]
    /// In the order of a request's pairs.
    var pairs: [Pair]
    /// Seconds that the service may wait; 0 asks for an answer at once.
    var wait: Double
    var sentAt: Double
    /// When it is given up.
    var deadline: Double
    var isMultiple: Bool
    var isStream = false
    /// A stream: something has come by it.
    var isAlive = false
  }

  var outstanding: Outstanding?
  var backoff = Backoff()
  private(set) var failedAt: Double?
  /// `retryAt` is there because of too many requests.
  private var isThrottled = false
  /// Nothing is sent before.
  var retryAt: Double?
  /// Before which the service wants no request (`Retry-After`), whoever does something.
  private var retryFloor: Double?
  /// The next request is to be answered at once: it tells whether the service is there.
  var isFresh = false
  /// Resets in a row of tables that the reply before has brought whole, too.
  var resets = 0
  /// The tables that the last reply brought whole.
  var wholes: Set<TableAddress> = []
  private var allowance = PollAllowance()

  /// Notes a failure: `retryAt` says when to go on.
  mutating func fail(now: Double, retryAfter: Double?, random: inout some RandomNumberGenerator) {
    // What was long ago says nothing of today.
    if let failedAt, now - failedAt > 60 + Backoff.cap { backoff.reset() }
    (failedAt, isThrottled) = (now, false)
    retryAt = now + backoff.delay(retryAfter: retryAfter, random: &random)
    retryFloor = retryAfter.map { now + min($0, Backoff.longestRetryAfter) }
    isFresh = true
  }

  /// Somebody has done something: the next request is made now, or once the service wants it.
  mutating func hasten(now: Double) {
    retryAt = retryFloor.flatMap { $0 > now ? $0 : nil }
    isThrottled = false
  }

  /// Waits as another lane does, which has failed for its table.
  mutating func postpone(like other: PollLane) { (retryAt, retryFloor) = (other.retryAt, other.retryFloor) }

  /// Notes a good reply.
  /// - Parameters:
  ///   - waited: it was a poll that waited, or was woken.
  ///   - hasNews: it brought something.
  mutating func succeed(now: Double, waited: Bool, hasNews: Bool) {
    isFresh = false
    (retryAt, retryFloor) = (nil, nil)
    // An empty answer at once shows that the service is there, not that polls get through.
    if waited { backoff.reset() } else if hasNews { backoff.ease() }
  }

  /// Whether a request may be made now; else `retryAt` says when.
  ///
  /// - Parameter isForEdit: it looks for an edit for the first time: as many as there are edits don't count.
  mutating func mayAsk(now: Double, isForEdit: Bool) -> Bool {
    if let retryAt, retryAt > now, !(isForEdit && isThrottled) { return false }
    if !isForEdit, let later = allowance.take(now: now) {
      (retryAt, isThrottled) = (later, true)
      return false
    }
    (retryAt, isThrottled) = (nil, false)
    return true
  }
}

/// At most 5 requests a second after a burst of 20: whatever is answered, and however fast.
private struct PollAllowance: Sendable {
  private static let burst = 20.0
  private static let perSecond = 5.0
  private var left = burst
  private var since: Double?

  /// Takes one. Returns when there will be one where there is none.
  mutating func take(now: Double) -> Double? {
    left = min(Self.burst, left + (now - (since ?? now)) * Self.perSecond)
    since = now
    // Never less than a moment: what is missing may be less than the clock can add.
    guard left >= 1 else { return now + max(0.01, (1 - left) / Self.perSecond) }
    left -= 1
    return nil
  }
}
