import Definitions

enum UpstreamAuthKeys: ObjectKeys {
  static let name = "UpstreamAuth"
  static let noun = "the source's `auth`"

  static let oauth2 = Key(
    "oauth2",
    .object(OAuth2Keys.self),
    "Tokens of an OAuth 2 endpoint (RFC 6749): one for all sources with the same values, renewed before it expires and once after a 401."
  )
  static let basic = Key("basic", .object(BasicKeys.self), "A user and a password (RFC 7617).")
  static let bearer = Key(
    "bearer",
    .text("a token", example: "${env.TOKEN}"),
    secrecy: .credentials,
    "A token that stays the same: `Authorization: Bearer …`."
  )

  static let keys = [oauth2.description, basic.description, bearer.description]

  static func value(of object: ObjectReader) -> UpstreamAuth? {
    let present = object.present(of: keys.map(\.name))
    guard present.count == 1 else {
      object.reading.error(
        at: object.place,
        present.isEmpty ? "'auth' does not say how" : "'auth' has \(together(present)) at once",
        present.isEmpty
          ? "write `oauth2: {token: https://id.example.com/token, client: …, secret: …}`, `basic` or `bearer`"
          : "keep one of them"
      )
      return nil
    }
    if object.has(basic) { return object[basic] }
    if object.has(bearer) {
      guard let token = object[bearer] else { return nil }
      guard token.isHeaderText else {
        object.reading.error(
          at: object.place(of: bearer),
          "the token has a character that no header field may have",
          "a bearer token is letters, digits and `-._~+/=`"
        )
        return nil
      }
      return .bearer(token)
    }
    return object[oauth2].map { .oauth2($0) }
  }
}

enum BasicKeys: ObjectKeys {
  static let name = "Basic"
  static let noun = "the user"

  static let user = Key(
    required: "user",
    .text("a user", example: "${env.API_USER}"),
    secrecy: .credentials,
    example: "${env.API_USER}",
    "The user's name."
  )
  static let password = Key(
    required: "password",
    .text("a password", example: "${env.API_PASSWORD}"),
    secrecy: .credentials,
    example: "${env.API_PASSWORD}",
    "The user's password."
  )

  static let keys = [user.description, password.description]

  static func value(of object: ObjectReader) -> UpstreamAuth? {
    let (name, password) = (object[user], object[password])
    guard let name, let password else { return nil }
    guard !name.contains(":") else {
      object.reading.error(at: object.place(of: user), "a user's name has no `:` (RFC 7617)", "leave it out")
      return nil
    }
    return .basic(user: name, password: password)
  }
}

enum OAuth2Keys: ObjectKeys {
  static let name = "OAuth2"
  static let noun = "the OAuth 2 client"

  static let token = Key(
    required: "token",
    .text("a URL", example: "https://id.example.com/token"),
    secrecy: .request,
    example: "https://id.example.com/token",
    "The token endpoint. Redirects are not followed."
  )
  static let client = Key(
    required: "client",
    .text("a client's id", example: "${env.CLIENT_ID}"),
    secrecy: .credentials,
    example: "${env.CLIENT_ID}",
    "The client's id."
  )
  static let secret = Key(
    "secret",
    .text("a secret", example: "${env.CLIENT_SECRET}"),
    secrecy: .credentials,
    "The client's secret: client credentials are asked for with it. Beside `refresh`, for endpoints that want both."
  )
  static let refresh = Key(
    "refresh",
    .text("a refresh token", example: "${env.REFRESH_TOKEN}"),
    secrecy: .credentials,
    "A refresh token, instead of `secret`. A new one that the endpoint gives in its place is kept in memory."
  )
  static let scope = Key(
    "scope",
    .text("a scope", example: "read"),
    secrecy: .request,
    "The token's scopes, with spaces between them."
  )

  static let keys = [token.description, client.description, secret.description, refresh.description, scope.description]

  static func value(of object: ObjectReader) -> OAuth2Definition? {
    let (url, id) = (object[token], object[client])
    let (secret, refresh) = (object[secret], object[refresh])
    let scope = object[scope]
    let isEndpoint = url.map { mayBeEndpoint($0, at: object.place(of: token), object.reading) } ?? false
    if object.present(of: [Self.secret.name, Self.refresh.name]).isEmpty {
      object.reading.error(
        at: object.place,
        "'secret' is missing",
        "write for example `secret: ${env.CLIENT_SECRET}`, or `refresh: ${env.REFRESH_TOKEN}`"
      )
      return nil
    }
    guard let url, isEndpoint, let id else { return nil }
    return OAuth2Definition(token: url, client: id, secret: secret, refresh: refresh, scope: scope)
  }

  private static func mayBeEndpoint(_ url: String, at place: TextPosition, _ reading: Reading) -> Bool {
    guard url.isWebAddress else {
      reading.error(
        at: place,
        "this is no URL of a token endpoint",
        "it begins with `https://` or `http://` and a host"
      )
      return false
    }
    if url.hasPrefix("http://"), !url.isOfLoopback {
      reading.warning(at: place, "credentials are sent to the token endpoint without TLS", "write `https://`")
    }
    return true
  }
}

extension String {
  /// True if it may stand in a header field (RFC 9110 section 5.5).
  fileprivate var isHeaderText: Bool { utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }

  private var authority: Substring? {
    guard let scheme = ["https://", "http://"].first(where: hasPrefix) else { return nil }
    let rest = dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    return rest.isEmpty ? nil : rest
  }

  fileprivate var isWebAddress: Bool {
    authority != nil && utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } && !(authority?.contains("@") ?? false)
  }

  fileprivate var isOfLoopback: Bool {
    guard let authority else { return false }
    return ["localhost", "127.", "[::1]"].contains { authority.hasPrefix($0) }
  }
}
