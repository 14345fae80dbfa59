/// Why an upstream gave nothing that can be used, as a person understands it.
///
/// `title` and `detail` never contain credentials: URLs are shown without user, query and fragment.
public struct UpstreamError: Error, Hashable, Sendable, CustomStringConvertible {
  public var kind: Kind
  /// The error in a few words, as for `problem.title`: stable from one failed fetch to the next.
  public var title: String
  /// Who, what and where; what would help, if known.
  public var detail: String
  /// The upstream's status, where it answered with one.
  public var status: Int?
  /// When the upstream wants to be asked again (`Retry-After`, RFC 9110 section 10.2.3), counted from the answer.
  public var retryAfter: Duration?
  /// With 401: how the upstream wants the caller to prove who they are (`WWW-Authenticate`).
  public var challenge: String?
  /// The upstream's reasons against single members of the body.
  public var fields: [FieldReasons] = []
  /// True for an error of a later page, or of one item among others: it says nothing about the whole.
  public var isPartial = false
  /// The requests before this one had reached the upstream, or this one may have.
  public var mayHaveArrived: Bool

  public init(
    _ kind: Kind,
    title: String,
    detail: String,
    status: Int? = nil,
    retryAfter: Duration? = nil,
    mayHaveArrived: Bool = true
  ) {
    self.kind = kind
    self.title = title
    self.detail = detail
    self.status = status
    self.retryAfter = retryAfter
    self.mayHaveArrived = mayHaveArrived
  }

  public var description: String { "\(title): \(detail)" }

  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The URL, a header or the body can't be made from the configuration and these parameters.
    case unusableRequest
    /// The URL or a header can't be made with this value from outside, though it can with others.
    case unusableValue
    /// The host's name has no address.
    case unknownHost
    /// Nobody listens, or no route leads there.
    case refused
    /// No connection within `connectTimeout`.
    case connectTimeout
    /// Not complete within `timeout`.
    case timeout
    /// Nothing received for `stallTimeout`.
    case stalled
    /// The certificate is not to be trusted, or TLS could not be agreed on.
    case tls
    /// The connection ended before the response did.
    case interrupted
    /// The response is not HTTP, or breaks its framing or coding.
    case malformedResponse
    /// The body, decompressed, is over its limit.
    case bodyTooLarge
    /// The header section is over its limit.
    case headersTooLarge
    /// The host is inside, and the source may not ask there.
    case addressRefused
    /// A redirect leads where it may not.
    case redirectRefused
    case tooManyRedirects
    /// The service has no credentials that the upstream takes, or could get none.
    case login
    /// The upstream answered with a status that is no success.
    case status
    /// The content is no JSON by its own declaration, as an HTML error page.
    case contentType
    /// The content is no JSON.
    case invalidJSON
    /// The JSON is not what the configuration says, as where `items` is no list.
    case unexpectedShape
    /// The pages lead in a circle, or to another host.
    case paging
    /// There are more items, pages or bytes than may be taken.
    case excess
    /// Cancelled by the one who asked.
    case cancelled
  }
}

extension UpstreamError {
  /// Worth another attempt soon: the same request may succeed.
  public var isTransient: Bool {
    switch kind {
    case .unknownHost, .refused, .connectTimeout, .timeout, .stalled, .interrupted: true
    case .status: status.map { [408, 429, 502, 503, 504].contains($0) } ?? false
    case .unusableRequest, .unusableValue, .tls, .malformedResponse, .bodyTooLarge, .headersTooLarge, .addressRefused,
      .redirectRefused, .login,
      .tooManyRedirects, .contentType, .invalidJSON, .unexpectedShape, .paging, .excess, .cancelled:
      false
    }
  }

  /// Says something about the host's health, not about this request alone: counted by its circuit breaker. A 500 is one
  /// path's trouble, and a certificate that is not trusted here may be by another source.
  var blamesHost: Bool {
    switch kind {
    case .unknownHost, .refused, .connectTimeout, .timeout, .stalled, .interrupted, .malformedResponse: true
    case .status: status.map { [502, 503, 504].contains($0) } ?? false
    case .unusableRequest, .unusableValue, .tls, .bodyTooLarge, .headersTooLarge, .addressRefused, .redirectRefused,
      .tooManyRedirects, .login,
      .contentType,
      .invalidJSON, .unexpectedShape, .paging, .excess, .cancelled:
      false
    }
  }
}
