import Definitions
import JSON
import TestSupport
import Testing

@testable import Upstream

/// A token's life, that expectations may go on with.
private final class Lived {
  private var life = TokenLife()

  func wanted(at now: Duration) -> TokenLife.Answer { life.wanted(at: now) }
  func came(_ text: String, lifetime: Duration?, asked: Duration) { life.came(text, lifetime: lifetime, asked: asked) }
  func failed(_ error: UpstreamError, at now: Duration) -> String? { life.failed(error, at: now) }
  func refused(_ text: String, at now: Duration) -> Bool { life.refused(text, at: now) }
  func accepted(_ text: String) { life.accepted(text) }
}

@Suite struct TokenLifeTests {
  private let error = UpstreamError.login("no")

  @Test func oneAsksForAllAndRenewsInTime() {
    let life = Lived()
    #expect(life.wanted(at: .seconds(10)) == .ask)
    #expect(life.wanted(at: .seconds(10)) == .wait)
    life.came("a", lifetime: .seconds(100), asked: .seconds(10))
    #expect(life.wanted(at: .seconds(89)) == .use("a"))
    #expect(life.wanted(at: .seconds(90)) == .ask, "a fifth of its time before the end")
    #expect(life.failed(error, at: .seconds(91)) == "a", "it still lasts")
    #expect(life.wanted(at: .seconds(91.5)) == .use("a"))
    #expect(life.wanted(at: .seconds(92)) == .ask)
    #expect(life.failed(error, at: .seconds(111)) == nil)
    #expect(life.wanted(at: .seconds(112)) == .failed(error), "the second pause is longer")
    #expect(life.wanted(at: .seconds(113)) == .ask)
    life.came("b", lifetime: .seconds(7200), asked: .seconds(113))
    #expect(life.wanted(at: .seconds(113 + 7139)) == .use("b"))
    #expect(life.wanted(at: .seconds(113 + 7140)) == .ask, "a minute before the end at most")
  }

  @Test func withoutALifetimeATokenLastsUntilItIsRefused() {
    let life = Lived()
    _ = life.wanted(at: .zero)
    life.came("a", lifetime: nil, asked: .zero)
    #expect(life.wanted(at: .seconds(1_000_000)) == .use("a"))
    #expect(life.refused("a", at: .seconds(1_000_000)))
    #expect(life.wanted(at: .seconds(1_000_000)) == .ask)
  }

  /// An upstream that takes no token at all has the endpoint asked rarely.
  @Test func refusalsInARowAreSlowedDown() {
    let life = Lived()
    var (asked, now) = (0, Duration.zero)
    for round in 0..<600 {
      now = .milliseconds(round * 1000)
      if life.wanted(at: now) == .ask {
        asked += 1
        life.came("t\(asked)", lifetime: nil, asked: now)
      }
      guard case .use(let token) = life.wanted(at: now) else { continue }
      if life.refused(token, at: now), life.wanted(at: now) == .ask {
        asked += 1
        life.came("t\(asked)", lifetime: nil, asked: now)
      }
    }
    #expect((10...18).contains(asked), "\(asked)")
    // One that was replaced meanwhile costs nothing.
    #expect(life.refused("t1", at: now))
    guard case .use(let token) = life.wanted(at: now) else { return #expect(Bool(false)) }
    life.accepted(token)
    #expect(life.refused(token, at: now), "after one was taken, the next refusal counts anew")
  }

  private func response(_ status: Int, _ body: String) throws -> TransferResponse {
    TransferResponse(
      status: status,
      headers: [],
      body: Array(body.utf8),
      url: try #require(UpstreamURL("https://id.example/token?key=SECRET-OF-URL")),
      redirects: 0,
      elapsed: .zero,
      reusedConnection: false,
      httpVersion: .http1
    )
  }

  private func request(_ style: TokenRequest.Style = .basic, refresh: String? = nil) -> TokenRequest {
    let definition = OAuth2Definition(
      token: "https://id.example/token",
      client: "an id",
      secret: "very:secret+",
      refresh: refresh,
      scope: "read write"
    )
    return TokenRequest(definition: definition, security: TransferSecurity(), refresh: refresh, style: style)
  }

  @Test func requests() throws {
    let basic = try request().transfer()
    #expect(String(decoding: basic.body ?? [], as: UTF8.self) == "grant_type=client_credentials&scope=read%20write")
    // RFC 6749 section 2.3.1: both are encoded as in a form first.
    #expect(basic.headers.first(named: "Authorization") == "Basic " + Login.basic("an%20id", "very%3Asecret%2B"))
    #expect(basic.limits.maxRedirects == 0 && basic.limits.maxBodyBytes == 64 << 10)
    let body = try request(.body, refresh: "r1-of-old").transfer()
    #expect(
      String(decoding: body.body ?? [], as: UTF8.self)
        == "grant_type=refresh_token&refresh_token=r1-of-old&scope=read%20write&client_id=an%20id&client_secret=very%3Asecret%2B"
    )
    #expect(body.headers.first(named: "Authorization") == nil)
  }

