internal import Digests

/// The signature of a webhook: HMAC-SHA256 (RFC 2104), in hexadecimal, over the body, or over a time stamp and the body.
///
/// Known forms: `X-Hub-Signature-256: sha256=…` (GitHub) and `X-Signature: …` over the body; these over
/// `TIMESTAMP.BODY` where an `X-Timestamp` stands beside them; `Stripe-Signature: t=TIMESTAMP,v1=…` (or in any of the
/// other fields) over `TIMESTAMP.BODY`; `X-Slack-Signature: v0=…` over `v0:TIMESTAMP:BODY` with
/// `X-Slack-Request-Timestamp`. Time stamps count seconds since 1970.
public enum WebhookSignature {
  public enum Verdict: Hashable, Sendable {
    case valid
    /// There is none, or it is not this body's.
    case invalid
    /// It is right, but its time stamp is more than five minutes off: a replay, or a wrong clock.
    case stale
  }

  /// How far a signed time stamp may be off, in seconds.
  public static let tolerance: Int64 = 300

  /// - Parameters:
  ///   - header: the value of a request's header field, by its name.
  ///   - now: in seconds since 1970.
  /// - Returns: what the signature is. The time taken does not tell how much of it is right.
  public static func verdict(
    on body: [UInt8],
    secret: String,
    now: Int64,
    header: (String) -> String?
  ) -> Verdict {
    guard !secret.isEmpty else { return .invalid }
    let key = Array(secret.utf8)
    for claim in claims(header) where claim.timestamp != nil || !isStamped(body) {
      let right = HMACSHA256.code(for: claim.prefix + body, key: key)
      guard claim.codes.reduce(false, { $1.equalsInConstantTime(right) || $0 }) else { continue }
      guard let timestamp = claim.timestamp else { return .valid }
      guard let seconds = Int64(timestamp) else { return .stale }
      let (distance, overflow) = now.subtractingReportingOverflow(seconds)
      return !overflow && distance.magnitude <= tolerance.magnitude ? .valid : .stale
    }
    return .invalid
  }

  /// - Parameter signature: the value of `X-Hub-Signature-256` (`sha256=…`) or `X-Signature` (with or without
  ///   that prefix), in any case.
  /// - Returns: whether it is the body's.
  public static func isValid(_ signature: String, of body: [UInt8], secret: String) -> Bool {
    guard !secret.isEmpty, let code = code(signature) else { return false }
    return HMACSHA256.isValid(code, for: body, key: Array(secret.utf8))
  }

  /// A request's claim: that one of some codes is that of a text before the body, and the body.
  struct Claim {
    var timestamp: String?
    var prefix: [UInt8]
    var codes: [[UInt8]]
  }

  /// In bytes: longer than any field of a signature.
  private static let longestField = 2048

  /// A request's claims, one for each text: the code of a long body takes time, and strangers can claim much.
  static func claims(_ fields: (String) -> String?) -> [Claim] {
    func header(_ name: String) -> String? { fields(name).flatMap { $0.utf8.count <= longestField ? $0 : nil } }
    var claims: [Claim] = []
    func claim(_ codes: [[UInt8]], after prefix: String, timestamp: String? = nil) {
      let prefix = Array(prefix.utf8)
      if let known = claims.firstIndex(where: { $0.prefix == prefix }) {
        claims[known].codes += codes
      } else if !codes.isEmpty {
        claims.append(Claim(timestamp: timestamp, prefix: prefix, codes: codes))
      }
    }
    if let timestamp = header("X-Slack-Request-Timestamp"), let signature = header("X-Slack-Signature") {
      let codes = [code(signature, prefix: "v0=")].compactMap(\.self)
      claim(codes, after: "v0:\(timestamp):", timestamp: timestamp)
    }
    for name in ["Stripe-Signature", "X-Hub-Signature-256", "X-Signature"] {
      guard let value = header(name) else { continue }
      if let (timestamp, codes) = stamped(value) { claim(codes, after: "\(timestamp).", timestamp: timestamp) }
      guard let code = code(value) else { continue }
      if let timestamp = header("X-Timestamp")?.trimmingWhitespace {
        claim([code], after: "\(timestamp).", timestamp: timestamp)
      }
      claim([code], after: "")
    }
    return claims
  }

  /// Returns whether a body is the signed text of another one, `TIMESTAMP.BODY` or `v0:TIMESTAMP:BODY`: an observer of
  /// that one with its signature could send it again for ever, as the body of a webhook without a time stamp. No such
  /// body is JSON or a form's.
  private static func isStamped(_ body: [UInt8]) -> Bool {
    let rest = body.starts(with: "v0:".utf8) ? body.dropFirst(3) : body[...]
    let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    guard !digits.isEmpty, let separator = rest.dropFirst(digits.count).first else { return false }
    return rest.count > digits.count + 1 && (separator == UInt8(ascii: ".") || separator == UInt8(ascii: ":"))
  }

  /// `t=1492774577,v1=…,v1=…`: several codes while a secret is exchanged; at most eight are looked at.
  private static func stamped(_ value: String) -> (timestamp: String, codes: [[UInt8]])? {
    let pairs = value.split(separator: ",").map { String($0).trimmingWhitespace.split(at: "=") }
    guard let timestamp = pairs.first(where: { $0.0 == "t" })?.1 else { return nil }
    let codes = pairs.filter { $0.0 == "v1" }.prefix(8).compactMap { $0.1.flatMap { code($0) } }
    return (timestamp, codes)
  }

  private static func code(_ signature: String, prefix: String = "sha256=") -> [UInt8]? {
    let text = signature.trimmingWhitespace.lowercased()
    return bytes(ofHexadecimal: text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
  }

  private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map { digit -> UInt8? in
      switch digit {
      case 0x30...0x39: digit - 0x30
      case 0x61...0x66: digit - 0x61 + 10
      default: nil
      }
    }
    guard digits.count == 2 * SHA256.byteCount else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
