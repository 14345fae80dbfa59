import Identity
import JSON
import TestSupport
import Testing

/// What is taken of a token, and the attacks that are published on those who verify them.
@Suite struct TokenRulesTests {
  static let now = 1_800_000_000.0
  static let signers = TokenSigner.Kind.allCases.map { TokenSigner($0, keyID: $0.rawValue) }
  static let stranger = TokenSigner(.rs256, keyID: "RS256")
  static let rules = TokenRules(
    issuer: "https://id.example.com",
    audience: "tablecast",
    algorithms: Set(SignatureAlgorithm.allCases),
    leeway: 30
  )
  static let claims: JSONValue = [
    "iss": "https://id.example.com", "aud": "tablecast", "sub": "ada", "exp": 1_800_000_060,
  ]

  static func signer(_ kind: TokenSigner.Kind) -> TokenSigner {
    guard let signer = signers.first(where: { $0.kind == kind }) else { preconditionFailure("\(kind) has a signer") }
    return signer
  }

  static func keys(_ jwks: [JSONValue] = signers.map(\.jwk)) throws -> KeySet {
    try KeySet(parsing: TokenSigner.keySet(jwks))
  }

  static func verify(
    _ token: String,
    _ keys: KeySet,
    rules: TokenRules = rules,
    now: Double = now
  ) throws -> VerifiedToken {
    try rules.verify(try SignedToken(Array(token.utf8)), with: keys, now: now)
  }

  @Test(arguments: TokenSigner.Kind.allCases)
  func whatIsSignedRightIsTaken(_ kind: TokenSigner.Kind) throws {
    let verified = try Self.verify(Self.signer(kind).token(Self.claims), try Self.keys())
    #expect(verified.subject == "ada")
    #expect(verified.claims["iss"] == "https://id.example.com")
  }

