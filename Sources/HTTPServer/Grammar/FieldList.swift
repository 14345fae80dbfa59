/// Splitting of list-based field values (RFC 9110 section 5.6.1).
enum FieldList {
  /// The members of one field value.
  static func members(of value: String) -> [String] {
    var members: [String] = []
    var member: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    func close() {
      let text = trimmed(member[...])
      if !text.isEmpty { members.append(String(decoding: text, as: UTF8.self)) }
      member.removeAll(keepingCapacity: true)
    }
    for byte in value.utf8 {
      if isEscaped {
        isEscaped = false
      } else if isQuoted && byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ","), !isQuoted {
        close()
        continue
      }
      member.append(byte)
    }
    close()
    return members
  }

  /// Without the blanks and tabs at both ends.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
    while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
    return bytes
  }
}
