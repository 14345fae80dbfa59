/// The meaning of the header fields that the server itself acts upon.
struct FieldSemantics {
  private(set) var framing = RequestHead.Framing.none
  private(set) var keepsAlive: Bool
  private(set) var expectsContinue = false
  private(set) var codings = AcceptedCodings()
  private(set) var requestID: Range<Int>?
  private(set) var host: Range<Int>?
  private(set) var hasIfMatch = false
  /// The first refusal of a request whose framing is clear: its answer depends on the other fields.
  private(set) var refusal: Refusal?

  private var contentLength: Int?
  private var hasTransferEncoding = false
  private var hasClose = false
  private var hasKeepAlive = false
  /// Its lines, each behind a comma; empty where there is none.
  private var acceptEncoding: [UInt8] = []

  init(
    _ bytes: [UInt8],
    _ fields: [RequestHead.Field],
    version: HTTPVersion,
    _ limits: Configuration.Limits
  ) throws(Refusal) {
    keepsAlive = version == .http11
    for field in fields {
      let name = bytes[Int(field.nameStart)..<Int(field.nameEnd)]
      let range = Int(field.valueStart)..<Int(field.valueEnd)
      switch name.count {
      case 4 where FieldSemantics.equal(name, "host"): try readHost(bytes, range)
      case 8 where FieldSemantics.equal(name, "if-match"): hasIfMatch = true
      case 6 where FieldSemantics.equal(name, "expect"): readExpect(bytes[range], version)
      case 10 where FieldSemantics.equal(name, "connection"): readConnection(bytes[range])
      case 12 where FieldSemantics.equal(name, "x-request-id"):
        if requestID == nil, RequestID.isAcceptable(bytes[range]) { requestID = range }
      case 14 where FieldSemantics.equal(name, "content-length"): try readContentLength(bytes[range], limits)
      case 15 where FieldSemantics.equal(name, "accept-encoding"):
        // RFC 9110 section 5.3: lines of one field are one list.
        acceptEncoding.append(contentsOf: CollectionOfOne(UInt8(ascii: ",")))
        acceptEncoding.append(contentsOf: bytes[range])
      case 16 where FieldSemantics.equal(name, "content-encoding"): readContentEncoding(bytes[range])
      case 17 where FieldSemantics.equal(name, "transfer-encoding"): try readTransferEncoding(bytes[range], version)
      default: break
      }
    }
    try conclude(version)
  }

  private mutating func conclude(_ version: HTTPVersion) throws(Refusal) {
    // RFC 9112 section 3.2: an HTTP/1.1 request must have exactly one Host.
    if host == nil, version == .http11 { throw .malformed("An HTTP/1.1 request needs a Host header field.") }
    if hasTransferEncoding {
      // RFC 9112 section 6.3 #3: this is how requests are smuggled.
      if contentLength != nil { throw .malformed("Content-Length and Transfer-Encoding exclude each other.") }
      framing = .chunked
    } else if let contentLength, contentLength > 0 {
      framing = .length(contentLength)
    }
    // RFC 9112 section 9.3: close wins over keep-alive.
    keepsAlive = !hasClose && (version == .http11 || hasKeepAlive)
    // RFC 9110 section 10.1.1: no 100 where there is nothing to wait for.
    if framing == .none { expectsContinue = false }
    if !acceptEncoding.isEmpty { codings = AcceptedCodings(acceptEncoding[...]) }
  }

  private mutating func readHost(_ bytes: [UInt8], _ range: Range<Int>) throws(Refusal) {
    guard host == nil else { throw .malformed("A request must have one Host header field, not several.") }
    guard Authority.isValid(bytes[range]) else {
      throw .malformed("The value of Host is not a host with or without a port.")
    }
    host = range
  }

  private mutating func readContentLength(
    _ value: ArraySlice<UInt8>,
    _ limits: Configuration.Limits
  ) throws(Refusal) {
    // RFC 9110 section 8.6: digits and nothing else; equal duplicates may be refused, and are.
    guard contentLength == nil else { throw .malformed("A request must have one Content-Length, not several.") }
    guard !value.isEmpty, value.allSatisfy(ByteClass.isDigit) else {
      throw .malformed("Content-Length is a decimal number.")
    }
    var length = 0
    for byte in value {
      length = length * 10 + Int(byte & 0xf)
      guard length <= limits.body else {
        refuse(.bodyTooLarge(limits.body))
        break
      }
    }
    contentLength = length
  }

  private mutating func refuse(_ reason: Refusal) {
    if refusal == nil { refusal = reason }
  }

  private mutating func readTransferEncoding(_ value: ArraySlice<UInt8>, _ version: HTTPVersion) throws(Refusal) {
    // RFC 9112 section 6.1: an HTTP/1.0 client can't mean it.
    guard version == .http11 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding.") }
    guard !hasTransferEncoding else { throw .malformed("A request must have one Transfer-Encoding, not several.") }
    hasTransferEncoding = true
    if FieldSemantics.equal(value, "chunked") { return }
    var (isLast, isElsewhere, areTokens, isEmpty) = (false, false, true, true)
    FieldList.forEach(of: value, quoted: false) { coding in
      isElsewhere = isElsewhere || isLast
      isLast = FieldSemantics.equal(coding, "chunked")
      areTokens = areTokens && coding.allSatisfy(ByteClass.isToken)
      isEmpty = false
      return areTokens
    }
    guard areTokens, !isEmpty else {
      throw .malformed("The value of Transfer-Encoding is not a list of transfer codings.")
    }
    // RFC 9112 section 6.3 #4 and 7: chunked once, and last.
    if isElsewhere {
      throw .malformed("The transfer coding chunked must be the last one, and stand there once.")
    }
    // RFC 9112 section 6.1: a coding that is not known is 501.
    refuse(Refusal(status: .notImplemented, detail: "The only transfer coding that is known here is chunked."))
  }

  private mutating func readContentEncoding(_ value: ArraySlice<UInt8>) {
    let isPlain = FieldList.forEach(of: value, quoted: false) { coding in FieldSemantics.equal(coding, "identity") }
    guard !isPlain else { return }
    refuse(
      Refusal(
        status: .unsupportedMediaType,
        detail: "A request's body must come without a content coding.",
        namesCodings: true
      )
    )
  }

  private mutating func readExpect(_ value: ArraySlice<UInt8>, _ version: HTTPVersion) {
    // RFC 9110 section 10.1.1: ignored from HTTP/1.0 clients.
    guard version == .http11 else { return }
    var isEmpty = true
    let areKnown = FieldList.forEach(of: value, quoted: false) { expectation in
      isEmpty = false
      return FieldSemantics.equal(expectation, "100-continue")
    }
    guard areKnown else {
      refuse(
        Refusal(status: .expectationFailed, detail: "The only expectation that is known here is 100-continue.")
      )
      return
    }
    if !isEmpty { expectsContinue = true }
  }

  private mutating func readConnection(_ value: ArraySlice<UInt8>) {
    FieldList.forEach(of: value, quoted: false) { option in
      if FieldSemantics.equal(option, "close") { hasClose = true }
      if FieldSemantics.equal(option, "keep-alive") { hasKeepAlive = true }
      return true
    }
  }

  /// Returns whether `bytes` are `text`, which is lower case, in any case.
  static func equal(_ bytes: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    var index = 0
    for byte in bytes {
      if ByteClass.lowercased(byte) != text.utf8Start[index] { return false }
      index += 1
    }
    return true
  }
}
