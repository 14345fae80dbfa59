internal import Upstream

/// How often an API may be asked.
struct Freshness: Sendable {
  /// As the configuration writes it: `60s`.
  var every: String
  var evidence: String

  /// - Parameter requests: of one refresh, as far as is known.
  init(_ answer: APIAnswer, requests: Int) {
    var seconds = 60
    evidence = "the answer says nothing of how long it is fresh"
    if let age = ResponseFreshness.maxAge(answer.headers)?.components.seconds, age > 0 {
      seconds = Int(min(max(age, 5), 3600))
      evidence = "`Cache-Control: max-age`, of which \(age) s are left"
    }
    // Half of what is allowed, in the hour that most limits are for.
    for name in ["X-RateLimit-Limit", "RateLimit-Limit", "X-Rate-Limit-Limit"] {
      guard let limit = answer.headers.first(named: name).flatMap({ Int($0.prefix { $0.isNumber }) }), limit > 0,
        limit <= 100_000
      else { continue }
      let needed = min(3600 * requests * 2 / limit, 86_400)
      if needed > seconds {
        seconds = needed
        evidence = "`\(name): \(limit)`, taken for an hour's, half of which this uses"
      }
      break
    }
    every = seconds % 60 == 0 && seconds > 60 ? "\(seconds / 60)m" : "\(seconds)s"
  }
}
