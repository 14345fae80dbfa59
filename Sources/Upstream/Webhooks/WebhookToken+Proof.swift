public import Definitions
internal import Digests

extension WebhookToken {
  /// Returns whether a request has the field with this value. The name of a scheme before the token may be in any case
  /// (RFC 9110 section 11.1). The time taken does not tell how much of it is right.
  ///
  /// - Parameter header: the value of a request's header field, by its name.
  public func isProven(by header: (String) -> String?) -> Bool {
    guard !value.isEmpty, let given = header(self.header), given.utf8.count <= 4096 else { return false }
    let (expected, own) = (normalized(value), normalized(given.trimmingWhitespace))
    let pairs = zip(SHA256.digest(of: Array(expected.utf8)), SHA256.digest(of: Array(own.utf8)))
    return pairs.reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func normalized(_ text: String) -> String {
    guard header.lowercased() == "authorization", let space = text.firstIndex(of: " ") else { return text }
    return text[..<space].lowercased() + text[space...]
  }
}
