/// The objects and arrays that are open at a place of a text, the innermost last.
struct OpenBrackets {
  private(set) var depth = 0
  private let maximumDepth: Int
  /// One bit a level: 1 for an object, 0 for an array.
  private var levels: [UInt64]

  init(maximumDepth: Int) {
    self.maximumDepth = maximumDepth
    levels = [UInt64](repeating: 0, count: maximumDepth / 64 + 1)
  }

  /// False where that is too deep.
  @inline(__always)
  mutating func open(_ byte: UInt8) -> Bool {
    guard depth < maximumDepth else { return false }
    let bit = UInt64(1) << UInt64(depth & 63)
    if byte == UInt8(ascii: "{") { levels[depth >> 6] |= bit } else { levels[depth >> 6] &= ~bit }
    depth += 1
    return true
  }

  /// False where it closes nothing, or something of the other kind.
  @inline(__always)
  mutating func close(_ byte: UInt8) -> Bool {
    guard depth > 0 else { return false }
    depth -= 1
    let isObject = (levels[depth >> 6] >> UInt64(depth & 63)) & 1 == 1
    return isObject == (byte == UInt8(ascii: "}"))
  }

  /// Sets an opening bracket or brace apart from all other structural characters.
  @inline(__always)
  static func isOpening(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "{") }

  /// Sets a closing bracket or brace apart from all other structural characters.
  @inline(__always)
  static func isClosing(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "}") }
}
