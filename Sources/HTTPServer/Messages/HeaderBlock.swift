/// Header fields serialised once, to be shared by any number of responses.
public final class HeaderBlock: Sendable {
  /// The fields that the block was made of, in order.
  public let fields: [HeaderField]

  /// The bytes that are written: the fields' lines, after the status line where `status` is set.
  let bytes: [UInt8]

  /// The status that `bytes` begins with; nil where it has header fields only.
  let status: Status?

  /// True if `bytes` says how long the body is.
  let hasContentLength: Bool

  /// A block of `fields`. `Content-Length`, `Transfer-Encoding`, `Connection` and `Date` are the server's own to
  /// write and are left out. O(length).
  public init(_ fields: [HeaderField]) {
    self.fields = fields.filter { !$0.name.isReserved }
    var bytes: [UInt8] = []
    for field in self.fields { field.append(to: &bytes) }
    self.bytes = bytes
    status = nil
    hasContentLength = false
  }

  /// A whole head, up to what differs from response to response (date, request identity, connection).
  init(status: Status, _ fields: [HeaderField], contentLength: Int?) {
    self.fields = fields.contains { $0.name.isReserved } ? fields.filter { !$0.name.isReserved } : fields
    self.status = status
    hasContentLength = contentLength != nil
    let line = StatusLine.bytes(of: status)
    var bytes: [UInt8] = []
    // With room for the length of the body.
    bytes.reserveCapacity(self.fields.reduce(line.count + 40) { $0 + $1.lineLength })
    bytes.append(contentsOf: line)
    for field in self.fields { field.append(to: &bytes) }
    if let contentLength {
      bytes.append(contentsOf: "Content-Length: ".utf8)
      bytes.append(contentsOf: String(contentLength).utf8)
      bytes.append(contentsOf: "\r\n".utf8)
    }
    self.bytes = bytes
  }

  /// The block without a field.
  public static let empty = HeaderBlock([])

  /// `Content-Type: application/json`
  public static let json = HeaderBlock([HeaderField(.contentType, "application/json")])

  /// `Content-Type: application/problem+json` and `Cache-Control: no-store` (RFC 9457)
  public static let problem = HeaderBlock([
    HeaderField(.contentType, "application/problem+json"), HeaderField(.cacheControl, "no-store"),
  ])

  /// Returns the lines of a response with `status`: all of it, or the fields alone where the block was made for another
  /// status.
  func lines(after status: Status) -> [UInt8] {
    if self.status == nil || self.status == status { return bytes }
    var lines: [UInt8] = []
    for field in fields { field.append(to: &lines) }
    return lines
  }
}
