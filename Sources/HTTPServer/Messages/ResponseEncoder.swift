/// Writes the heads of responses (RFC 9112 section 4).
struct ResponseEncoder {
  /// How long the body is, as the head says it.
  enum Framing {
    case length(Int)
    case chunked
    /// By the connection's end, for HTTP/1.0 clients.
    case untilClose
  }

  var date = DateField()
  var crossOrigin: CrossOriginPolicy?

  /// A field of every response, in one piece with the next: a browser must not take a body for another type than its
  /// `Content-Type` says.
  private static let nosniffAndRequestID = Array("X-Content-Type-Options: nosniff\r\nX-Request-ID: ".utf8)
  private static let contentLength = Array("Content-Length: ".utf8)
  private static let chunked = Array("Transfer-Encoding: chunked\r\n".utf8)
  private static let close = Array("Connection: close\r\n".utf8)
  private static let keepAlive = Array("Connection: keep-alive\r\n".utf8)
  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends the head of `response` with its empty line.
  func encode(
    _ response: Response,
    _ traits: borrowing RequestTraits,
    _ framing: Framing,
    keepsAlive: Bool,
    into bytes: inout [UInt8]
  ) {
    let block = response.headers
    if block.status != response.status { bytes.append(contentsOf: StatusLine.bytes(of: response.status)) }
    bytes.append(contentsOf: block.lines(after: response.status))
    for field in response.additional where !field.name.isReserved { field.append(to: &bytes) }
    switch framing {
    case .length(let length):
      // RFC 9110 section 8.6: none in 204; a 304 may have the length that a 200 would have had, which is the block's.
      if !response.status.forbidsBody, !block.hasContentLength || block.status != response.status {
        bytes.append(contentsOf: ResponseEncoder.contentLength)
        ResponseEncoder.appendDecimal(length, to: &bytes)
        bytes.append(0x0d)
        bytes.append(0x0a)
      }
    case .chunked:
      bytes.append(contentsOf: ResponseEncoder.chunked)
    case .untilClose:
      break
    }
    bytes.append(contentsOf: date.line)
    appendNosniffAndRequestID(traits, to: &bytes)
    if let crossOrigin {
      bytes.append(contentsOf: crossOrigin.always)
      if traits.grant != nil { bytes.append(contentsOf: crossOrigin.lines(for: traits.grant)) }
    }
    if !keepsAlive {
      bytes.append(contentsOf: ResponseEncoder.close)
    } else if traits.version == .http10 {
      // RFC 9112 section 9.3: only so does an HTTP/1.0 client know.
      bytes.append(contentsOf: ResponseEncoder.keepAlive)
    }
    bytes.append(0x0d)
    bytes.append(0x0a)
  }

  private func appendNosniffAndRequestID(_ traits: borrowing RequestTraits, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: ResponseEncoder.nosniffAndRequestID)
    if let supplied = traits.suppliedID {
      bytes.append(contentsOf: supplied)
    } else {
      let bits = RequestID.bits(traits.serial)
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { text in
        for index in 0..<16 {
          let digit = UInt8(truncatingIfNeeded: bits >> (60 - 4 * UInt64(index))) & 0xf
          text[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
        }
        bytes.append(contentsOf: text)
      }
    }
    bytes.append(0x0d)
    bytes.append(0x0a)
  }

  static func appendDecimal(_ number: Int, to bytes: inout [UInt8]) {
    if number >= 10 { appendDecimal(number / 10, to: &bytes) }
    bytes.append(UInt8(truncatingIfNeeded: 0x30 + number % 10))
  }

  static func appendHexadecimal(_ number: Int, to bytes: inout [UInt8]) {
    if number >= 16 { appendHexadecimal(number / 16, to: &bytes) }
    bytes.append(digits[number % 16])
  }
}