  /// RFC 7515 appendix A.2 and A.3, RFC 8037 appendix A.4: others' signatures, not those of this test's own signer.
  @Test func publishedSignatures() throws {
    let rsa: JSONValue = [
      "kty": "RSA",
      "n": """
      ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCg\
      NMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665x\
      smtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpo\
      Q
      """, "e": "AQAB",
    ]
    let token = """
      eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
      .cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1d\
      nZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwus\
      C-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
      """
    #expect(try VerificationKey(rsa).verifies(try SignedToken(Array(token.utf8))))
    let ec: JSONValue = [
      "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    ]
    let second = """
      eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
      .DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
      """
    #expect(try VerificationKey(ec).verifies(try SignedToken(Array(second.utf8))))
  }

  struct Attack: Sendable, CustomTestStringConvertible {
    var name: String
    var refusal: TokenRefusal.Kind
    var token: @Sendable () -> String
    var testDescription: String { name }

    init(_ name: String, _ refusal: TokenRefusal.Kind = .malformed, _ token: @escaping @Sendable () -> String) {
      (self.name, self.refusal, self.token) = (name, refusal, token)
    }

    /// With another header.
    static func header(_ name: String, _ value: JSONValue) -> Attack {
      Attack("header \(name)") { signer(.rs256).token(claims, header: [name: value]) }
    }

    /// With another claim; nil: without it.
    static func claim(_ name: String, _ value: JSONValue?, _ refusal: TokenRefusal.Kind = .malformed) -> Attack {
      Attack(
        "claim \(name) \(value.map { String(decoding: $0.bytes.prefix(40), as: UTF8.self) } ?? "left out")",
        refusal
      ) {
        var claims = TokenRulesTests.claims
        claims[name] = value
        return signer(.rs256).token(claims)
      }
    }

    static func text(header: String = #"{"alg":"RS256","kid":"RS256"}"#, _ name: String, _ payload: String) -> Attack {
      Attack(name) { signer(.rs256).token(header: header, payload) }
    }
  }

  static let good = String(decoding: claims.bytes, as: UTF8.self)

  static let attacks: [Attack] = [
    // The algorithm is the attacker's.
    Attack("none") { unsigned("none") }, Attack("None") { unsigned("None") }, Attack("nOnE") { unsigned("nOnE") },
    Attack("HS256 with the public key as secret") { unsigned("HS256", signature: "c2lnbmF0dXJl") },
    Attack("HS384") { unsigned("HS384", signature: "c2lnbmF0dXJl") },
    Attack("RS1") { unsigned("RS1", signature: "c2lnbmF0dXJl") },
    Attack("no alg") { signer(.rs256).token(header: #"{"kid":"RS256"}"#, good) },
    Attack("alg is a list") { signer(.rs256).token(header: #"{"alg":["RS256"],"kid":"RS256"}"#, good) },
    Attack("alg is null") { signer(.rs256).token(header: #"{"alg":null,"kid":"RS256"}"#, good) },
    Attack("PS256 by the key of RS256, rightly signed", .unknownKey) { signer(.rs256).token(claims, as: .ps256) },
    Attack("RS256 by the key of PS256, rightly signed", .unknownKey) { signer(.ps256).token(claims, as: .rs256) },
    Attack("RS256 in the header, ES256's signature", .unknownKey) {
      signer(.es256).token(claims, header: ["alg": "RS256"])
    },
    // The key is the attacker's.
    .header("jwk", stranger.jwk), .header("jku", "https://evil.example/keys"),
    .header("x5u", "https://evil.example/cert"), .header("x5c", ["MIIB"]), .header("crit", ["exp"]),
    .header("crit", []), .header("b64", false), .header("b64", true), .header("enc", "A256GCM"), .header("zip", "DEF"),
    .header("kid", 7), .header("kid", .null), .header("kid", .string(String(repeating: "k", count: 300))),
    .header("typ", "logout+jwt"), .header("typ", "secevent+jwt"), .header("typ", "dpop+jwt"), .header("typ", 1),
    Attack("another's key under a known kid", .signature) { stranger.token(claims) },
    Attack("kid is a path", .unknownKey) { signer(.rs256).token(claims, header: ["kid": "../../../dev/null"]) },
    Attack("kid is SQL", .unknownKey) { signer(.rs256).token(claims, header: ["kid": "x' UNION SELECT 'a'--"]) },
    Attack("kid with a NUL behind it", .unknownKey) { signer(.rs256).token(claims, header: ["kid": "RS256\u{0}"]) },
    Attack("kid in another case", .unknownKey) { signer(.rs256).token(claims, header: ["kid": "rs256"]) },
    Attack("kid of a key of another type", .unknownKey) { signer(.rs256).token(claims, header: ["kid": "ES256"]) },
    // The form.
    Attack("nothing") { "" }, Attack("one part") { "abc" }, Attack("two parts") { "e30.e30" },
    Attack("points") { ".." },
    Attack("five parts (JWE)") { signer(.rs256).token(claims) + ".a.b" },
    Attack("four parts") { signer(.rs256).token(claims) + "." },
    Attack("a point before") { "." + signer(.rs256).token(claims) },
    Attack("no signature", .signature) { unsigned("RS256") },
    Attack("padding") { signer(.rs256).token(claims) + "=" },
    Attack("a blank behind") { signer(.rs256).token(claims) + " " },
    Attack("a line break in the middle") { signer(.rs256).token(claims).replacing(".", with: ".\n") },
    Attack("the other base64") {
      signer(.rs256).token(header: "{\"alg\":\"RS256\"}", good).replacing("_", with: "/") + "/+"
    },
    Attack("1 MB") { signer(.rs256).token(["pad": .string(String(repeating: "x", count: 1 << 20))]) },
    .text("no JSON", "{"), .text("a list", "[]"), .text("a nested token", "\"e30.e30.e30\""),
    .text("two values", good + good),
    .text("deep", #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"),
    .text("invalid UTF-8 by escape", #"{"sub":"\ud800"}"#),
    .text("sub twice", good.dropLast() + #","sub":"root"}"#),
    .text("sub twice, once escaped", good.dropLast() + #","s\u0075b":"root"}"#),
    .text("exp twice", good.dropLast() + #","exp":1}"#),
    .text("a doubled member deep inside", good.dropLast() + #","realm_access":{"roles":[],"roles":["admin"]}}"#),
    .text(header: #"{"alg":"none","alg":"RS256","kid":"RS256"}"#, "alg twice", good),
    .text(header: #"{"alg":"RS256","kid":"x","kid":"RS256"}"#, "kid twice", good),
    // Times.
    .claim("exp", nil), .claim("exp", "1800000060"), .claim("exp", .null), .claim("exp", true), .claim("exp", []),
    .claim("exp", .integer(1 << 53)), .claim("exp", .integer(.max)), .claim("exp", .unsigned(.max)),
    .claim("exp", .double(1e300)), .text("exp beyond a double", good.dropLast() + #","x":1e400}"#),
    .claim("exp", .integer(.min)), .claim("exp", 0, .time), .claim("exp", -1, .time),
    .claim("exp", 1_799_999_970, .time), .claim("exp", .double(1_799_999_969.5), .time),
    .claim("nbf", "0"), .claim("nbf", .integer(.max)), .claim("nbf", 1_800_000_031, .time), .claim("nbf", .null),
    .claim("iat", "now"), .claim("iat", .integer(.max)),
    // Whose and for whom.
    .claim("iss", nil, .unknownIssuer), .claim("iss", "https://id.example.com/", .unknownIssuer),
    .claim("iss", ["https://id.example.com"], .unknownIssuer), .claim("iss", "HTTPS://id.example.com", .unknownIssuer),
    .claim("iss", "https://id.example.com\u{0}", .unknownIssuer),
    .claim("aud", nil, .audience), .claim("aud", "tablecast2", .audience), .claim("aud", [], .audience),
    .claim("aud", ["tablecast", 7], .audience), .claim("aud", "*", .audience),
    .claim("aud", ["tablecast": true], .audience),
    .claim("sub", nil), .claim("sub", ""), .claim("sub", 7), .claim("sub", .null),
    .claim("sub", .string(String(repeating: "s", count: 1025))),
  ]

  static func unsigned(_ algorithm: String, signature: String = "") -> String {
    let header: JSONValue = ["alg": .string(algorithm), "kid": "RS256"]
    return TokenSigner.base64URL(header.bytes) + "." + TokenSigner.base64URL(claims.bytes) + "." + signature
  }

  @Test(arguments: attacks)
  func attackIsRefused(_ attack: Attack) throws {
    let keys = try Self.keys()
    #expect {
      _ = try Self.verify(attack.token(), keys)
    } throws: {
      ($0 as? TokenRefusal)?.kind == attack.refusal
    }
  }

  @Test(arguments: [
    ("aud", ["other", "tablecast"] as JSONValue), ("exp", .double(1_800_000_000.5)), ("exp", 1_799_999_971),
    ("nbf", 1_800_000_030), ("iat", 1_900_000_000), ("exp", .integer((1 << 53) - 1)),
  ])
  func whatTheRulesAllowIsTaken(_ claim: String, _ value: JSONValue) throws {
    var claims = Self.claims
    claims[claim] = value
    _ = try Self.verify(Self.signer(.edDSA).token(claims), try Self.keys())
  }

  /// CVE-2022-21449: `r` and `s` of zero were a signature of everything.
  @Test(arguments: [TokenSigner.Kind.es256, .es384])
  func zerosAreNoSignature(_ kind: TokenSigner.Kind) throws {
    let signer = Self.signer(kind)
    let half = kind == .es256 ? 32 : 48
    let signed = signer.token(Self.claims).split(separator: ".").dropLast().joined(separator: ".")
    let real = signer.signature(of: Array(signed.utf8))
    let zeros = [UInt8](repeating: 0, count: half)
    let whole = [UInt8](repeating: 255, count: half)
    for signature in [
      zeros + zeros, zeros + real[half...], real[..<half] + zeros, whole + whole, real + [0], Array(real.dropLast()),
      [0] + real,
    ] {
      let token = signed + "." + TokenSigner.base64URL(Array(signature))
      #expect(throws: TokenRefusal.self) { try Self.verify(token, try Self.keys()) }
    }
    _ = try Self.verify(signed + "." + TokenSigner.base64URL(real), try Self.keys())
  }

  /// Each bit of a token counts, of the signature's spelling too.
  @Test(arguments: TokenSigner.Kind.allCases)
  func everyBitCounts(_ kind: TokenSigner.Kind) throws {
    let (token, keys) = (Array(Self.signer(kind).token(Self.claims).utf8), try Self.keys())
    for index in token.indices {
      for bit in 0..<8 {
        var flipped = token
        flipped[index] ^= 1 << UInt8(bit)
        #expect(throws: TokenRefusal.self, "bit \(bit) of byte \(index)") {
          _ = try Self.rules.verify(try SignedToken(flipped), with: keys, now: Self.now)
        }
      }
    }
  }

  /// Two issuers with one `kid`: each has its own keys.
  @Test func keysOfAnotherIssuerVerifyNothing() throws {
    let other = TokenSigner(.rs256, keyID: "RS256")
    let keys = try Self.keys()
    #expect(throws: TokenRefusal.self) { try Self.verify(other.token(Self.claims), keys) }
    var claims = Self.claims
    claims["iss"] = "https://other.example.com"
    #expect(throws: TokenRefusal.self) { try Self.verify(Self.signer(.rs256).token(claims), keys) }
  }

  /// While an issuer exchanges a key there are two. Of more the token has to name one.
  @Test func withoutAKeyIDAKeyAndItsSuccessorAreTried() throws {
    let (first, second) = (Self.signer(.rs256), TokenSigner(.rs256, keyID: "b"))
    let header = #"{"alg":"RS256"}"#
    let token = first.token(header: header, Self.good)
    for keys in [[first.jwk], [first.jwk, second.jwk], [second.jwk, first.jwk]] {
      #expect(try Self.verify(token, try Self.keys(keys)).subject == "ada")
    }
    let refused: [([JSONValue], TokenRefusal.Kind)] = [
      ([second.jwk], .unknownKey), ([second.jwk, Self.stranger.jwk], .unknownKey),
      ([Self.signer(.es256).jwk], .unknownKey), ([first.jwk, second.jwk, Self.stranger.jwk], .malformed),
    ]
    for (keys, kind) in refused {
      let refusal = #expect(throws: TokenRefusal.self) { try Self.verify(token, try Self.keys(keys)) }
      #expect(refusal?.kind == kind)
    }
  }

  @Test func algorithmsThatAreNotConfiguredAreRefused() throws {
    var rules = Self.rules
    rules.algorithms = [.es256]
    let token = Self.signer(.rs256).token(Self.claims)
    #expect(throws: TokenRefusal.self) { try Self.verify(token, try Self.keys(), rules: rules) }
  }

  /// A token that was verified is judged anew where rules or keys are others.
  @Test func whatWasVerifiedEnds() throws {
    let keys = try Self.keys()
    let verified = try Self.verify(Self.signer(.rs256).token(Self.claims), keys)
    try Self.rules.verify(verified, with: keys, now: Self.now + 89.9)
    #expect(throws: TokenRefusal.self) { try Self.rules.verify(verified, with: keys, now: Self.now + 90) }
    let others = try Self.keys([Self.stranger.jwk])
    #expect(throws: TokenRefusal.self) { try Self.rules.verify(verified, with: others, now: Self.now) }
    var rules = Self.rules
    rules.audience = "another"
    #expect(throws: TokenRefusal.self) { try rules.verify(verified, with: keys, now: Self.now) }
  }

  @Test func refusalsTellNothingOfTheToken() throws {
    for attack in Self.attacks {
      do { _ = try Self.verify(attack.token(), try Self.keys()) } catch {
        #expect(!"\(error)".contains("ada"))
      }
    }
  }
}
