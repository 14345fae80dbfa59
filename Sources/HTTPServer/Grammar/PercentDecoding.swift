/// Percent-decoding (RFC 3986 section 2.1).
enum PercentDecoding {
  static func decode(_ bytes: ArraySlice<UInt8>, plusIsBlank: Bool = false) throws(Refusal) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "%") {
        guard bytes.endIndex - index >= 2, let high = ByteClass.hexadecimal(bytes[index]),
          let low = ByteClass.hexadecimal(bytes[index + 1])
        else {
          throw .malformed("A % in the target must be followed by two hexadecimal digits.")
        }
        decoded.append(high << 4 | low)
        index += 2
      } else {
        decoded.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return decoded
  }
}
