internal import Synchronization

/// The head of a request, read and found valid. Immutable, so that requests with the same bytes share it.
final class RequestHead: Sendable {
  /// Where a field's name and value stand in `bytes`.
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
  /// What it is for: the authority of the target, where that has one, else the value of `Host`; may be empty.
  let authority: ArraySlice<UInt8>
  let fields: [Field]
  let framing: Framing
  /// Whether the connection may be used again (RFC 9112 section 9.3).
  let keepsAlive: Bool
  /// Whether the client waits for 100 before it sends the body (RFC 9110 section 10.1.1).
  let expectsContinue: Bool
  let codings: AcceptedCodings
  let hasIfMatch: Bool
  /// An `X-Request-ID` that can be taken over.
  let suppliedRequestID: ArraySlice<UInt8>?
  /// It is for a name that the server has; false until that is found out.
  let isAdmitted = Atomic(false)
  /// What the handler has worked out from this head.
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
