/// Reads the parts of a date from bytes.
struct DateReader {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { text[position...].allSatisfy { $0 == 0x20 } }

  var isAtDigit: Bool { position < text.count && Self.isDigit(text[position]) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skipSpaces() { while take(" ") {} }

  /// Exactly so many digits.
  mutating func digits(_ count: Int) -> Int? {
    guard position + count <= text.count else { return nil }
    var value = 0
    for byte in text[position..<(position + count)] {
      guard Self.isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    position += count
    return value
  }

  mutating func upToTwoDigits() -> Int? { digits(2) ?? digits(1) }

  /// Decimals of a second.
  mutating func fraction() -> Double? {
    guard isAtDigit else { return nil }
    var (value, scale) = (0.0, 0.1)
    while isAtDigit {
      value += Double(text[position] - UInt8(ascii: "0")) * scale
      scale /= 10
      position += 1
    }
    return value
  }

  mutating func word() -> String? {
    let start = position
    while position < text.count, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(text[position] | 0x20) {
      position += 1
    }
    return start == position ? nil : String(decoding: text[start..<position], as: UTF8.self)
  }

  /// Seconds east of UTC; 0 where there is no zone. Nil for an unknown one.
  mutating func zone() -> Int? {
    if isAtEnd { return 0 }
    let isEast = take("+")
    if isEast || take("-") {
      guard let hours = digits(2), hours < 24 else { return nil }
      _ = take(":")
      let minutes = isAtDigit ? digits(2) : 0
      guard let minutes, minutes < 60 else { return nil }
      return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
    }
    switch word() {
    case "Z", "z", "GMT", "UTC", "UT": return 0
    default: return nil
    }
  }
}
