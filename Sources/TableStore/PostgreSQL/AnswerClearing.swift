/// When the answers of a caller, and all, are cut down to their bound: after so many of this process. So with several
/// processes there may be some more for a while.
struct AnswerClearing {
  let bounds: ReplyBounds
  private var store = ReplySum()
  private var callers: [String: ReplySum] = [:]
  private var nextExpiry: Int64 = .min

  private static let maximumCallers = 10_000
  /// How long expired answers may stay, in seconds.
  private static let expiryInterval: Int64 = 60

  init(bounds: ReplyBounds) { self.bounds = bounds }

  /// Counts one more; which bounds are to be enforced now.
  mutating func add(_ size: Int, of caller: String) -> (caller: Bool, store: Bool) {
    if callers.count >= Self.maximumCallers { callers = [:] }
    callers[caller, default: ReplySum()].add(size)
    store.add(size)
    let sum = callers[caller] ?? ReplySum()
    let isDue = (caller: Self.isDue(sum, bounds.bound(of: caller)), store: Self.isDue(store, bounds.store))
    if isDue.caller { callers[caller] = nil }
    if isDue.store { store = ReplySum() }
    return isDue
  }

  private static func isDue(_ sum: ReplySum, _ bound: ReplyBounds.Bound) -> Bool {
    sum.count >= max(bound.count / 8, 1) || sum.bytes >= max(bound.bytes / 8, 1)
  }

  mutating func isExpiryDue(now: Int64) -> Bool {
    guard now >= nextExpiry else { return false }
    nextExpiry = now + Self.expiryInterval
    return true
  }
}
