/// Walks over a list from element to element, by what elements are expected, or by brackets and quotes.
struct ListScanner {
  /// The whole text.
  let bytes: UnsafeRawBufferPointer
  private var position: Int
  /// The position of the list's closing bracket.
  private let end: Int

  /// - Parameter inside: what stands between the list's brackets.
  init(_ bytes: UnsafeRawBufferPointer, _ inside: Range<Int>) {
    (self.bytes, position, end) = (bytes, inside.lowerBound, inside.upperBound)
    skipSpace()
  }

  var isAtEnd: Bool { position == end }

  /// Returns the position of the next element if this one's bytes stand here, and it ends with them. Else nil.
  @inline(__always)
  mutating func take(_ element: UnsafeRawBufferPointer) -> Range<Int>? {
    let (start, next) = (position, position + element.count)
    guard next <= end, isBoundary(next),
      RawBytes.equal(element, UnsafeRawBufferPointer(rebasing: bytes[start..<next]))
    else { return nil }
    position = next
    return start..<next
  }

  /// Returns the next element's range, found by brackets and quotes; nil where that can't be told. It is not known to
  /// be JSON.
  mutating func takeNext() -> Range<Int>? {
    let start = position
    var depth = 0
    while position < end {
      switch bytes[position] {
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth < 0 { return nil }
      case UInt8(ascii: ",") where depth == 0: return element(from: start)
      default: break
      }
      position += 1
    }
    return position == end && depth == 0 ? element(from: start) : nil
  }

  /// Moves behind the comma after an element; false where something else stands there.
  mutating func separate() -> Bool {
    skipSpace()
    if position == end { return true }
    guard bytes[position] == UInt8(ascii: ",") else { return false }
    position += 1
    skipSpace()
    return position < end
  }

  private func element(from start: Int) -> Range<Int>? {
    var last = position
    while last > start, Self.isSpace(bytes[last - 1]) { last -= 1 }
    return last > start ? start..<last : nil
  }

  /// Stops at the closing quote.
  private mutating func skipString() {
    position += 1
    while position < end, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
  }

  private func isBoundary(_ position: Int) -> Bool {
    position == end || bytes[position] == UInt8(ascii: ",") || Self.isSpace(bytes[position])
  }

  private mutating func skipSpace() {
    while position < end, Self.isSpace(bytes[position]) { position += 1 }
  }

  /// RFC 8259 §2.
  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
