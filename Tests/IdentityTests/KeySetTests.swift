import Identity
import JSON
import TestSupport
import Testing

@Suite struct KeySetTests {
  static let rsa = TokenSigner(.rs256)
  static let ec = TokenSigner(.es256)

  struct Bad: Sendable, CustomTestStringConvertible {
    var name: String
    var jwk: JSONValue
    var testDescription: String { name }

    init(_ name: String, _ base: TokenSigner, _ changes: [String: JSONValue?]) {
      self.name = name
      var jwk = base.jwk
      for (name, value) in changes { jwk[name] = value }
      self.jwk = jwk
    }
  }

  static let bad: [Bad] = [
    Bad("no kty", rsa, ["kty": nil as JSONValue?]), Bad("symmetric", rsa, ["kty": "oct", "k": "c2VjcmV0"]),
    Bad("of another type", rsa, ["kty": "EC"]), Bad("for encryption", rsa, ["use": "enc"]),
    Bad("use is a list", rsa, ["use": ["sig"]]), Bad("for signing alone", rsa, ["key_ops": ["sign"]]),
    Bad("private", rsa, ["d": "AQAB"]), Bad("alg of another type", rsa, ["alg": "ES256"]),
    Bad("HS256", rsa, ["alg": "HS256"]), Bad("none", rsa, ["alg": "none"]),
    Bad("no modulus", rsa, ["n": nil as JSONValue?]),
    Bad("modulus with padding", rsa, ["n": "AQAB=="]), Bad("short modulus", rsa, ["n": "AQAB"]),
    Bad("long modulus", rsa, ["n": .string(TokenSigner.base64URL(Array(repeating: 255, count: 1025)))]),
    Bad("longest modulus", rsa, ["n": .string(TokenSigner.base64URL(Array(repeating: 255, count: 100_000)))]),
    Bad("exponent 1", rsa, ["e": "AQ"]), Bad("exponent 0", rsa, ["e": "AA"]), Bad("even exponent", rsa, ["e": "Ag"]),
    Bad("long exponent", rsa, ["e": .string(TokenSigner.base64URL(Array(repeating: 255, count: 256)))]),
    Bad("not on the curve", ec, ["x": .string(TokenSigner.base64URL(Array(repeating: 1, count: 32)))]),
    Bad("a coordinate of zero", ec, ["x": .string(TokenSigner.base64URL(Array(repeating: 0, count: 32)))]),
    Bad("a short coordinate", ec, ["x": "AQAB"]), Bad("of another curve", ec, ["crv": "P-384"]),
    Bad("of a curve that is not taken", ec, ["crv": "secp256k1"]), Bad("kid is a number", ec, ["kid": 7]),
    Bad(
      "Ed25519 of 31 bytes",
      ec,
      ["kty": "OKP", "crv": "Ed25519", "x": .string(TokenSigner.base64URL(Array(repeating: 1, count: 31)))]
    ),
    Bad("X25519", ec, ["kty": "OKP", "crv": "X25519"]),
  ]

  @Test(arguments: bad)
  func keysThatAreNoneAreLeftOut(_ bad: Bad) throws {
    #expect(throws: KeyRefusal.self) { try VerificationKey(bad.jwk) }
    let set = try KeySet(parsing: TokenSigner.keySet([bad.jwk, Self.ec.jwk]))
    #expect(set.keys.count == 1)
    #expect(set.refusals.count == 1)
  }

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[7]}"#, #"{"keys":[],"keys":[]}"#, "<html>",
  ])
  func whatIsNoSetIsRefused(_ text: String) {
    #expect(throws: KeyRefusal.self) { try KeySet(parsing: Array(text.utf8)) }
  }

  @Test func aSetHasABound() {
    #expect(throws: KeyRefusal.self) {
      try KeySet(parsing: TokenSigner.keySet(Array(repeating: Self.ec.jwk, count: KeySet.maximumKeys + 1)))
    }
    #expect(throws: KeyRefusal.self) {
      try KeySet(parsing: TokenSigner.keySet(Array(repeating: Self.rsa.jwk, count: 10_000)))
    }
  }

  /// A key that says no algorithm has those of its type.
  @Test func algorithmsOfKeys() throws {
    var jwk = Self.rsa.jwk
    #expect(try VerificationKey(jwk).algorithms == [.rs256])
    jwk["alg"] = nil
    #expect(try VerificationKey(jwk).algorithms == [.rs256, .ps256])
    var curve = TokenSigner(.edDSA).jwk
    curve["alg"] = "Ed25519"
    #expect(try VerificationKey(curve).algorithms == [.edDSA])
  }
}
