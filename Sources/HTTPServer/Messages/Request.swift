import Synchronization

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

  /// The same as far as its head says it.
  var withoutBody: Request { Request(self, body: []) }

  private init(_ request: Request, body: [UInt8]) {
    (head, self.body, peer, client) = (request.head, body, request.peer, request.client)
    (isLocal, serial) = (request.isLocal, request.serial)
  }

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

// MARK: - Header fields

extension Request {
  /// The value of a header field; the first where there are several lines of it. Bytes that are not UTF-8 are
  /// repaired. O(number of fields).
  public func header(_ name: HeaderName) -> String? {
    head.firstIndex(of: name.folded).map { head.value(at: $0) }
  }

  /// True if a field has several lines. O(number of fields).
  public func isRepeated(_ name: HeaderName) -> Bool { head.indices(of: name.folded).count > 1 }

  /// The value of the field called `name`, in any case.
  public func header(_ name: String) -> String? {
    HeaderName(name).flatMap { header($0) }
  }

  /// The bytes of a header field's value, which share the head's; of the first line where there are several of it.
  /// O(number of fields).
  public func valueBytes(_ name: HeaderName) -> ArraySlice<UInt8>? {
    head.firstIndex(of: name.folded).map { head.valueBytes(at: $0) }
  }

  /// Calls `body` with each member of a field that is a comma-separated list, over all of its lines (RFC 9110 section 5.3),
  /// without the blanks around it and without empty ones (section 5.6.1), until it returns false. The members share the
  /// head's bytes: nothing is copied. O(bytes of the field).
  ///
  /// - Parameter quoted: commas in quoted strings separate nothing.
  public func forEachMember(of name: HeaderName, quoted: Bool = true, _ body: (ArraySlice<UInt8>) -> Bool) {
    for index in head.indices(of: name.folded) {
      guard FieldList.forEach(of: head.valueBytes(at: index), quoted: quoted, body) else { return }
    }
  }

  /// All header fields as received, in order.
  public var headers: [(name: String, value: String)] {
    head.fields.indices.map { (head.name(at: $0), head.value(at: $0)) }
  }
}

// MARK: - What a handler makes of it

extension Request {
  /// Returns a value that a handler makes of a request's method, target and header fields alone: made once and kept
  /// with the head, which requests with the same bytes share. A client that polls sends the same bytes again and again,
  /// and thousands of them send the same. Kept until other heads come, or ``Server/forgetHeads()``.
  ///
  /// `make` runs where there is no value yet, or one of another type. O(1) else.
  public func remembering<Value: AnyObject & Sendable>(_ make: () -> Value) -> Value {
    head.memory.withLock { memory in
      // A comparison of two pointers, where a conditional cast asks the runtime.
      if let known = memory, type(of: known) == Value.self { return unsafeDowncast(known, to: Value.self) }
      let made = make()
      memory = made
      return made
    }
  }
}

// MARK: - Building one

extension Request {
  /// A request as if it had been received, for tests of handlers: `target` and header fields go through the same
  /// parser and the same rules. `Host` is added where it is missing.
  ///
  /// - Throws: the error that a client would be told, as text.
  public init(
    _ method: Method,
    _ target: String,
    headers: [HeaderField] = [],
    body: [UInt8] = [],
    peer: SocketAddress = SocketAddress(ipv4: 0x7f00_0001, port: 1024)
  ) throws(RequestError) {
    var bytes = Array("\(method.name) \(target) HTTP/1.1\r\n".utf8)
    if !headers.contains(where: { $0.name == .host }) { HeaderField(.host, "localhost").append(to: &bytes) }
    for field in headers { field.append(to: &bytes) }
    bytes.append(contentsOf: "\r\n".utf8)
    do {
      self.init(head: try RequestHead.parse(bytes, Configuration.Limits()), body: body, peer: peer, serial: 0)
    } catch {
      throw RequestError(status: error.status, description: error.detail)
    }
  }
}

/// Why something is no request.
public struct RequestError: Error, CustomStringConvertible, Sendable {
  /// The status that a client would be answered with.
  public let status: Status
  /// The error in the request.
  public let description: String
}

/// The version of HTTP that the client speaks.
public enum HTTPVersion: UInt8, Sendable {
  case http10
  case http11
}
