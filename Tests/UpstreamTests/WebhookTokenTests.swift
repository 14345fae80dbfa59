import Definitions
import Testing

@testable import Upstream

@Suite struct WebhookTokenTests {
  static let cases: [(WebhookToken, [String: String], Bool)] = [
    (.bearer("t0ken"), ["Authorization": "Bearer t0ken"], true),
    (.bearer("t0ken"), ["Authorization": "bearer t0ken"], true),
    (.bearer("t0ken"), ["Authorization": "Bearer T0KEN"], false), (.bearer("t0ken"), ["Authorization": "t0ken"], false),
    (.bearer("t0ken"), ["Authorization": "Bearer t0kenx"], false), (.bearer("t0ken"), [:], false),
    (WebhookToken(header: "X-Gitlab-Token", value: "s"), ["X-Gitlab-Token": " s "], true),
    (WebhookToken(header: "X-Gitlab-Token", value: "s"), ["X-Gitlab-Token": "S"], false),
    (WebhookToken(header: "X-Gitlab-Token", value: "s"), ["X-Token": "s"], false),
    (WebhookToken(header: "X-Gitlab-Token", value: ""), ["X-Gitlab-Token": ""], false),
  ]

  @Test func proof() {
    for (token, fields, isProven) in Self.cases {
      #expect(token.isProven { fields[$0] } == isProven, "\(token) \(fields)")
    }
  }
}
