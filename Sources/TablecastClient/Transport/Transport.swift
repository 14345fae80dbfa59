/// One HTTP request, to be made exactly so.
public struct TransportRequest: Hashable, Sendable {
  public var method: String
  /// An absolute URL.
  public var url: String
  /// Names as they are sent; each once.
  public var headers: [String: String]
  public var body: [UInt8]?
  /// Seconds without a byte after which the request has failed.
  public var timeout: Double

  public init(
    _ method: String,
    _ url: String,
    headers: [String: String] = [:],
    body: [UInt8]? = nil,
    timeout: Double = 60
  ) {
    (self.method, self.url, self.headers, self.body, self.timeout) = (method, url, headers, body, timeout)
  }
}

/// A whole reply: a body that was cut off is a failure, not a reply.
public struct TransportResponse: Hashable, Sendable {
  public var status: Int
  /// Names in lower case.
  public var headers: [String: String]
  /// Without its content coding.
  public var body: [UInt8]

  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
    self.body = body
  }

  public init(status: Int = 200, headers: [String: String] = [:], json: String) {
    self.init(status: status, headers: headers, body: Array(json.utf8))
  }
}

/// Why there is no reply.
public struct TransportFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// Nobody can say how far the request came.
    case broken
    /// No byte of the request left: no network, no address, no connection.
    case unsent
    /// There was no token to send it with.
    case token
  }

  public var description: String
  public var kind: Kind
  public init(_ description: String, kind: Kind = .broken) { (self.description, self.kind) = (description, kind) }
}

/// What makes requests: `URLSessionTransport`, or a script in tests.
public protocol Transport: Sendable {
  /// Makes a request. `completion` is called once, on any thread, but not before this returns; after `cancel` it may be
  /// called or not.
  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Cancellable
}

/// A transport that can also follow a stream of server-sent events.
public protocol StreamTransport: Transport {
  /// Makes a request whose reply is read as it comes. `receive` is called on any thread, in order, but not before this
  /// returns; after `cancel` it may be called or not.
  func stream(
    _ request: TransportRequest,
    receive: @escaping @Sendable (StreamPart) -> Void
  ) -> any Cancellable
}

public enum StreamPart: Sendable {
  /// The reply is a stream.
  case opened
  case bytes([UInt8])
  /// The reply is none: a problem, say. Nothing follows.
  case response(TransportResponse)
  /// Nothing follows.
  case ended(TransportFailure)
}

/// What can be called off. Calling it off twice does nothing.
public protocol Cancellable: Sendable {
  func cancel()
}
