import Testing

@testable import Discovery

/// What `init` reads from the environment, and what it writes as it is.
@Suite struct SecretsTests {
  @Test(arguments: [
    "Authorization", "X-Api-Key", "Cookie", "X-Passcode", "X-Hmac", "X_Auth", "jwt", "sid", "pat", "key", "appid",
    "access_token", "X-Session-Id", "X-Auth", "X-Tableau-Auth", "pw", "X-PW", "psw", "bearer",
    "AWSAccessKeyId",
  ])
  func secretsAreOfTheEnvironment(name: String) {
    var secrets = Secrets(for: "news")
    #expect(secrets.header(name, "abc").hasPrefix("${env.NEWS_"))
    #expect(secrets.url("https://x.example/?a=1&\(name)=abc").hasPrefix("https://x.example/?a=1&\(name)=${env.NEWS_"))
    #expect(Set(secrets.environment.values) == ["abc"])
  }

  @Test(arguments: ["Accept", "sort", "patch", "side", "author", "passenger", "page", "ping", "code", "oauth-page"])
  func othersStand(name: String) {
    var secrets = Secrets(for: "news")
    #expect(secrets.header(name, "a ${b}") == "a $${b}")
    #expect(secrets.url("https://x.example/?\(name)=abc") == "https://x.example/?\(name)=abc")
    #expect(secrets.environment.isEmpty)
  }

  /// Azure's function keys are called as countries' codes are.
  @Test func aLongCodeIsASecret() {
    var secrets = Secrets(for: "orders")
    let key = "aZ3-kf93jsLq0_9dk2mQwErT"
    #expect(secrets.url("https://x.example/?code=\(key)&b=1") == "https://x.example/?code=${env.ORDERS_TOKEN}&b=1")
    #expect(secrets.environment == ["ORDERS_TOKEN": key])
  }

  @Test(arguments: ["Bearer", "bearer", "Basic", "token"]) func credentialsAreSecretUnderAnyName(scheme: String) {
    var secrets = Secrets(for: "news")
    #expect(secrets.header("X-Forwarded-For-Me", "\(scheme) abc") == "\(scheme) ${env.NEWS_TOKEN}")
    #expect(secrets.environment == ["NEWS_TOKEN": "abc"])
  }

  /// The service encodes a variable's value: it has to be given without the URL's encoding.
  @Test func whatWasDecodedIsKnown() {
    var secrets = Secrets(for: "news")
    _ = secrets.url("https://x.example/?sig=ab%2Bcd%3D&api_key=plain")
    #expect(secrets.environment == ["NEWS_TOKEN": "ab+cd=", "NEWS_KEY": "plain"])
    #expect(secrets.decoded == ["NEWS_TOKEN"])
  }
}
