internal import Digests

/// The signature of a webhook: HMAC-SHA256 (RFC 2104) over the body, in hexadecimal.
public enum WebhookSignature {
  /// - Parameter signature: the value of `X-Hub-Signature-256` (`sha256=…`) or `X-Signature` (with or without
  ///   that prefix), in any case.
  /// - Returns: whether it is the body's. The time taken does not tell how much of it is right.
  public static func isValid(_ signature: String, of body: [UInt8], secret: String) -> Bool {
    let text = signature.trimmingWhitespace.lowercased()
    let digits = text.hasPrefix("sha256=") ? String(text.dropFirst(7)) : text
    guard !secret.isEmpty, let code = bytes(ofHexadecimal: digits) else { return false }
    return HMACSHA256.isValid(code, for: body, key: Array(secret.utf8))
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
