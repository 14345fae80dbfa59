/// How the service logs in to an upstream: with credentials of its own, the same for every caller.
public enum UpstreamAuth: Hashable, Sendable {
  /// RFC 7617.
  case basic(user: String, password: String)
  /// RFC 6750, with a token that doesn't change.
  case bearer(String)
  case oauth2(OAuth2Definition)
}

/// The endpoint that gives tokens (RFC 6749), and the client that asks for them.
public struct OAuth2Definition: Hashable, Sendable {
  /// The token endpoint.
  public var token: String
  public var client: String
  /// Without `refresh`, client credentials (section 4.4) are asked for with it.
  public var secret: String?
  /// A refresh token (section 6).
  public var refresh: String?
  public var scope: String?

  public init(token: String, client: String, secret: String? = nil, refresh: String? = nil, scope: String? = nil) {
    (self.token, self.client, self.secret) = (token, client, secret)
    (self.refresh, self.scope) = (refresh, scope)
  }
}
