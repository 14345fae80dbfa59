internal import CSigning
public import JSON

/// An identity provider's key, for tests: its JSON Web Key, and tokens that it signs.
///
/// `@unchecked Sendable`: the key is never changed, and OpenSSL signs in a context of each call's own.
public final class TokenSigner: @unchecked Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case es384 = "ES384"
    case edDSA = "EdDSA"
  }

  public let kind: Kind
  public let keyID: String
  private let key: OpaquePointer

  public init(_ kind: Kind, keyID: String = "k1", bits: Int32 = 2048) {
    (self.kind, self.keyID) = (kind, keyID)
    let name =
      switch kind {
      case .rs256, .ps256: "RSA"
      case .es256: "P-256"
      case .es384: "P-384"
      case .edDSA: "Ed25519"
      }
    guard let key = signing_key_make(name, bits) else { preconditionFailure("OpenSSL makes no \(name) key") }
    self.key = key
  }

  deinit { signing_key_free(key) }

  /// The public key, with `alg` and `use`.
  public var jwk: JSONValue {
    let names: [String]
    var value: JSONValue
    switch kind {
    case .rs256, .ps256: (value, names) = (["kty": "RSA"], ["n", "e"])
    case .es256: (value, names) = (["kty": "EC", "crv": "P-256"], ["x", "y"])
    case .es384: (value, names) = (["kty": "EC", "crv": "P-384"], ["x", "y"])
    case .edDSA: (value, names) = (["kty": "OKP", "crv": "Ed25519"], ["x"])
    }
    for name in names { value[name] = .string(Self.base64URL(parameter(name))) }
    value["kid"] = .string(keyID)
    value["use"] = "sig"
    value["alg"] = .string(kind.rawValue)
    return value
  }

  private func parameter(_ name: String) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 2048) { $1 = signing_key_parameter(key, name, $0.baseAddress, $0.count) }
  }

  /// A token with these claims; `header` has further members, or others for `alg` and `kid`.
  public func token(_ claims: JSONValue, header: [String: JSONValue] = [:], as kind: Kind? = nil) -> String {
    var head: JSONValue = ["alg": .string((kind ?? self.kind).rawValue), "typ": "JWT", "kid": .string(keyID)]
    for (name, value) in header { head[name] = value }
    return token(
      header: String(decoding: head.bytes, as: UTF8.self),
      String(decoding: claims.bytes, as: UTF8.self),
      as: kind
    )
  }

  /// The same of texts that may be no JSON.
  public func token(header: String, _ payload: String, as kind: Kind? = nil) -> String {
    let signed = Self.base64URL(Array(header.utf8)) + "." + Self.base64URL(Array(payload.utf8))
    return signed + "." + Self.base64URL(signature(of: Array(signed.utf8), as: kind))
  }

  /// As RFC 7518 has it. `kind`: another algorithm of the same type of key.
  public func signature(of message: [UInt8], as kind: Kind? = nil) -> [UInt8] {
    let kind = kind ?? self.kind
    let (digest, half): (Int32, Int32) =
      switch kind {
      case .rs256, .ps256: (256, 0)
      case .es256: (256, 32)
      case .es384: (384, 48)
      case .edDSA: (0, 0)
      }
    return [UInt8](unsafeUninitializedCapacity: 2048) {
      $1 = signing_key_sign(key, digest, kind == .ps256 ? 1 : 0, half, message, message.count, $0.baseAddress, $0.count)
    }
  }

  /// Without padding (RFC 7515 section 2).
  public static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var (text, bits, count) = ("", 0 as UInt32, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> UInt32(count)) & 63])
      }
      bits &= (1 << UInt32(count)) - 1
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count)) & 63]) }
    return text
  }

  /// A set of keys, as an issuer publishes it.
  public static func keySet(_ keys: [JSONValue]) -> [UInt8] { (["keys": .array(keys)] as JSONValue).bytes }
}
