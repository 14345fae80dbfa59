import Definitions
import Dispatch
import HTTPServer
import Synchronization
import TableEngine

/// The limits on one caller: its requests and edits in a minute, and its polls that may wait
/// (`limits.requestsPerMinute`, `editsPerMinute` and `waitersPerCaller`). A caller with a valid token is counted by its
/// name; anybody else, also with an unknown token, by address. Outlives configurations: reading one again gives nobody
/// a new minute.
final class CallerLimits: Sendable {
  /// A limit that a request can meet.
  enum Kind: String, CaseIterable {
    case requestsPerMinute, editsPerMinute, waitersPerCaller
  }

  private struct Contents {
    var rates: [Kind: (perMinute: Int, rates: Rates<String>)] = [:]
    /// Without a limit of its own: that may change while polls wait.
    var waiting = Shares<String>(limit: .max)
    var refused: [Kind: Int] = [:]
  }

  private let contents = Mutex(Contents())

  /// How often each limit was met, and how many callers have a poll that waits.
  var figures: (refused: [Kind: Int], waitingCallers: Int) {
    contents.withLock { ($0.refused, $0.waiting.holders) }
  }

  /// Counts a request, and refuses it where its caller has made too many; of one that was counted by its head, its
  /// edits alone. O(1), and for a batch O(bytes).
  func admit(_ request: Request, to route: Route, under state: ServiceState) throws(ServiceError) {
    let limits = state.limits
    guard limits.requestsPerMinute != nil || limits.editsPerMinute != nil, route.isLimited else { return }
    let caller = request.countedAs(state.authorizer)
    if !request.parsed.isCounted.load(ordering: .relaxed) {
      try admit(caller, .requestsPerMinute, limits.requestsPerMinute, "requests")
    }
    guard let perMinute = limits.editsPerMinute, case let count = route.editCount(request), count > 0 else { return }
    // A longer batch takes a whole minute's edits: else waiting would never help it.
    try admit(caller, .editsPerMinute, perMinute, "edits", min(count, perMinute))
  }

  /// Refuses a request whose token has to be verified, where its address has no request left: verifying takes longer than
  /// counting. A token that turns out to be nobody's counts there.
  func checkAddress(of request: Request, to route: Route, under state: ServiceState) throws(ServiceError) {
    guard let perMinute = unverifiedPerMinute(request, route, state) else { return }
    try admit(request.addressCounted, .requestsPerMinute, perMinute, "requests", 0)
  }

  /// Counts a request whose body is still to come where its token turned out to be nobody's: it was verified, and the
  /// request may never come to its end.
  func admitHead(of request: Request, to route: Route, under state: ServiceState) throws(ServiceError) {
    guard let perMinute = unverifiedPerMinute(request, route, state) else { return }
    try admit(request.addressCounted, .requestsPerMinute, perMinute, "requests")
    request.parsed.isCounted.store(true, ordering: .relaxed)
  }

  /// The limit for a request that no limit has counted, and whose token was not verified yet, or in vain.
  private func unverifiedPerMinute(_ request: Request, _ route: Route, _ state: ServiceState) -> Int? {
    guard let perMinute = state.limits.requestsPerMinute, route.isLimited, state.authorizer.mustVerify(request),
      !request.parsed.isCounted.load(ordering: .relaxed)
    else { return nil }
    return perMinute
  }

  /// - Parameter count: 0: there has to be room for one, which is counted later.
  private func admit(
    _ caller: String,
    _ kind: Kind,
    _ perMinute: Int?,
    _ noun: String,
    _ count: Int = 1
  ) throws(ServiceError) {
    guard let perMinute else { return }
    // Milliseconds of a clock that never goes back.
    let now = Int(DispatchTime.now().uptimeNanoseconds / 1_000_000)
    let pause = contents.withLock { contents -> Int? in
      var rate = contents.rates.removeValue(forKey: kind) ?? (perMinute, Rates(perMinute: perMinute))
      if rate.perMinute != perMinute { rate = (perMinute, Rates(perMinute: perMinute)) }
      let pause =
        count == 0 ? rate.rates.pause(for: caller, now: now) : rate.rates.take(caller, now: now, count: count)
      contents.rates[kind] = rate
      if pause != nil { contents.refused[kind, default: 0] += 1 }
      return pause
    }
    guard let pause else { return }
    throw .tooMany(
      "\(perMinute) \(noun) a minute are the most of one caller (`limits.\(kind.rawValue)`).",
      after: pause,
      // draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. For fewer than a batch has there may be room.
      fields: [HeaderField(HeaderName.rateLimitPolicy, "\"\(noun)\";q=\(perMinute);w=60")]
        + (count <= 1 ? [HeaderField(HeaderName.rateLimit, "\"\(noun)\";r=0;t=\(pause)")] : [])
    )
  }

  // MARK: Waiting

  /// One caller's share of those who wait; nil where there is no limit.
  func waitingShare(of call: Call) -> WaitingShare? {
    call.state.limits.waitersPerCaller.map {
      WaitingShare(limits: self, caller: call.request.countedAs(call.state.authorizer), maximum: $0)
    }
  }

  fileprivate func take(_ share: WaitingShare) -> Bool {
    contents.withLock { contents in
      guard contents.waiting.count(of: share.caller) < share.maximum, contents.waiting.take(share.caller) else {
        contents.refused[.waitersPerCaller, default: 0] += 1
        return false
      }
      return true
    }
  }

  fileprivate func giveBack(_ share: WaitingShare) { contents.withLock { $0.waiting.giveBack(share.caller) } }
}

/// A caller's share of those who wait: each `take` that succeeds is followed by one `giveBack`.
struct WaitingShare: Sendable {
  fileprivate let limits: CallerLimits
  fileprivate let caller: String
  fileprivate let maximum: Int

  func take() throws(ServiceError) {
    guard !limits.take(self) else { return }
    throw .tooMany(
      "\(maximum) requests that wait are the most of one caller (`limits.waitersPerCaller`): end others first.",
      after: 5
    )
  }

  func giveBack() { limits.giveBack(self) }
}

extension Request {
  /// Returns the key that limits on a caller count by.
  fileprivate func countedAs(_ authorizer: Authorizer) -> String {
    authorizer.caller(of: self).map { "caller \($0.name)" } ?? addressCounted
  }

  /// The key of callers whom nobody knows.
  fileprivate var addressCounted: String { "address \(client.network.host)" }
}

extension ServiceError {
  fileprivate static func tooMany(_ detail: String, after seconds: Int, fields: [HeaderField] = []) -> ServiceError {
    ServiceError(status: .tooManyRequests, detail: detail, headers: [HeaderField(.retryAfter, "\(seconds)")] + fields)
  }
}
