/// One request to an upstream, and what it may cost.
public struct TransferRequest: Sendable {
  public var method: String
  public var url: UpstreamURL
  public var headers: [TransferField]
  public var body: [UInt8]?
  public var limits: TransferLimits
  public var security: TransferSecurity
  /// Goes over a connection of its own: libcurl sends a request again when a kept connection turns out dead,
  /// which an edit must not be.
  public var isSentOnce: Bool
  /// The lane in which it takes turns with others at one host: see `TransferClient.makeLane`.
  var lane = 0

  public init(
    method: String = "GET",
    url: UpstreamURL,
    headers: [TransferField] = [],
    body: [UInt8]? = nil,
    limits: TransferLimits = TransferLimits(),
    security: TransferSecurity = TransferSecurity(),
    isSentOnce: Bool = false
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.limits = limits
    self.security = security
    self.isSentOnce = isSentOnce
  }

  func on(_ lane: Int) -> TransferRequest {
    var request = self
    request.lane = lane
    return request
  }

  /// With this field in place of those of its name.
  func replacing(_ field: TransferField) -> TransferRequest {
    var request = self
    request.headers.removeAll { $0.isNamed(field.name) }
    request.headers.append(field)
    return request
  }

  func adding(_ headers: [TransferField]) -> TransferRequest {
    var request = self
    request.headers += headers
    return request
  }
}

/// Limits on an upstream.
public struct TransferLimits: Hashable, Sendable {
  /// To resolve the name, connect and agree on TLS, for each hop.
  public var connectTimeout: Duration
  /// In all, redirects included.
  public var timeout: Duration
  /// Without a byte received.
  public var stallTimeout: Duration
  /// The most bytes of the body, decompressed.
  public var maxBodyBytes: Int
  /// The most bytes of all header sections of one hop.
  public var maxHeaderBytes: Int
  /// Zero: a redirect is answered as the response it is.
  public var maxRedirects: Int
  /// Redirects to another origin may lead to loopback, link-local and private addresses.
  public var allowPrivateRedirects: Bool
  /// The URL itself may.
  public var allowPrivate: Bool

  public init(
    connectTimeout: Duration = .seconds(5),
    timeout: Duration = .seconds(10),
    stallTimeout: Duration = .seconds(10),
    maxBodyBytes: Int = 32 << 20,
    maxHeaderBytes: Int = 64 << 10,
    maxRedirects: Int = 5,
    allowPrivateRedirects: Bool = false,
    allowPrivate: Bool = true
  ) {
    self.connectTimeout = connectTimeout
    self.timeout = timeout
    self.stallTimeout = stallTimeout
    self.maxBodyBytes = maxBodyBytes
    self.maxHeaderBytes = maxHeaderBytes
    self.maxRedirects = maxRedirects
    self.allowPrivateRedirects = allowPrivateRedirects
    self.allowPrivate = allowPrivate
  }
}

/// Whom TLS trusts, and as whom it presents itself: paths of PEM files. Verification can't be turned off.
public struct TransferSecurity: Hashable, Sendable {
  /// Nil: the system's.
  public var caBundle: String?
  public var clientCertificate: String?
  public var clientKey: String?

  public init(caBundle: String? = nil, clientCertificate: String? = nil, clientKey: String? = nil) {
    self.caBundle = caBundle
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
  }

  /// For another origin that the configuration names: the same authorities are trusted, but nobody is presented.
  var withoutClient: TransferSecurity { TransferSecurity(caBundle: caBundle) }
}

/// A whole response.
public struct TransferResponse: Sendable {
  public var status: Int
  public var headers: [TransferField]
  /// Decompressed.
  public var body: [UInt8]
  /// The address that redirects led to.
  public var url: UpstreamURL
  public var redirects: Int
  /// From the request's start, or its release from the host's queue, to the last byte.
  public var elapsed: Duration
  /// No new connection was made for it.
  public var reusedConnection: Bool
  public var httpVersion: HTTPVersion

  /// As another carrier than libcurl has it.
  package init(status: Int, headers: [TransferField], body: [UInt8], url: UpstreamURL) {
    self.init(
      status: status,
      headers: headers,
      body: body,
      url: url,
      redirects: 0,
      elapsed: .zero,
      reusedConnection: false,
      httpVersion: .http1
    )
  }

  init(
    status: Int,
    headers: [TransferField],
    body: [UInt8],
    url: UpstreamURL,
    redirects: Int,
    elapsed: Duration,
    reusedConnection: Bool,
    httpVersion: HTTPVersion
  ) {
    (self.status, self.headers, self.body, self.url) = (status, headers, body, url)
    (self.redirects, self.elapsed) = (redirects, elapsed)
    (self.reusedConnection, self.httpVersion) = (reusedConnection, httpVersion)
  }

  public enum HTTPVersion: Hashable, Sendable { case http1, http2, http3 }
}
