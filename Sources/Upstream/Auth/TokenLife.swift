/// From token to token: when one is used, and when another is asked for. Pure; instants are given.
///
/// A token is renewed before it ends. While that fails, the old one is used as long as it lasts. A token that the upstream
/// refuses is replaced at once; where the next one is refused, too, no other is asked for until some time has passed.
struct TokenLife {
  enum Answer: Equatable {
    case use(String)
    /// Another one is on its way, for all who ask.
    case wait
    /// The caller asks the token endpoint, and reports the result.
    case ask
    /// The endpoint has failed, and is left alone for a while.
    case failed(UpstreamError)
  }

  private struct Token {
    var text: String
    /// Nil: it lasts until the upstream refuses it.
    var renewal: Duration?
    var end: Duration?

    func lasts(at now: Duration) -> Bool { end.map { now < $0 } ?? true }
  }

  private var token: Token?
  private var isAsking = false
  private var failures = 0
  private var failure: (error: UpstreamError, until: Duration)?
  /// Tokens in a row that the upstream has not taken.
  private var refusals = 0
  private var replaceable = Duration.zero

  static let longestPause = Duration.seconds(60)
  private static let longestLifetime = Duration.seconds(366 * 86_400)

  mutating func wanted(at now: Duration) -> Answer {
    if isAsking { return .wait }
    if let token, token.renewal.map({ now < $0 }) ?? true { return .use(token.text) }
    if let failure, now < failure.until {
      if let token, token.lasts(at: now) { return .use(token.text) }
      return .failed(failure.error)
    }
    isAsking = true
    return .ask
  }

  /// - Parameters:
  ///   - lifetime: as the endpoint says, if it does.
  ///   - asked: when it was asked: the lifetime counts from there at the earliest.
  mutating func came(_ text: String, lifetime: Duration?, asked: Duration) {
    (isAsking, failure, failures) = (false, nil, 0)
    guard let lifetime else {
      token = Token(text: text)
      return
    }
    let bounded = min(max(lifetime, .seconds(1)), Self.longestLifetime)
    let margin = min(bounded / 5, .seconds(60))
    token = Token(text: text, renewal: asked + bounded - margin, end: asked + bounded)
  }

  /// - Returns: the token that those who wait use all the same; nil: there is none.
  mutating func failed(_ error: UpstreamError, at now: Duration) -> String? {
    isAsking = false
    failures += 1
    let pause = min(error.retryAfter ?? .seconds(1 << min(failures - 1, 6)), Self.longestPause)
    failure = (error, now + pause)
    guard let token, token.lasts(at: now) else { return nil }
    return token.text
  }

  /// The upstream has answered 401 to this token.
  ///
  /// - Returns: whether the request may be sent once more, with the token that is wanted then.
  mutating func refused(_ text: String, at now: Duration) -> Bool {
    guard let token, token.text == text else { return true }
    guard now >= replaceable else { return false }
    self.token = nil
    refusals += 1
    replaceable = now + min(.seconds(1 << min(refusals, 8)), Self.longestPause)
    return true
  }

  /// The upstream has taken this token.
  mutating func accepted(_ text: String) {
    guard refusals > 0, token?.text == text else { return }
    (refusals, replaceable) = (0, .zero)
  }
}
