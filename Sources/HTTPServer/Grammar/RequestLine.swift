/// The first line of a request (RFC 9112 section 3): method, target and version, one blank between them.
struct RequestLine {
  let method: Method
  let target: RequestTarget
  let version: HTTPVersion
  /// The authority of an absolute-form target.
  let authority: ArraySlice<UInt8>?

  /// Longer tokens are no method that anyone ever registered.
  static let longestMethod = 64

  /// Parses a line without its CRLF.
  init(_ line: ArraySlice<UInt8>, _ limits: Configuration.Limits) throws(Refusal) {
    guard let methodEnd = line.firstIndex(of: 0x20), methodEnd > line.startIndex else {
      throw .malformed("A request line is a method, a target and a version, with one blank between them.")
    }
    let token = line[..<methodEnd]
    guard token.allSatisfy(ByteClass.isToken) else { throw .malformed("The method is not a token.") }
    guard let targetEnd = line[(methodEnd + 1)...].firstIndex(of: 0x20) else {
      throw .malformed("The request line has no version; this server speaks HTTP/1.1 and HTTP/1.0.")
    }
    let targetBytes = line[(methodEnd + 1)..<targetEnd]
    guard !targetBytes.isEmpty else { throw .malformed("The request line has no target.") }
    version = try RequestLine.version(line[(targetEnd + 1)...])
    // RFC 9112 section 3: a target longer than any that it wishes to parse is 414.
    guard targetBytes.count <= limits.target else { throw .targetTooLong(limits.target) }
    let method = RequestLine.method(token)
    (target, authority) = try RequestTarget.parse(targetBytes, method: method)
    guard let method else {
      // RFC 9110 section 9.1: one that is not known is 501; CONNECT is for proxies (section 9.3.6).
      throw Refusal(status: .notImplemented, detail: "This method is not known here.")
    }
    self.method = method
  }

  private static let methods = Method.allCases.map { (name: Array($0.name.utf8), method: $0) }

  private static func method(_ token: ArraySlice<UInt8>) -> Method? {
    for (name, method) in methods where name.count == token.count && token.elementsEqual(name) { return method }
    return nil
  }

  /// RFC 9112 section 2.3: `HTTP/`, a digit, a dot, a digit; case matters.
  private static func version(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> HTTPVersion {
    let start = bytes.startIndex
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), bytes[start + 6] == UInt8(ascii: "."),
      ByteClass.isDigit(bytes[start + 5]), ByteClass.isDigit(bytes[start + 7])
    else {
      throw .malformed("The request line must end with HTTP/1.1 or HTTP/1.0.")
    }
    guard bytes[start + 5] == UInt8(ascii: "1") else {
      throw Refusal(status: .httpVersionNotSupported, detail: "This server speaks HTTP/1.1 and HTTP/1.0.")
    }
    // RFC 9110 section 2.5: a higher minor version is taken as the highest known one.
    return bytes[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
  }
}
