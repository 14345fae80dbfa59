import Digests
internal import FieldValues
package import JSON

/// The conditions on a token of one issuer (RFC 7519 section 4.1, RFC 8725 section 3).
package struct TokenRules: Equatable, Sendable {
  package var issuer: String
  package var audience: String
  package var algorithms: Set<SignatureAlgorithm>
  /// In seconds, for clocks that differ.
  package var leeway: Double

  package init(issuer: String, audience: String, algorithms: Set<SignatureAlgorithm>, leeway: Double) {
    (self.issuer, self.audience, self.algorithms, self.leeway) = (issuer, audience, algorithms, leeway)
  }

  /// Verifies a token: whose it is, and until when it may be used.
  ///
  /// - Parameter now: in seconds since 1970.
  package func verify(_ token: SignedToken, with keys: KeySet, now: Double) throws(TokenRefusal) -> VerifiedToken {
    try checkIssuer(token.claims)
    guard algorithms.contains(token.algorithm) else {
      throw .malformed("The header's `alg` is none of those that are taken of this issuer.")
    }
    let candidates = try keys.candidates(for: token)
    guard !candidates.isEmpty else {
      throw TokenRefusal(.unknownKey, "The token is signed with a key that its issuer does not publish.")
    }
    guard let key = candidates.first(where: { $0.verifies(token) }) else {
      // A key that has no name may have been exchanged.
      throw TokenRefusal(
        token.keyID == nil ? .unknownKey : .signature,
        "The token's signature is not its issuer's."
      )
    }
    // Nothing of the claims counts before here.
    let times = try checkClaims(token.claims, now: now)
    guard case .string(let subject)? = token.claims["sub"],
      (1...VerifiedToken.longestSubject).contains(subject.utf8.count)
    else { throw .malformed("The token has no `sub`: nobody knows whose it is.") }
    return VerifiedToken(
      issuer: issuer,
      subject: subject,
      claims: token.claims,
      times: times,
      algorithm: token.algorithm,
      key: key
    )
  }

  /// Judges a token anew that was verified before: under these rules and keys, which may be others.
  package func verify(_ token: VerifiedToken, with keys: KeySet, now: Double) throws(TokenRefusal) {
    try checkIssuer(token.claims)
    guard algorithms.contains(token.algorithm), keys.has(token.key) else {
      throw TokenRefusal(.unknownKey, "The token is signed with a key that its issuer does not publish.")
    }
    _ = try checkClaims(token.claims, now: now)
  }

  /// RFC 7519 section 4.1.1: by its bytes.
  private func checkIssuer(_ claims: JSONValue) throws(TokenRefusal) {
    guard case .string(let text)? = claims["iss"], text.isExactly(issuer) else {
      throw TokenRefusal(.unknownIssuer, "The token is of no issuer that is known here.")
    }
  }

  private func checkClaims(_ claims: JSONValue, now: Double) throws(TokenRefusal) -> TokenTimes {
    // RFC 7519 section 4.1.3
    let isForUs =
      switch claims["aud"] {
      case .string(let text)?: text.isExactly(audience)
      case .array(let texts)?:
        texts.allSatisfy { if case .string = $0 { true } else { false } }
          && texts.contains { if case .string(let text) = $0 { text.isExactly(audience) } else { false } }
      case nil, _?: false
      }
    guard isForUs else { throw TokenRefusal(.audience, "The token is for another service (`aud`).") }
    let times = try TokenTimes(claims)
    try checkTimes(times, now: now)
    return times
  }

  /// RFC 7519 sections 4.1.4 and 4.1.5.
  package func checkTimes(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
    guard now < end(of: times) else { throw TokenRefusal(.time, "The token is over (`exp`).") }
    if let start = times.notBefore, now < start - leeway {
      throw TokenRefusal(.time, "The token can't be used yet (`nbf`).")
    }
  }

  /// When a token is no longer taken, in seconds since 1970.
  package func end(of times: TokenTimes) -> Double { times.expiry + leeway }
}

/// `exp`, `nbf` and `iat`: seconds since 1970 (RFC 7519 section 2, NumericDate).
package struct TokenTimes: Equatable, Sendable {
  package var expiry: Double
  package var notBefore: Double?

  /// Beyond it doubles skip whole numbers, and what is added to one may be lost.
  private static let largest = 9_007_199_254_740_992.0

  /// - Throws: where `exp` is missing, as a token that never ends can't be taken back, or where one is no number.
  init(_ claims: JSONValue) throws(TokenRefusal) {
    guard let expiry = try Self.number("exp", claims) else { throw .malformed("The token has no `exp`.") }
    (self.expiry, notBefore) = (expiry, try Self.number("nbf", claims))
    _ = try Self.number("iat", claims)
  }

  private static func number(_ name: String, _ claims: JSONValue) throws(TokenRefusal) -> Double? {
    let number: Double
    switch claims[name] {
    case nil: return nil
    case .integer(let value)?: number = Double(value)
    case .unsigned(let value)?: number = Double(value)
    case .double(let value)?: number = value
    case _?: throw .malformed("The token's `\(name)` is no number.")
    }
    guard number > -largest, number < largest else { throw .malformed("The token's `\(name)` is no time.") }
    return number
  }
}

/// A token whose signature is its issuer's. Holds nothing that could be sent in its place: neither the token nor its
/// signature.
package final class VerifiedToken: Sendable {
  /// In bytes. OpenID Connect Core section 2 has 255 characters.
  static let longestSubject = 1024

  package let issuer: String
  package let subject: String
  /// A digest of issuer and subject, in hexadecimal: a name for the caller that tells neither. Made once, as each request needs it.
  package let callerDigest: String
  package let claims: JSONValue
  package let times: TokenTimes
  let algorithm: SignatureAlgorithm
  let key: VerificationKey

  init(
    issuer: String,
    subject: String,
    claims: JSONValue,
    times: TokenTimes,
    algorithm: SignatureAlgorithm,
    key: VerificationKey
  ) {
    (self.issuer, self.subject, self.claims, self.times) = (issuer, subject, claims, times)
    (self.algorithm, self.key) = (algorithm, key)
    callerDigest = hexadecimal(SHA256.digest(of: Array("\(issuer)\u{0}\(subject)".utf8)))
  }
}
