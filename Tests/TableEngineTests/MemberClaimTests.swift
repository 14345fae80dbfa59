import Testing

@testable import TableEngine

@Suite struct MemberClaimTests {
  private static func digest(_ share: String) -> String { MemberClaim.digest(ofShare: share, key: [7]) }

  @Test func claimsAreReadAsTheyWereSent() {
    let claims = (0..<500).map { number in
      MemberClaim(
        name: "t;q=" + String(repeating: "%C3%A9", count: number % 100) + "\(number)",
        share: number % 3 == 0 ? "" : Self.digest("192.0.2.\(number % 5)"),
        isWaitedFor: number % 2 == 0
      )
    }
    let texts = MemberClaim.texts(of: claims)
    #expect(texts.allSatisfy { $0.utf8.count <= 4_000 } && texts.count < 100)
    #expect(texts.flatMap(MemberClaim.read) == claims)
    #expect(MemberClaim.read("x\nr a\nw  \n") == [] && MemberClaim.texts(of: []) == [])
    // Nobody's address is told, and one client's share is the same everywhere.
    #expect(Self.digest("192.0.2.1") == Self.digest("192.0.2.1") && Self.digest("192.0.2.1").utf8.count == 32)
    #expect(!Self.digest("192.0.2.1").contains("192.0.2.1") && Self.digest("") == "")
    // Whoever tries all addresses has to have the key.
    #expect(Self.digest("192.0.2.1") != MemberClaim.digest(ofShare: "192.0.2.1", key: [8]))
  }

  @Test func aRefusalIsReadAsItWasSent() {
    let refusal = MemberRefusal(name: "t;q=a", detail: "No room.\nAsk again.")
    #expect(MemberRefusal(refusal.text) == refusal && MemberRefusal("t") == nil)
  }
}
