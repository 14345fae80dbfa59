/// One HTTP request, to be sent exactly like this.
public struct TransportRequest: Hashable, Sendable {
  public var method: String
  /// An absolute URL.
  public var url: String
  /// The headers by their names as sent; each once.
  public var headers: [String: String]
  public var body: [UInt8]?
  /// The request fails after so many seconds without a byte.
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

/// A complete reply. A reply whose body was cut off is a failure.
public struct TransportResponse: Hashable, Sendable {
  public var status: Int
  /// The headers by their names in lower case.
  public var headers: [String: String]
  /// The decoded body.
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

/// The reason why there is no reply.
public struct TransportFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The request may have reached the service.
    case broken
    /// No byte of the request was sent: no network, no address, or no connection.
    case unsent
    /// There was no token for it.
    case token
  }

  public var description: String
  public var kind: Kind
  public init(_ description: String, kind: Kind = .broken) { (self.description, self.kind) = (description, kind) }
}

/// Sends requests: `URLSessionTransport`, or a script in tests.
public protocol Transport: Sendable {
  /// Makes a request. `completion` is called once, on any thread, perhaps before this returns; after `cancel` it may be
  /// called or not.
  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Cancellable
}

/// A transport that can also follow a stream of server-sent events.
public protocol StreamTransport: Transport {
  /// Makes a request whose reply is read as it comes. `receive` is called on any thread, in order, perhaps before
  /// this returns; after `cancel` it may be called or not.
  func stream(
    _ request: TransportRequest,
    receive: @escaping @Sendable (StreamPart) -> Void
  ) -> any Cancellable
}

public enum StreamPart: Sendable {
  /// The reply is a stream.
  case opened
  case bytes([UInt8])
  /// The reply is no stream, for example a problem. Nothing follows.
  case response(TransportResponse)
  /// Nothing follows.
  case ended(TransportFailure)
}

/// Something that can be cancelled. A second call does nothing.
public protocol Cancellable: Sendable {
  func cancel()
}
