/// The answer of a handler: a status, header fields and a body whose bytes may be shared by many responses.
///
/// `Date`, `Content-Length`, `Connection`, `Transfer-Encoding`, `X-Request-ID` and the CORS fields are written by the
/// server. The body of an answer to `HEAD` is left out on the way, its length is not (RFC 9110 section 9.3.2).
public struct Response: Sendable {
  public var status: Status
  /// Shared header fields, serialised once.
  public var headers: HeaderBlock
  /// Header fields of this response alone, written after the shared ones.
  public var additional: [HeaderField]
  /// The body, or its beginning where `pieces` follow; empty where there is none.
  public var body: [UInt8]
  /// The rest of the body: for bodies that have large parts in common with others.
  public var pieces: [BodyPiece]

  public init(
    status: Status,
    headers: HeaderBlock = .empty,
    additional: [HeaderField] = [],
    body: [UInt8] = [],
    pieces: [BodyPiece] = []
  ) {
    self.status = status
    self.headers = headers
    self.additional = additional
    self.body = body
    self.pieces = pieces
  }

  /// The length of the whole body. O(pieces).
  public var byteCount: Int { body.count + pieces.byteCount }

  /// The same response with its head serialised: worth its while where many requests are answered with it. Not for
  /// a stream, whose length is not known. O(head).
  public func serialized() -> Response {
    let length = status.forbidsBody ? nil : byteCount
    return Response(
      status: status,
      headers: HeaderBlock(status: status, headers.fields + additional, contentLength: length),
      body: body,
      pieces: pieces
    )
  }
}
