/// The classes of bytes that HTTP's grammar is made of, as lookups in one table.
enum ByteClass {
  static let token: UInt8 = 1
  static let fieldValue: UInt8 = 2
  static let path: UInt8 = 4
  static let query: UInt8 = 8
  static let registeredName: UInt8 = 16
  static let quotedTag: UInt8 = 32

  private static let table: [UInt8] = (0...255).map { classes(of: UInt8($0)) }

  private static func classes(of byte: UInt8) -> UInt8 {
    var classes: UInt8 = 0
    let alphanumeric = isAlphanumeric(byte)
    let isUnreserved = alphanumeric || "-._~".utf8.contains(byte)
    let isSubDelimiter = "!$&'()*+,;=".utf8.contains(byte)
    // RFC 9110 section 5.6.2
    if alphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte) { classes |= token }
    // RFC 9110 section 5.5: field-content, obs-text, and the blanks between
    if byte == 0x09 || (byte >= 0x20 && byte != 0x7f) { classes |= fieldValue }
    // RFC 3986 section 3.3, and [ ] | which browsers leave as they are
    if isUnreserved || isSubDelimiter || ":@%[]|/".utf8.contains(byte) { classes |= path }
    // RFC 3986 section 3.4, and what browsers leave as it is (URL Standard, query percent-encode set)
    if isUnreserved || isSubDelimiter || ":@%[]|/?{}^`\\".utf8.contains(byte) { classes |= query }
    // RFC 3986 section 3.2.2, but for the comma: a list of hosts is no host
    if isUnreserved || (isSubDelimiter && byte != UInt8(ascii: ",")) || byte == UInt8(ascii: "%") {
      classes |= registeredName
    }
    // RFC 9110 section 8.8.3: etagc
    if byte == 0x21 || (byte >= 0x23 && byte != 0x7f) { classes |= quotedTag }
    return classes
  }

  @inline(__always)
  static func has(_ byte: UInt8, _ mask: UInt8) -> Bool { table[Int(byte)] & mask != 0 }

  static func isToken(_ byte: UInt8) -> Bool { has(byte, token) }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (lowercased(byte) >= UInt8(ascii: "a") && lowercased(byte) <= UInt8(ascii: "z"))
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// The value of a hexadecimal digit, nil for any other byte.
  @inline(__always)
  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 0x30 }
    let letter = byte | 0x20
    return letter &- 0x61 < 6 ? letter &- 0x57 : nil
  }
}
