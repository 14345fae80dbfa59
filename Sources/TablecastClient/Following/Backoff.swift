/// How long to wait after failures in a row: full jitter below 1, 2, 4 … 32 s, and never less than the service asks.
///
/// Full jitter, so that clients which lost their service at one moment don't come back at one moment
/// (Brooker, "Exponential Backoff And Jitter", 2015).
struct Backoff: Hashable, Sendable {
  static let base = 1.0
  static let cap = 32.0
  /// What a service may ask for at most; a slip of a proxy must not silence a client for a day.
  static let longestRetryAfter = 3600.0

  private(set) var failures = 0

  /// Seconds to wait after one failure more.
  mutating func delay(retryAfter: Double?, random: inout some RandomNumberGenerator) -> Double {
    let limit = min(Self.cap, Self.base * Double(1 << min(failures, 10)))
    failures += 1
    return max(Double.random(in: 0..<limit, using: &random), min(retryAfter ?? 0, Self.longestRetryAfter))
  }

  /// After a sign of life: the next delay is a short one again.
  mutating func ease() { failures = min(failures, 1) }

  mutating func reset() { failures = 0 }
}
