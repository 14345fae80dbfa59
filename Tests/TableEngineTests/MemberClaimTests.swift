import JSON
import Testing

@testable import TableEngine

@Suite struct MemberClaimTests {
  private static let key = MemberClaim.key([7])

  private static func digest(_ share: String) -> String { MemberClaim.digest(ofShare: share, key: [7]) }

  @Test func claimsAreReadAsTheyWereSent() {
    let claims = (0..<500).map { number in
      MemberClaim(
        name: "t;q=" + String(repeating: "%C3%A9", count: number % 100) + "\(number)",
        share: number % 3 == 0 ? "" : Self.digest("192.0.2.\(number % 5)"),
        isWaitedFor: number % 2 == 0,
        values: number % 7 == 0 ? ["claims": ["sub": .string("ada \(number)")]] : .null
      )
    }
    let texts = MemberClaim.texts(of: claims, key: Self.key)
    #expect(texts.allSatisfy { $0.utf8.count <= 4_000 } && texts.count < 100)
    #expect(texts.flatMap { MemberClaim.read($0, key: Self.key) } == claims)
    #expect(MemberClaim.read("x\nr a\nw  \nW a b\nW a b c", key: Self.key) == [])
    #expect(MemberClaim.texts(of: [], key: Self.key) == [])
    // Nobody's address is told, and one client's share is the same everywhere.
    #expect(Self.digest("192.0.2.1") == Self.digest("192.0.2.1") && Self.digest("192.0.2.1").utf8.count == 32)
    #expect(!Self.digest("192.0.2.1").contains("192.0.2.1") && Self.digest("") == "")
    // Whoever tries all addresses has to have the key.
    #expect(Self.digest("192.0.2.1") != MemberClaim.digest(ofShare: "192.0.2.1", key: [8]))
  }

  /// Every role of the database may listen, and say something.
  @Test func callersValuesAreReadByReplicasAlone() throws {
    let claim = MemberClaim(name: "t;$caller=0a", share: "s", isWaitedFor: true, values: ["claims": ["sub": "ada"]])
    let text = try #require(MemberClaim.texts(of: [claim], key: Self.key).first)
    #expect(!text.contains("ada") && MemberClaim.read(text, key: Self.key) == [claim])
    #expect(MemberClaim.read(text, key: MemberClaim.key([8])) == [])
    #expect(MemberClaim.read(text.replacing("=0a", with: "=0b"), key: Self.key) == [], "of another member")
    // The same is never told twice in the same bytes.
    #expect(MemberClaim.texts(of: [claim], key: Self.key).first != text)
  }

  @Test func whatCanNotBeToldStaysWhereItIsAskedFor() {
    let long = String(repeating: "x", count: 2_000)
    #expect(MemberClaim.canTell("t;q=" + long, .null, dependsOnCaller: false))
    #expect(!MemberClaim.canTell("t;q=" + long, ["claims": [:]], dependsOnCaller: true))
    #expect(!MemberClaim.canTell("t", ["claims": ["sub": .string(long)]], dependsOnCaller: true))
    #expect(
      MemberClaim.canTell("t", ["claims": ["sub": "ada", "n": 1.5, "m": 9_007_199_254_740_993]], dependsOnCaller: true)
    )
  }

  @Test func membersOfCallersAreCalledByADigest() {
    let member = TableReference(name: "t", parameters: [.init(name: "q", value: "a b")])
    let digest = (0..<32).map { UInt8($0 * 8) }
    let shared = member.ofCaller(digest)
    #expect(TableReference(segment: shared.canonical) == shared && shared != member)
    #expect(shared.partedFromCaller.reference == member && shared.partedFromCaller.digest == digest)
    #expect(member.ofCaller(nil) == member && member.partedFromCaller.digest == nil)
  }

  @Test func aRefusalIsReadAsItWasSent() {
    let refusal = MemberRefusal(name: "t;q=a", detail: "No room.\nAsk again.")
    #expect(MemberRefusal(refusal.text) == refusal && MemberRefusal("t") == nil)
  }
}
