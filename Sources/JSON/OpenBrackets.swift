/// The objects and arrays that are open at a place of a text, the innermost last.
struct OpenBrackets {
  private(set) var depth = 0
  private let maximumDepth: Int
  /// The innermost levels, at most 64, one bit each, the innermost lowest: 1 for an object, 0 for an array.
  private var levels: UInt64 = 0
  /// The levels outside of those, 64 in each.
  private var outer: [UInt64] = []

  init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

  /// False where that is too deep.
  @inline(__always)
  mutating func open(_ byte: UInt8) -> Bool {
    guard depth < maximumDepth else { return false }
    if depth & 63 == 0, depth > 0 { outer.append(levels) }
    levels = levels << 1 | (byte == UInt8(ascii: "{") ? 1 : 0)
    depth += 1
    return true
  }

  /// False where it closes nothing, or something of the other kind.
  @inline(__always)
  mutating func close(_ byte: UInt8) -> Bool {
    guard depth > 0 else { return false }
    depth -= 1
    let isObject = levels & 1 == 1
    levels >>= 1
    if depth & 63 == 0, depth > 0 { levels = outer.removeLast() }
    return isObject == (byte == UInt8(ascii: "}"))
  }

  /// Sets brackets and braces apart from all other structural characters.
  @inline(__always)
  static func isBracket(_ byte: UInt8) -> Bool { byte | 0x20 >= UInt8(ascii: "{") }

  /// Sets an opening bracket or brace apart from all other structural characters.
  @inline(__always)
  static func isOpening(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "{") }

  /// Sets a closing bracket or brace apart from all other structural characters.
  @inline(__always)
  static func isClosing(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "}") }
}
