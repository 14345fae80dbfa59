/// Reads cursors and lens tags from their bytes, each byte once: those who poll send them with every request.
struct TagReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// The bytes are valid for as long as it reads.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// The part that has not been read.
  var rest: Slice<UnsafeBufferPointer<UInt8>> { bytes[position...] }

  /// Goes on behind a character, if it stands there.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  /// So many lower-case hexadecimal digits, at most 16.
  mutating func hexadecimal(digits: Int) -> UInt64? {
    guard bytes.count - position >= digits else { return nil }
    var number: UInt64 = 0
    for _ in 0..<digits {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte & 15)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
      default: return nil
      }
      position += 1
    }
    return number
  }

  /// Decimal digits without a leading zero.
  mutating func number() -> UInt64? {
    let start = position
    var number: UInt64 = 0
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
      let (tens, hasOverflown) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooMuch) = tens.addingReportingOverflow(UInt64(bytes[position] & 15))
      guard !hasOverflown, !isTooMuch else { return nil }
      number = sum
      position += 1
    }
    guard position > start, bytes[start] != UInt8(ascii: "0") || position == start + 1 else { return nil }
    return number
  }
}
