import Identity
import JSON
import TestSupport
import Testing

@Suite struct IssuerKeysTests {
  static let signers = [TokenSigner(.es256, keyID: "a"), TokenSigner(.es256, keyID: "b")]
  static let first = TokenSigner.keySet([signers[0].jwk])
  static let both = TokenSigner.keySet(signers.map(\.jwk))
  static let second = TokenSigner.keySet([signers[1].jwk])
  static let url = IssuerKeys.Step.get(url: "https://id.example.com/keys")

  static func known(at now: Duration = .zero) -> IssuerKeys {
    var keys = IssuerKeys(.url("https://id.example.com/keys"))
    _ = keys.due(at: now)
    _ = keys.received(.success(first), at: now)
    return keys
  }

  @Test func theyAreFetchedAtOnceAndEveryTenMinutes() {
    var keys = IssuerKeys(.url("https://id.example.com/keys"))
    #expect(keys.deadline == .zero)
    #expect(keys.due(at: .zero) == Self.url)
    #expect(keys.due(at: .seconds(1)) == nil, "one flight")
    #expect(keys.received(.success(Self.first), at: .seconds(1)) == .changed(isRevoking: false))
    #expect(keys.due(at: .seconds(600)) == nil)
    #expect(keys.deadline == .seconds(601))
    #expect(keys.due(at: .seconds(601)) == Self.url)
    #expect(keys.received(.success(Self.first), at: .seconds(602)) == .unchanged)
    #expect(keys.demanded() == Self.url)
    #expect(keys.demanded() == nil)
    #expect(keys.received(.success(Self.both), at: .seconds(602)) == .changed(isRevoking: false))
    _ = keys.demanded()
    #expect(keys.received(.success(Self.second), at: .seconds(602)) == .changed(isRevoking: true))
  }

  @Test func anUnknownKeyIsLookedForOnceInAWhile() {
    var keys = Self.known()
    #expect(keys.missed(at: .seconds(29)) == .refuse)
    #expect(keys.missed(at: .seconds(30)) == .wait(Self.url))
    #expect(keys.missed(at: .seconds(31)) == .wait(nil), "one flight for all who miss it")
    #expect(keys.received(.success(Self.first), at: .seconds(32)) == .unchanged)
    #expect(keys.missed(at: .seconds(61)) == .refuse)
    #expect(keys.missed(at: .seconds(62)) == .wait(Self.url))
  }

  @Test func anOutageTakesNobodysKeysAway() {
    var keys = Self.known()
    _ = keys.due(at: .seconds(600))
    for bad in ["", "<html>", #"{"keys":[]}"#] {
      guard case .failed = keys.received(.success(Array(bad.utf8)), at: .seconds(601)) else {
        Issue.record("`\(bad)` is no set")
        return
      }
      #expect(keys.keys.keys.count == 1)
      #expect(keys.missed(at: .seconds(630)) == .refuse, "after a failure, too")
      #expect(keys.deadline == .seconds(631))
      _ = keys.demanded()
    }
  }

  @Test func beforeTheFirstAnswerNobodyCanBeJudged() {
    var keys = IssuerKeys(.file("keys.json"))
    #expect(keys.due(at: .zero) == .read(file: "keys.json"))
    #expect(keys.missed(at: .zero) == .wait(nil))
    #expect(!keys.haveCome)
    _ = keys.received(.success(Self.first), at: .zero)
    #expect(keys.haveCome)
  }

  @Test(arguments: [
    (
      #"{"issuer":"https://id.example.com/r","jwks_uri":"https://id.example.com/k"}"#,
      "https://id.example.com/k" as String?
    ),
    (#"{"issuer":"https://id.example.com","jwks_uri":"https://id.example.com/k"}"#, nil),
    (#"{"issuer":"https://id.example.com/r"}"#, nil), (#"{"issuer":"https://id.example.com/r","jwks_uri":7}"#, nil),
    ("no JSON", nil),
  ])
  func discovery(_ document: String, _ expected: String?) {
    var keys = IssuerKeys(.discovered(issuer: "https://id.example.com/r"))
    #expect(keys.due(at: .zero) == .get(url: "https://id.example.com/r/.well-known/openid-configuration"))
    let progress = keys.received(.success(Array(document.utf8)), at: .zero)
    if let expected {
      #expect(progress == .next(.get(url: expected)))
      #expect(keys.received(.success(Self.first), at: .zero) == .changed(isRevoking: false))
    } else {
      guard case .failed = progress else {
        Issue.record("\(progress)")
        return
      }
      #expect(keys.deadline == .seconds(30))
    }
  }
}

@Suite struct TokenMemoryTests {
  /// What came first goes first; what is forgotten leaves its place.
  @Test func itIsBounded() throws {
    let signer = TokenSigner(.edDSA)
    let rules = TokenRulesTests.rules
    let token = try rules.verify(
      try SignedToken(Array(signer.token(TokenRulesTests.claims).utf8)),
      with: try KeySet(parsing: TokenSigner.keySet([signer.jwk])),
      now: TokenRulesTests.now
    )
    var memory = TokenMemory()
    func digest(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    for number in 0..<20_000 { memory.remember(token, digest(number), bytes: 1024) }
    #expect(memory.bytes == TokenMemory.maximumBytes)
    #expect(memory[digest(0)] == nil)
    #expect(memory[digest(19_999)] === token)
    for number in 0..<20_000 { memory.forget(digest(number)) }
    #expect(memory.count == 0)
    #expect(memory.bytes == 0)
    for number in 0..<100_000 { memory.remember(token, digest(number), bytes: 1) }
    #expect(memory.count == TokenMemory.maximum)
    #expect(memory[digest(99_999)] === token)
  }
}
