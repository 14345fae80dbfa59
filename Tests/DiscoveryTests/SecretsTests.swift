import Testing

@testable import Discovery

/// What `init` reads from the environment, and what it writes as it is.
@Suite struct SecretsTests {
  @Test(arguments: [
    "Authorization", "X-Api-Key", "Cookie", "X-Passcode", "X-Hmac", "X_Auth", "jwt", "sid", "pat", "key", "appid",
    "access_token", "X-Session-Id",
  ])
  func secretsAreOfTheEnvironment(name: String) {
    var secrets = Secrets(for: "news")
    #expect(secrets.header(name, "abc").hasPrefix("${env.NEWS_"))
    #expect(secrets.url("https://x.example/?a=1&\(name)=abc").hasPrefix("https://x.example/?a=1&\(name)=${env.NEWS_"))
    #expect(Set(secrets.environment.values) == ["abc"])
  }

  @Test(arguments: ["Accept", "sort", "patch", "side", "author", "passenger", "page", "ping"])
  func othersStand(name: String) {
    var secrets = Secrets(for: "news")
    #expect(secrets.header(name, "a ${b}") == "a $${b}")
    #expect(secrets.url("https://x.example/?\(name)=abc") == "https://x.example/?\(name)=abc")
    #expect(secrets.environment.isEmpty)
  }
}
