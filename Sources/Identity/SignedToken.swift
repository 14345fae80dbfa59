package import JSON

/// A JSON Web Signature in its compact form (RFC 7515 section 7.1), taken apart and believed in nothing: neither its
/// header nor its claims are anybody's before ``VerificationKey`` has verified the signature.
package struct SignedToken: Sendable {
  /// In bytes: tokens of providers have 1 to 4 KB. A longer one is refused before anything in it is looked at.
  package static let maximumBytes = 16 << 10
  private static let limits = JSONLimits(maximumBytes: maximumBytes, maximumDepth: 16, allowsRepair: false)
  private static let longestKeyID = 256

  package let algorithm: SignatureAlgorithm
  package let keyID: String?
  package let claims: JSONValue
  package let signature: [UInt8]
  /// The header and the payload as they were sent, with the point between them: what is signed.
  package let signed: [UInt8]

  /// Complexity: O(bytes).
  package init(_ text: [UInt8]) throws(TokenRefusal) {
    guard !text.isEmpty else { throw .malformed("There is no token behind `Bearer`.") }
    guard text.count <= Self.maximumBytes else {
      throw .malformed("The token has more than \(Self.maximumBytes) bytes.")
    }
    // Five parts are a JSON Web Encryption (RFC 7516 section 3.1).
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .malformed("The token is no signed JWT: that has three parts, and this one \(parts.count).")
    }
    let header = try Self.object(parts[0], "header")
    (algorithm, keyID) = try Self.read(header)
    claims = try Self.object(parts[1], "payload")
    guard let signature = Base64URL.decode(parts[2]) else { throw .malformed("The signature is not base64url.") }
    self.signature = signature
    signed = Array(text[..<parts[1].endIndex])
  }

  /// RFC 7515 section 5.2, steps 2 to 5; RFC 7519 section 7.2.
  private static func object(_ part: ArraySlice<UInt8>, _ noun: String) throws(TokenRefusal) -> JSONValue {
    guard let bytes = Base64URL.decode(part) else { throw .malformed("The \(noun) is not base64url.") }
    guard let value = try? JSONValue(parsing: bytes, limits: limits), case .object = value else {
      throw .malformed("The \(noun) is no JSON object.")
    }
    // RFC 7515 section 4 and RFC 7519 section 4 let a parser take the last of two; readers that differ in it are an attack.
    guard value.doubledMember == nil else { throw .malformed("The \(noun) has a member twice.") }
    return value
  }

  /// Header parameters that name a key's address, or that ask for more to be understood: neither is done here.
  ///
  /// - `crit` (RFC 7515 section 4.1.11): no extension is understood. `b64` (RFC 7797) is one, with or without it.
  /// - `jku`, `jwk`, `x5u`, `x5c` (RFC 7515 sections 4.1.2 to 4.1.6): keys come from the configured issuer alone (RFC 8725
  ///   section 3.10).
  /// - `enc`, `zip`, `epk` (RFC 7516 section 4.1): nothing is decrypted or inflated here.
  private static let refused = ["crit", "b64", "jku", "jwk", "x5u", "x5c", "enc", "zip", "epk"]

  private static func read(_ header: JSONValue) throws(TokenRefusal) -> (SignatureAlgorithm, String?) {
    for name in refused where header[name] != nil { throw .malformed("The header has `\(name)`, which is not taken.") }
    // RFC 7515 section 4.1.1; `none` and HS256 are no algorithms here (RFC 8725 sections 3.1 and 3.2).
    guard case .string(let name)? = header["alg"], let algorithm = SignatureAlgorithm(name: name) else {
      throw .malformed(
        "The header's `alg` is none of \(SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))."
      )
    }
    // RFC 8725 section 3.11: a token for something else, such as a logout (RFC 8417) or a proof of possession (RFC 9449).
    switch header["typ"] {
    case nil: break
    case .string(let type)?:
      let name = type.lowercased()
      let short = name.hasPrefix("application/") ? String(name.dropFirst("application/".count)) : name
      guard ["jwt", "at+jwt", "jose"].contains(short) else { throw .malformed("The header's `typ` is not `JWT`.") }
    case _?: throw .malformed("The header's `typ` is no text.")
    }
    switch header["kid"] {
    case nil: return (algorithm, nil)
    case .string(let keyID)?:
      guard keyID.utf8.count <= longestKeyID else { throw .malformed("The header's `kid` is too long.") }
      return (algorithm, keyID)
    case _?: throw .malformed("The header's `kid` is no text.")
    }
  }
}
