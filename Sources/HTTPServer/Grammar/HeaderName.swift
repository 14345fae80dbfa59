/// The name of a header field: a token (RFC 9110 section 5.1), compared without regard to case.
public struct HeaderName: Hashable, Sendable, CustomStringConvertible {
  /// As given; what is written to the wire.
  public let description: String

  /// Lower case: what names are compared by.
  let folded: [UInt8]

  /// True if only the server writes the field, as it says how a message is framed or when it was made.
  let isReserved: Bool

  /// Nil where `name` is not a token: such a name can't be built.
  public init?(_ name: String) {
    guard !name.isEmpty, name.utf8.allSatisfy(ByteClass.isToken) else { return nil }
    self.init(token: name)
  }

  /// For the names in this file, which are tokens.
  private init(token: String) {
    description = token
    folded = token.utf8.map(ByteClass.lowercased)
    isReserved = HeaderName.reserved.contains(folded)
  }

  private static let reserved = Set(
    ["content-length", "transfer-encoding", "connection", "date", "keep-alive"].map { Array($0.utf8) }
  )

  /// For names that are written out in this module.
  init(known token: StaticString) { self.init(token: "\(token)") }

  public static func == (left: HeaderName, right: HeaderName) -> Bool { left.folded == right.folded }
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

  public static let accept = HeaderName(token: "Accept")
  public static let acceptCells = HeaderName(token: "Accept-Cells")
  public static let acceptEncoding = HeaderName(token: "Accept-Encoding")
  public static let acceptLanguage = HeaderName(token: "Accept-Language")
  public static let allow = HeaderName(token: "Allow")
  public static let authorization = HeaderName(token: "Authorization")
  public static let cacheControl = HeaderName(token: "Cache-Control")
  public static let connection = HeaderName(token: "Connection")
  public static let contentEncoding = HeaderName(token: "Content-Encoding")
  public static let contentLanguage = HeaderName(token: "Content-Language")
  public static let contentLength = HeaderName(token: "Content-Length")
  public static let crossOriginResourcePolicy = HeaderName(token: "Cross-Origin-Resource-Policy")
  public static let referrerPolicy = HeaderName(token: "Referrer-Policy")
  public static let contentSecurityPolicy = HeaderName(token: "Content-Security-Policy")
  public static let contentType = HeaderName(token: "Content-Type")
  public static let cookie = HeaderName(token: "Cookie")
  public static let etag = HeaderName(token: "ETag")
  public static let forwarded = HeaderName(token: "Forwarded")
  public static let host = HeaderName(token: "Host")
  public static let idempotencyKey = HeaderName(token: "Idempotency-Key")
  public static let ifMatch = HeaderName(token: "If-Match")
  public static let ifNoneMatch = HeaderName(token: "If-None-Match")
  public static let lastEventID = HeaderName(token: "Last-Event-ID")
  public static let link = HeaderName(token: "Link")
  public static let location = HeaderName(token: "Location")
  public static let origin = HeaderName(token: "Origin")
  public static let prefer = HeaderName(token: "Prefer")
  public static let preferenceApplied = HeaderName(token: "Preference-Applied")
  public static let requestID = HeaderName(token: "X-Request-ID")
  public static let rateLimit = HeaderName(token: "RateLimit")
  public static let rateLimitPolicy = HeaderName(token: "RateLimit-Policy")
  public static let retryAfter = HeaderName(token: "Retry-After")
  public static let secFetchSite = HeaderName(token: "Sec-Fetch-Site")
  public static let userAgent = HeaderName(token: "User-Agent")
  public static let vary = HeaderName(token: "Vary")
  public static let wwwAuthenticate = HeaderName(token: "WWW-Authenticate")
  public static let xForwardedFor = HeaderName(token: "X-Forwarded-For")
}
