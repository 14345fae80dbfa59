/// The request methods that this server knows (RFC 9110 section 9.3 and RFC 5789).
///
/// A request with another method is answered 501 before any handler sees it, as is CONNECT: this is an
/// origin server, not a proxy.
public enum Method: UInt8, Sendable, CaseIterable {
  case get
  case head
  case post
  case put
  case patch
  case delete
  case options
  case trace

  /// The method's name on the wire; case matters there (RFC 9110 section 9.1).
  public var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .trace: "TRACE"
    }
  }
}
