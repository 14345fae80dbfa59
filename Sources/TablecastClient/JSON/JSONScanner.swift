/// A reply that is not JSON, or does not follow the protocol. `description` has the fault and its position.
public struct MalformedReply: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}

/// Checks a whole text once (RFC 8259), so that everything after it may walk the bytes without looking twice.
struct JSONScanner {
  /// Lists and objects in one another. The service's own limit is lower.
  static let maximumDepth = 256

  private let bytes: UnsafeBufferPointer<UInt8>
  private let depthLimit: Int
  private var position = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ depthLimit: Int) {
    (self.bytes, self.depthLimit) = (bytes, depthLimit)
  }

  /// The range of the one value in `bytes`. O(bytes).
  static func check(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws -> Range<Int> {
    var scanner = JSONScanner(bytes, maximumDepth)
    scanner.skipSpace()
    let start = scanner.position
    try scanner.value(depth: 0)
    let end = scanner.position
    scanner.skipSpace()
    guard scanner.position == bytes.count else { throw scanner.unexpected("the end") }
    return start..<end
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func unexpected(_ wanted: String) -> MalformedReply {
    let found = next.map { "`\(String(decoding: [$0], as: UTF8.self))`" } ?? "the end"
    return MalformedReply("\(wanted) was expected at byte \(position), where \(found) is")
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
  }

  private mutating func value(depth: Int) throws {
    guard depth < depthLimit else { throw MalformedReply("more than \(depthLimit) levels") }
    switch next ?? 0 {
    case UInt8(ascii: "{"): try object(depth: depth)
    case UInt8(ascii: "["): try array(depth: depth)
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    default: throw unexpected("a value")
    }
  }

  private mutating func object(depth: Int) throws {
    position += 1
    skipSpace()
    if next == UInt8(ascii: "}") { return position += 1 }
    while true {
      guard next == UInt8(ascii: "\"") else { throw unexpected("a member's name") }
      try string()
      skipSpace()
      guard next == UInt8(ascii: ":") else { throw unexpected("`:`") }
      position += 1
      skipSpace()
      try value(depth: depth + 1)
      skipSpace()
      guard let separator = next, separator == UInt8(ascii: ",") || separator == UInt8(ascii: "}") else {
        throw unexpected("`,` or `}`")
      }
      position += 1
      if separator == UInt8(ascii: "}") { return }
      skipSpace()
    }
  }

  private mutating func array(depth: Int) throws {
    position += 1
    skipSpace()
    if next == UInt8(ascii: "]") { return position += 1 }
    while true {
      try value(depth: depth + 1)
      skipSpace()
      guard let separator = next, separator == UInt8(ascii: ",") || separator == UInt8(ascii: "]") else {
        throw unexpected("`,` or `]`")
      }
      position += 1
      if separator == UInt8(ascii: "]") { return }
      skipSpace()
    }
  }

  private mutating func string() throws {
    position += 1
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw MalformedReply("a control character in a text, at byte \(position - 1)")
      default: continue
      }
    }
    throw unexpected("the end of a text")
  }

  private mutating func escape() throws {
    guard let byte = next else { throw unexpected("an escape") }
    position += 1
    switch byte {
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard next?.hexValue != nil else { throw unexpected("a hex digit") }
        position += 1
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      break
    default:
      position -= 1
      throw unexpected("an escape")
    }
  }

  private mutating func word(_ word: StaticString) throws {
    for index in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[index] else { throw unexpected("`\(word)`") }
      position += 1
    }
  }

  private mutating func number() throws {
    if next == UInt8(ascii: "-") { position += 1 }
    if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
  }

  private mutating func digits() throws {
    guard let first = next, first.isDigit else { throw unexpected("a digit") }
    while let byte = next, byte.isDigit { position += 1 }
  }
}

extension UInt8 {
  var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var hexValue: UInt32? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
