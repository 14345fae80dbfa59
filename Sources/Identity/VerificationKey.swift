internal import CCrypto
package import JSON

/// A public key of an issuer, as a JSON Web Key has it (RFC 7517), with what it may verify.
///
/// `@unchecked Sendable`: the key is made whole and never changed; libcrypto verifies with it on any thread, each in a
/// context of its own.
package final class VerificationKey: @unchecked Sendable {
  package let keyID: String?
  /// A key that names its algorithm has that one; else those of its type. Never what a token's header says (RFC 8725
  /// section 3.1).
  package let algorithms: [SignatureAlgorithm]
  /// The identity of the key itself, under whatever name: type and parameters.
  package let identity: [UInt8]
  private let key: OpaquePointer
  /// The length of an RSA signature: that of the modulus.
  private let signatureBytes: Int

  /// Bits of an RSA modulus: RFC 7518 section 3.3 asks for 2048; what is longer than 8192 costs a caller too little and
  /// this service too much.
  private static let modulusBits = 2048...8192
  private static let longestExponent = 8

  /// - Throws: why the key can verify nothing here: words for the operator.
  package init(_ jwk: JSONValue) throws(KeyRefusal) {
    guard case .object = jwk, jwk.doubledMember == nil else { throw KeyRefusal("is no JSON object of single members") }
    keyID = try jwk.text("kid")
    // RFC 7517 sections 4.2 and 4.3.
    if let use = try jwk.text("use"), use != "sig" { throw KeyRefusal("is not for signatures (`use`)") }
    switch jwk["key_ops"] {
    case nil: break
    case .array(let operations)? where operations.contains(.string("verify")): break
    case _?: throw KeyRefusal("is not for verifying (`key_ops`)")
    }
    // RFC 7518 sections 6.2.2, 6.3.2: whoever publishes these has given the key away.
    guard jwk["d"] == nil, jwk["k"] == nil else { throw KeyRefusal("is a private or symmetric one, and was published") }
    let kind = try jwk.text("kty")
    let made: (key: OpaquePointer?, algorithms: [SignatureAlgorithm], bytes: Int)
    switch (kind, try jwk.text("crv")) {
    case ("RSA"?, nil):
      // RFC 7518 section 6.3.1
      let (modulus, exponent) = (try jwk.number("n"), try jwk.number("e"))
      let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
      guard Self.modulusBits.contains(bits) else {
        throw KeyRefusal(
          "has \(bits) bits: RSA keys have \(Self.modulusBits.lowerBound) to \(Self.modulusBits.upperBound)"
        )
      }
      guard exponent.count <= Self.longestExponent, exponent.last.map({ $0 & 1 == 1 }) ?? false, exponent != [1] else {
        throw KeyRefusal("has no exponent that is used")
      }
      let key = ccrypto_rsa_key(modulus, Int32(modulus.count), exponent, Int32(exponent.count))
      made = (key, [.rs256, .ps256], (bits + 7) / 8)
    case ("EC"?, "P-256"?): made = (try jwk.point("P-256", bytes: 32), [.es256], 64)
    case ("EC"?, "P-384"?): made = (try jwk.point("P-384", bytes: 48), [.es384], 96)
    case ("OKP"?, "Ed25519"?):
      // RFC 8037 section 2
      let bytes = try jwk.bytes("x")
      guard bytes.count == 32 else { throw KeyRefusal("has no 32 bytes in `x`") }
      made = (ccrypto_ed25519_key(bytes, bytes.count), [.edDSA], 64)
    case (nil, _): throw KeyRefusal("has no `kty`")
    case (_?, _): throw KeyRefusal("is of a type or curve that is not taken")
    }
    guard let key = made.key else { throw KeyRefusal("is no point of its curve, or no key") }
    (self.key, signatureBytes) = (key, made.bytes)
    identity = Array("\(kind ?? "") ".utf8) + ["crv", "n", "e", "x", "y"].flatMap { (jwk[$0] ?? .null).bytes }
    // RFC 7517 section 4.4
    let name: String?
    do { name = try jwk.text("alg") } catch {
      ccrypto_free_key(key)
      throw error
    }
    algorithms = name.map { name in made.algorithms.filter { $0 == SignatureAlgorithm(name: name) } } ?? made.algorithms
    if algorithms.isEmpty { throw KeyRefusal("says an `alg` that is not its type's") }
  }

  deinit { ccrypto_free_key(key) }

  /// Returns whether the signature of a token is this key's. Some 30 µs for RSA with 2048 bits, 80 for P-256.
  package func verifies(_ token: SignedToken) -> Bool {
    let (signed, signature) = (token.signed, token.signature)
    guard algorithms.contains(token.algorithm), signature.count == signatureBytes else { return false }
    switch token.algorithm {
    // RFC 7518 sections 3.3 and 3.5
    case .rs256: return verifies(256, isPSS: false, token)
    case .ps256: return verifies(256, isPSS: true, token)
    case .edDSA: return verifies(0, isPSS: false, token)
    case .es256, .es384:
      // RFC 7518 section 3.4: R and S, each as long as the curve's order. Zero is no signature of anything.
      let half = signature.count / 2
      guard signature[..<half].contains(where: { $0 != 0 }), signature[half...].contains(where: { $0 != 0 }) else {
        return false
      }
      return signature.withUnsafeBufferPointer { signature in
        guard let start = signature.baseAddress else { return false }
        let digest: Int32 = token.algorithm == .es256 ? 256 : 384
        return ccrypto_verify_ecdsa(key, digest, signed, signed.count, start, start + half, Int32(half)) == 1
      }
    }
  }

  private func verifies(_ digest: Int32, isPSS: Bool, _ token: SignedToken) -> Bool {
    ccrypto_verify(
      key,
      digest,
      isPSS ? 1 : 0,
      token.signed,
      token.signed.count,
      token.signature,
      token.signature.count
    ) == 1
  }
}

/// Why a key of a set is left out.
package struct KeyRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  package var description: String

  init(_ description: String) { self.description = description }

  /// Why nothing has come.
  package init(told reason: String) { description = reason }
}

extension JSONValue {
  /// - Throws: where there is such a member, and it is no text.
  fileprivate func text(_ name: String) throws(KeyRefusal) -> String? {
    switch self[name] {
    case nil: return nil
    case .string(let text)?: return text
    case _?: throw KeyRefusal("has a `\(name)` that is no text")
    }
  }

  fileprivate func bytes(_ name: String) throws(KeyRefusal) -> [UInt8] {
    guard let text = try text(name), let bytes = Base64URL.decode(Array(text.utf8)), !bytes.isEmpty else {
      throw KeyRefusal("has no base64url in `\(name)`")
    }
    return bytes
  }

  /// Big-endian, without zeros before it (RFC 7518 section 2, Base64urlUInt), which some write all the same.
  fileprivate func number(_ name: String) throws(KeyRefusal) -> [UInt8] {
    let bytes = Array(try bytes(name).drop { $0 == 0 })
    guard bytes.count <= 2048 else { throw KeyRefusal("has a `\(name)` that is too long") }
    return bytes
  }

  /// RFC 7518 section 6.2.1: each coordinate is as long as the curve's field.
  fileprivate func point(_ curve: String, bytes count: Int) throws(KeyRefusal) -> OpaquePointer? {
    let (x, y) = (try bytes("x"), try bytes("y"))
    guard x.count == count, y.count == count else { throw KeyRefusal("has no \(count) bytes in `x` and `y`") }
    let point = [4] + x + y
    return ccrypto_ec_key(curve, point, point.count)
  }
}