  @Test(arguments: [
    (200, #"{"access_token":"t","expires_in":60}"#, "t 60.0 seconds -"),
    (200, #"{"access_token":"t","token_type":"bearer","expires_in":"60","refresh_token":"n"}"#, "t 60.0 seconds n"),
    (200, #"{"access_token":"t","expires_in":0}"#, "t - -"),
    (200, #"{"access_token":"t","expires_in":-1e999}"#, "t - -"),
    (200, #"{"access_token":""}"#, "answered 200 without an `access_token`"),
    (200, #"["t"]"#, "what is no JSON object"), (200, "<html>", "an HTML page, and no token"),
    (200, #"{"access_token":"a\nb"}"#, "a token that can't stand in a header field"),
    (200, #"{"access_token":"t","token_type":"mac"}"#, "a token of the type “mac”"),
    (302, "", "a redirect, which credentials don't follow"),
    (
      400, #"{"error":"invalid_grant","error_description":"not very:secret+ but"}"#,
      "answered 400: invalid_grant: not … but"
    ),
    (
      401, #"{"error":"invalid_client","error_description":"who is Basic YW4lMjBpZDp2ZXJ5JTNBc2VjcmV0JTJC?"}"#,
      "answered 401: invalid_client: who is Basic …?"
    ),
    (500, "<title>Oops</title>", "answered 500: an HTML page titled “Oops”"),
  ])
  func answers(_ status: Int, _ body: String, _ expected: String) throws {
    let told: String
    do throws(UpstreamError) {
      let grant = try request().grant(try! response(status, body))
      let lifetime = grant.lifetime.map { "\(Double($0.components.seconds)) seconds" } ?? "-"
      told = "\(grant.token) \(lifetime) \(grant.refresh ?? "-")"
    } catch {
      #expect(error.kind == .login)
      told = error.detail
    }
    #expect(told.contains(expected), "\(told)")
    #expect(!told.contains("SECRET-OF-URL"))
  }

  /// A failure that passes says nothing about the refresh token.
  @Test(arguments: [
    (400, #"{"error":"invalid_grant"}"#, true), (403, #"{"error":"invalid_grant"}"#, true), (401, "", true),
    (401, #"{"error":"invalid_client"}"#, false), (400, #"{"error":"temporarily_unavailable"}"#, false),
    (429, "", false), (500, #"{"error":"invalid_grant"}"#, false), (503, "<html>", false), (200, "<html>", false),
    (200, #"{"error":"bad_refresh_token"}"#, true), (400, #"{"error":"invalid_client"}"#, false),
  ])
  func refusedGrants(_ status: Int, _ body: String, _ isRefused: Bool) throws {
    #expect(try request(refresh: "r1-of-old").refusesGrant(response(status, body)) == isRefused)
  }
}
