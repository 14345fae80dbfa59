/// Which bytes a JSON string can't hold as they are, and what stands for them (RFC 8259 §7).
enum JSONEscaping {
  /// The first byte from `start` on that must be escaped, or the end. Looks at eight bytes at a time.
  static func endOfPlainRun(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var position = start
    guard let base = text.baseAddress else { return start }
    let raw = UnsafeRawPointer(base)
    while position + 8 <= text.count {
      let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let found = escapes(in: word)
      if found != 0 { return position + found.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < text.count, !isEscaped(text[position]) { position += 1 }
    return position
  }

  static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// The highest bit of every byte that must be escaped. The lowest bit set is exact; those above it may be
  /// false, as a borrow travels upwards, which is why only the lowest may be used.
  private static func escapes(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let word = UInt64(littleEndian: word)
    let control = (word &- ones &* 0x20) & ~word
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs
  }

  static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
      bytes.append(hexadecimal(byte >> 4))
      bytes.append(hexadecimal(byte & 15))
    }
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
