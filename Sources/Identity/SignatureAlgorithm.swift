/// The signatures that are verified (RFC 7518 section 3.1, RFC 8037 section 3.1): those by public keys alone. `none` and
/// `HS256` can't be said in this type (RFC 8725 section 3.1).
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
  case rs256 = "RS256"
  case ps256 = "PS256"
  case es256 = "ES256"
  case es384 = "ES384"
  case edDSA = "EdDSA"

  /// As a header or a key names it. RFC 9864 calls `EdDSA` with the curve Ed25519 by the curve's name.
  init?(name: String) { self.init(rawValue: name == "Ed25519" ? "EdDSA" : name) }
}
