/// The bytes that a JSON string can't hold as they are, and their escapes (RFC 8259 §7).
enum JSONEscaping {
  /// Copies bytes up to the first that must be escaped, or all; gives how many. Looks at eight bytes at a time.
  @inline(__always)
  static func copyPlainRun(_ text: UnsafeRawPointer, count: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let target = UnsafeMutableRawPointer(target)
    var position = 0
    while position + 8 <= count {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      target.storeBytes(of: word, toByteOffset: position, as: UInt64.self)
      let found = escapes(in: word)
      if found != 0 { return position + found.trailingZeroBitCount / 8 }
      position += 8
    }
    if count >= 8, position < count {
      // The last eight bytes, some of which were looked at before and are plain.
      let word = text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      target.storeBytes(of: word, toByteOffset: count - 8, as: UInt64.self)
      let found = escapes(in: word)
      return found == 0 ? count : count - 8 + found.trailingZeroBitCount / 8
    }
    while position < count {
      let byte = text.load(fromByteOffset: position, as: UInt8.self)
      if isEscaped(byte) { break }
      target.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
      position += 1
    }
    return position
  }

  /// Writes a text, escaped where it has to be, and moves behind it. There is room for `longest` bytes for each of its own,
  /// and for 8 more.
  static func write(_ text: UnsafeBufferPointer<UInt8>, to end: inout UnsafeMutablePointer<UInt8>) {
    guard let base = text.baseAddress else { return }
    var start = 0
    while true {
      let count = copyPlainRun(UnsafeRawPointer(base + start), count: text.count - start, to: end)
      end += count
      start += count
      guard start < text.count else { return }
      write(text[start], to: &end)
      start += 1
    }
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

  /// Bytes of the longest escape, `\u001f`.
  static let longest = 6

  /// Writes the escape of a byte, at most `longest` bytes, and moves behind it.
  static func write(_ byte: UInt8, to end: inout UnsafeMutablePointer<UInt8>) {
    end[0] = UInt8(ascii: "\\")
    end[1] =
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
      case 0x08: UInt8(ascii: "b")
      case 0x09: UInt8(ascii: "t")
      case 0x0A: UInt8(ascii: "n")
      case 0x0C: UInt8(ascii: "f")
      case 0x0D: UInt8(ascii: "r")
      default: UInt8(ascii: "u")
      }
    end += 2
    guard end[-1] == UInt8(ascii: "u") else { return }
    (end[0], end[1]) = (UInt8(ascii: "0"), UInt8(ascii: "0"))
    (end[2], end[3]) = (hexadecimal(byte >> 4), hexadecimal(byte & 15))
    end += 4
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
