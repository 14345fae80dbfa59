import Digests
import Testing

@testable import Upstream

@Suite struct WebhookReplayTests {
  static let secret = "whsec"
  static let body = Array(#"{"changed":true}"#.utf8)
  static let now: Int64 = 1_800_000_000

  static func code(_ text: String, _ secret: String = secret) -> String {
    HMACSHA256.code(for: Array(text.utf8) + body, key: Array(secret.utf8))
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let headers: [String: String]
    let expected: WebhookSignature.Verdict

    init(_ name: String, _ headers: [String: String], _ expected: WebhookSignature.Verdict) {
      (testDescription, self.headers, self.expected) = (name, headers, expected)
    }
  }

  static let cases: [Case] = {
    let (fresh, old, ahead) = ("\(now - 299)", "\(now - 301)", "\(now + 301)")
    return [
      Case("no signature", [:], .invalid),
      Case("over the body alone", ["X-Hub-Signature-256": "sha256=" + code("")], .valid),
      Case("wrong", ["X-Signature": code("x")], .invalid),
      Case("Stripe's", ["Stripe-Signature": "t=\(fresh),v1=\(code(fresh + ".")),v0=ff"], .valid),
      Case("Stripe's, replayed", ["Stripe-Signature": "t=\(old),v1=\(code(old + "."))"], .stale),
      Case("Stripe's, from ahead", ["Stripe-Signature": "t=\(ahead),v1=\(code(ahead + "."))"], .stale),
      Case("Stripe's, made young", ["Stripe-Signature": "t=\(fresh),v1=\(code(old + "."))"], .invalid),
      Case("two codes", ["X-Signature": "t=\(fresh), v1=\(code("", "old")), v1=\(code(fresh + "."))"], .valid),
      Case(
        "the second of two",
        ["X-Hub-Signature-256": code("x"), "X-Signature": code("")],
        .valid
      ),
      Case("time stamp beside it", ["X-Timestamp": fresh, "X-Signature": code(fresh + ".")], .valid),
      Case("time stamp beside it, replayed", ["X-Timestamp": old, "X-Signature": code(old + ".")], .stale),
      Case("time stamp that nobody signed", ["X-Timestamp": old, "X-Signature": code("")], .valid),
      Case(
        "Slack's",
        ["X-Slack-Request-Timestamp": fresh, "X-Slack-Signature": "v0=" + code("v0:\(fresh):")],
        .valid
      ),
      Case(
        "Slack's, replayed",
        ["X-Slack-Request-Timestamp": old, "X-Slack-Signature": "v0=" + code("v0:\(old):")],
        .stale
      ),
      Case("no number", ["Stripe-Signature": "t=soon,v1=\(code("soon."))"], .stale),
      Case(
        "no such time",
        ["Stripe-Signature": "t=-9223372036854775808,v1=\(code("-9223372036854775808."))"],
        .stale
      ),
    ]
  }()

  /// What was signed with a time stamp, sent as a body that has none.
  @Test(arguments: ["1699999000.", "v0:1699999000:", "-5.", "soon."]) func aSignedTextIsNoBody(stamp: String) {
    let text = Array(stamp.utf8) + Self.body
    for name in ["X-Signature", "X-Hub-Signature-256", "Stripe-Signature"] {
      let headers = [name: "sha256=" + Self.code(stamp)]
      let verdict = WebhookSignature.verdict(on: text, secret: Self.secret, now: Self.now) { headers[$0] }
      #expect(verdict == (stamp == "soon." ? .valid : .invalid), "\(name)")
    }
  }

  /// However much a stranger claims, there are few texts to make a code of.
  @Test func codesOverOneTextAreOneClaim() {
    let names = ["Stripe-Signature", "X-Hub-Signature-256", "X-Signature"]
    func claims(_ value: (Int) -> String) -> [WebhookSignature.Claim] {
      var headers = ["X-Timestamp": "1", "X-Slack-Request-Timestamp": "1", "X-Slack-Signature": "v0=" + Self.code("")]
      for (number, name) in names.enumerated() { headers[name] = value(number) }
      return WebhookSignature.claims { headers[$0] }
    }
    let codes = (0..<12).map { ",v1=" + Self.code("\($0)") }.joined()
    let same = claims { _ in "t=1" + codes }
    #expect(same.map(\.codes.count) == [1, 24] && same.map(\.timestamp) == ["1", "1"])
    #expect(claims { "t=\($0)" + codes }.map(\.codes.count) == [1, 8, 8, 8])
    #expect(claims { Self.code("\($0)") }.map(\.codes.count) == [1, 3, 3])
  }

  @Test(arguments: cases) func verdict(_ test: Case) {
    let verdict = WebhookSignature.verdict(on: Self.body, secret: Self.secret, now: Self.now) { test.headers[$0] }
    #expect(verdict == test.expected)
    #expect(WebhookSignature.verdict(on: Self.body, secret: "", now: Self.now) { test.headers[$0] } == .invalid)
  }
}
