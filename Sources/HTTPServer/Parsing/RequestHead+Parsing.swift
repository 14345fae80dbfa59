extension RequestHead {
  /// Parses a whole head, which ends with its empty line. Line ends are known to be CRLF (`HeadScanner`).
  ///
  /// - Throws: a refusal, with the head where that could be read.
  static func parse(_ bytes: [UInt8], _ limits: Configuration.Limits) throws(Refusal) -> RequestHead {
    guard let lineEnd = bytes.firstIndex(of: 0x0d) else {
      throw .malformed("A request line ends with CRLF.")
    }
    let line = try RequestLine(bytes[..<lineEnd], limits)
    var fields: [Field] = []
    var start = lineEnd + 2
    while start < bytes.count, bytes[start] != 0x0d {
      let field = try field(in: bytes, at: start)
      fields.append(field)
      // The value's end may have blanks behind it.
      guard let end = bytes[Int(field.valueEnd)...].firstIndex(of: 0x0d) else {
        throw .malformed("A header field ends with CRLF.")
      }
      start = end + 2
    }
    let semantics = try FieldSemantics(bytes, fields, version: line.version, limits)
    if let authority = line.authority {
      guard !authority.isEmpty, Authority.isValid(authority) else {
        throw .malformed("The target's authority is not a host with or without a port.")
      }
    }
    // RFC 9112 section 3.2.2: the authority in the target counts, whatever Host says.
    let authority = line.authority ?? bytes[semantics.host ?? 0..<0]
    let head = RequestHead(bytes: bytes, line: line, authority: authority, fields: fields, semantics: semantics)
    if let refusal = semantics.refusal { throw refusal.of(head) }
    return head
  }

  /// Parses the field line that begins at `start` (RFC 9112 section 5).
  private static func field(in bytes: [UInt8], at start: Int) throws(Refusal) -> Field {
    var nameEnd = start
    while nameEnd < bytes.count, ByteClass.isToken(bytes[nameEnd]) { nameEnd += 1 }
    guard nameEnd < bytes.count, nameEnd > start, bytes[nameEnd] == UInt8(ascii: ":") else {
      throw malformedName(bytes, start, nameEnd)
    }
    var valueStart = nameEnd + 1
    while valueStart < bytes.count, bytes[valueStart] == 0x20 || bytes[valueStart] == 0x09 { valueStart += 1 }
    var end = valueStart
    while end < bytes.count, ByteClass.has(bytes[end], ByteClass.fieldValue) { end += 1 }
    // RFC 9110 section 5.5: CR, LF, NUL and the other controls.
    guard end < bytes.count, bytes[end] == 0x0d else {
      throw .malformed("A header field's value has a control character.")
    }
    var valueEnd = end
    while valueEnd > valueStart, bytes[valueEnd - 1] == 0x20 || bytes[valueEnd - 1] == 0x09 { valueEnd -= 1 }
    return Field(
      nameStart: Int32(truncatingIfNeeded: start),
      nameEnd: Int32(truncatingIfNeeded: nameEnd),
      valueStart: Int32(truncatingIfNeeded: valueStart),
      valueEnd: Int32(truncatingIfNeeded: valueEnd)
    )
  }

  private static func malformedName(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Refusal {
    let isBlank = end < bytes.count && (bytes[end] == 0x20 || bytes[end] == 0x09)
    if isBlank, end == start {
      // RFC 9112 section 5.2: obs-fold; and section 2.2: blanks before the first field.
      return .malformed("A header field must not begin with a blank or go on in the next line.")
    }
    // RFC 9112 section 5.1: no blank between the name and the colon.
    return .malformed(
      isBlank ? "A blank stands before a header field's colon." : "A header field's name is not a token."
    )
  }
}
