internal import Definitions
internal import Foundation
internal import JSON

/// A request to a token endpoint (RFC 6749 sections 4.4 and 6), and what its answer means. Pure.
struct TokenRequest {
  /// How the client proves who it is (section 2.3.1): which of both an endpoint takes is found out.
  enum Style { case basic, body }

  /// A token endpoint's grant.
  struct Grant: Equatable {
    var token: String
    var lifetime: Duration?
    /// In place of the one that it was asked with.
    var refresh: String?
  }

  let definition: OAuth2Definition
  let security: TransferSecurity
  /// The refresh token that is asked with; nil: client credentials.
  let refresh: String?
  let style: Style

  /// Short, small, and to this URL alone: credentials follow no redirect.
  private static let limits = TransferLimits(
    connectTimeout: .seconds(5),
    timeout: .seconds(10),
    stallTimeout: .seconds(10),
    maxBodyBytes: 64 << 10,
    maxRedirects: 0
  )
  private static let longestToken = 16 << 10

  func transfer() throws(UpstreamError) -> TransferRequest {
    guard let url = UpstreamURL(definition.token) else { throw .login("`auth.oauth2.token` is no URL") }
    var pairs = [("grant_type", refresh == nil ? "client_credentials" : "refresh_token")]
    if let refresh { pairs.append(("refresh_token", refresh)) }
    if let scope = definition.scope { pairs.append(("scope", scope)) }
    var headers: [TransferField] = [.contentTypeForm(), .acceptJSON()]
    switch (style, definition.secret) {
    case (.basic, let secret?):
      headers.append(try .authorization("Basic", definition.basic(secret)))
    case (_, let secret):
      pairs.append(("client_id", definition.client))
      if let secret { pairs.append(("client_secret", secret)) }
    }
    let body = pairs.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    return TransferRequest(
      method: "POST",
      url: url,
      headers: headers,
      body: Array(body.utf8),
      limits: Self.limits,
      security: security
    )
  }

  private static let refusals: Set = [400, 401, 403]

  /// Returns whether the endpoint may take the other style, where it has refused this one.
  func isRefusal(_ response: TransferResponse) -> Bool {
    definition.secret != nil && Self.refusals.contains(response.status)
  }

  /// Errors that say nothing about the refresh token: they pass, or are about the client.
  private static let errorsOfOthers: Set = [
    "invalid_client", "unauthorized_client", "temporarily_unavailable", "server_error", "slow_down",
  ]

  /// Returns whether the endpoint refuses the refresh token. Not all say so by `invalid_grant` (section 5.2): some answer 200 with an
  /// error of their own.
  func refusesGrant(_ response: TransferResponse) -> Bool {
    let reason = (try? JSONValue(parsing: response.body))?["error"]?.nonEmptyText
    if let reason, Self.errorsOfOthers.contains(reason) { return false }
    return switch response.status {
    case 200..<300: reason != nil
    case 408, 429: false
    default: (400..<500).contains(response.status)
    }
  }

  /// - Throws: in words without a secret.
  func grant(_ response: TransferResponse) throws(UpstreamError) -> Grant {
    let redaction = Redaction(hiding: Array(definition.secrets) + [refresh].compactMap(\.self))
    let place = response.url.description
    guard (200..<300).contains(response.status) else {
      let told = ReasonText.oauthReason(in: response.body).map { ": \(redaction.clean($0))" } ?? ""
      let redirect = (300..<400).contains(response.status) ? ", a redirect, which credentials don't follow" : ""
      var error = UpstreamError.login("\(place) answered \(response.status)\(redirect)\(told)")
      if [429, 503].contains(response.status) {
        error.retryAfter = ResponseFreshness.retryAfter(response.headers, now: Int64(Date().timeIntervalSince1970))
      }
      throw error
    }
    guard let answer = try? JSONValue(parsing: response.body), answer.isObject else {
      throw .login(
        "\(place) answered \(response.status) with "
          + (ReasonText.startsLikeMarkup(response.body) ? "an HTML page, and no token" : "what is no JSON object")
      )
    }
    guard case .string(let token)? = answer["access_token"], !token.isEmpty else {
      throw .login("\(place) answered \(response.status) without an `access_token`")
    }
    if case .string(let type)? = answer["token_type"], !type.equalsIgnoringCase("Bearer") {
      throw .login("\(place) gave a token of the type “\(redaction.clean(type))”; a bearer token is expected")
    }
    guard token.utf8.count <= Self.longestToken, TransferField("Authorization", "Bearer \(token)") != nil else {
      throw .login("\(place) gave a token that can't stand in a header field")
    }
    return Grant(token: token, lifetime: answer["expires_in"]?.seconds, refresh: answer["refresh_token"]?.nonEmptyText)
  }
}

extension OAuth2Definition {
  /// The secrets that nobody may read, in no log and no answer.
  var secrets: [String] { [secret, secret.map(basic), refresh].compactMap(\.self) }

  /// Client and secret, encoded as in a form first (RFC 6749 section 2.3.1).
  fileprivate func basic(_ secret: String) -> String {
    Login.basic(PercentEncoding.encode(client), PercentEncoding.encode(secret))
  }
}

extension TransferField {
  /// - Throws: where the credentials have a character that no header field may have. Not said is which.
  static func authorization(_ scheme: String, _ credentials: String) throws(UpstreamError) -> TransferField {
    guard let field = TransferField("Authorization", "\(scheme) \(credentials)") else {
      throw .login("the configured credentials have a character that is not allowed in a header field")
    }
    return field
  }
}

extension ReasonText {
  /// `error` and `error_description` (RFC 6749 section 5.2), or what else an endpoint says.
  fileprivate static func oauthReason(in body: [UInt8]) -> String? {
    guard let answer = try? JSONValue(parsing: body), let error = answer["error"]?.nonEmptyText else {
      return reason(in: body, type: nil)
    }
    return answer["error_description"]?.nonEmptyText.map { "\(error): \($0)" } ?? error
  }
}

extension JSONValue {
  fileprivate var isObject: Bool { if case .object = self { true } else { false } }

  fileprivate var nonEmptyText: String? {
    if case .string(let text) = self, !text.isEmpty { text } else { nil }
  }

  /// A number, or a text of digits, as some endpoints have it.
  fileprivate var seconds: Duration? {
    let seconds: Double? =
      switch self {
      case .integer(let number): Double(number)
      case .unsigned(let number): Double(number)
      case .double(let number): number
      case .string(let text): Double(text)
      case .null, .bool, .array, .object: nil
      }
    return seconds.flatMap { $0.isFinite && $0 > 0 ? .seconds(min($0, 1e9)) : nil }
  }
}
