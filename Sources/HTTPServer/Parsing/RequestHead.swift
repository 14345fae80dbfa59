internal import Synchronization

/// The head of a request, read and found valid. Immutable, so that requests with the same bytes share it.
final class RequestHead: Sendable {
  /// The places of a field's name and value in `bytes`.
  struct Field {
    let nameStart: Int32
    let nameEnd: Int32
    let valueStart: Int32
    let valueEnd: Int32
  }

  /// How long the body is (RFC 9112 section 6.3).
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
  }

  /// From the request line to the empty line, both included.
  let bytes: [UInt8]
  let method: Method
  let version: HTTPVersion
  let target: RequestTarget
  /// The authority that the request is for: that of the target, where it has one, else the value of `Host`; may be
  /// empty.
  let authority: ArraySlice<UInt8>
  let fields: [Field]
  let framing: Framing
  /// True if the connection may be used again (RFC 9112 section 9.3).
  let keepsAlive: Bool
  /// True if the client waits for 100 before it sends the body (RFC 9110 section 10.1.1).
  let expectsContinue: Bool
  let codings: AcceptedCodings
  let hasIfMatch: Bool
  /// An `X-Request-ID` that can be taken over.
  let suppliedRequestID: ArraySlice<UInt8>?
  /// It is for a name that the server has; false until that is found out.
  let isAdmitted = Atomic(false)
  /// The value that the handler has made of this head.
  let memory = Mutex<(any AnyObject & Sendable)?>(nil)

  init(
    bytes: [UInt8],
    line: RequestLine,
    authority: ArraySlice<UInt8>,
    fields: [Field],
    semantics: FieldSemantics
  ) {
    self.bytes = bytes
    method = line.method
    version = line.version
    target = line.target
    self.authority = authority
    self.fields = fields
    framing = semantics.framing
    keepsAlive = semantics.keepsAlive
    expectsContinue = semantics.expectsContinue
    codings = semantics.codings
    hasIfMatch = semantics.hasIfMatch
    suppliedRequestID = semantics.requestID.map { bytes[$0] }
  }
}
