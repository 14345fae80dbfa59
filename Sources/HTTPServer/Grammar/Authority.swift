/// The syntax of `Host` and of an absolute-form target's authority: `host [ ":" port ]` (RFC 9110 section 7.2).
enum Authority {
  /// Returns whether `bytes` are a host with or without a port. Userinfo is not allowed (RFC 9110 section 4.2.4).
  static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    if rest.first == UInt8(ascii: "[") {
      guard let close = rest.firstIndex(of: UInt8(ascii: "]")), isLiteral(rest[(rest.startIndex + 1)..<close]) else {
        return false
      }
      rest = rest[(close + 1)...]
    } else {
      let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      guard isRegisteredName(rest[..<end]) else { return false }
      // A port needs a host before it.
      if end == rest.startIndex { return rest.isEmpty }
      rest = rest[end...]
    }
    return rest.isEmpty || (rest.first == UInt8(ascii: ":") && isPort(rest.dropFirst()))
  }

  /// RFC 3986 section 3.2.3: any digits, or none; as a number, one that TCP has.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    var port = 0
    for byte in bytes {
      guard ByteClass.isDigit(byte) else { return false }
      port = port * 10 + Int(byte & 0xf)
      if port > 65_535 { return false }
    }
    return true
  }

  private static func isRegisteredName(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { ByteClass.has($0, ByteClass.registeredName) } && (try? PercentDecoding.decode(bytes)) != nil
  }

  /// Returns whether the text between brackets is an IPv6 address, without a zone. IPvFuture has no version yet.
  private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.contains(UInt8(ascii: ":")) && SocketAddress(text: bytes) != nil
  }
}
