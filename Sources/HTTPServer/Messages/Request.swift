/// A request whose head and body have been read whole and found valid.
public struct Request: Sendable {
  /// The parsed head; shared by requests whose heads have the same bytes.
  let head: RequestHead
  /// The body, decoded from its transfer coding; empty where there is none.
  public let body: [UInt8]
  /// The other end of the connection: a proxy's address where there is one.
  public let peer: SocketAddress
  /// Whom the request is from: `peer`, or the client for whom trusted proxies say that they ask
  /// (`Configuration.trustedProxies`), then without a port; the unspecified address where they don't say it, or contradict
  /// each other: such clients are counted as one. What is counted by address is counted by its `network`.
  public let client: SocketAddress
  /// True if it is from this machine, and not by way of a proxy that names a client: it counts against no share then,
  /// unless configured.
  public let isLocal: Bool
  /// Numbers requests without an identity of their own.
  let serial: UInt64

  init(head: RequestHead, body: [UInt8], peer: SocketAddress, client: Client? = nil, serial: UInt64) {
    self.head = head
    self.body = body
    self.peer = peer
    self.client = client?.address ?? peer
    isLocal = client.map { $0.kind == .local } ?? peer.isLoopback
    self.serial = serial
  }

  public var method: Method { head.method }

  /// The path's segments, percent-decoded: `/v1/tables/a%2Fb` is `["v1", "tables", "a/b"]`, `/` is `[]`, and a
  /// slash at the end gives an empty last segment. None of them is `.` or `..` or has control characters.
  public var path: [String] { head.target.segments }

  /// The path as sent, without the query.
  public var rawPath: String { head.target.rawPath }

  public var query: Query { head.target.query }

  public var version: HTTPVersion { head.version }

  /// The content codings that the client takes: all that a late answer need keep of a request.
  public var acceptedCodings: AcceptedCodings { head.codings }

  /// The authority that the request is for: the absolute-form target's where there is one, else `Host`'s value
  /// (RFC 9112 section 3.3). Empty for an HTTP/1.0 request without any.
  public var host: String { String(decoding: head.authority, as: UTF8.self) }

  /// The client's `X-Request-ID` where it is 1–128 characters of `A–Z a–z 0–9 . _ - : / + =`, else one made here.
  /// The response carries the same.
  public var requestID: String {
    head.suppliedRequestID.map { String(decoding: $0, as: UTF8.self) } ?? RequestID.text(serial)
  }
}

/// The version of HTTP that the client speaks.
public enum HTTPVersion: UInt8, Sendable {
  case http10
  case http11
}
