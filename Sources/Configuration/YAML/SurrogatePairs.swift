/// JSON escapes a character beyond U+FFFF by two halves, `\ud83d\ude00` (RFC 8259 section 7), where YAML has one escape for
/// it, `\U0001F600`, and libyaml refuses the halves: joined, what is written as JSON is read, too.
enum SurrogatePairs {
  private static let highHalves: Range<UInt32> = 0xD800..<0xDC00
  private static let lowHalves: Range<UInt32> = 0xDC00..<0xE000

  /// The text with the pairs joined in the double-quoted text that the place stands in, and in those that follow it as they do
  /// in JSON. Each gets blanks behind its end for what became shorter: all else stays in its column.
  ///
  /// - Parameter start: where an escape begins.
  /// - Returns: Nil where it is no half of a pair.
  /// - Complexity: O(text).
  static func joined(_ text: [Unicode.Scalar], from start: Int) -> [Unicode.Scalar]? {
    guard character(in: text, at: start) != nil else { return nil }
    var result = Array(text[..<start])
    result.reserveCapacity(text.count)
    var (position, isInside, missing) = (start, true, 0)
    while position < text.count, isInside || isBetweenTexts(text[position]) {
      if isInside, let character = character(in: text, at: position) {
        result += "\\U".unicodeScalars + hexadecimal(character)
        (position, missing) = (position + 12, missing + 2)
        continue
      }
      let scalar = text[position]
      result.append(scalar)
      position += 1
      switch scalar {
      case "\"" where isInside:
        result += Array(repeating: " ", count: missing)
        (isInside, missing) = (false, 0)
      case "\"": isInside = true
      case "\\" where isInside && position < text.count:
        // An escaped character ends nothing.
        result.append(text[position])
        if text[position].isLineBreak { missing = 0 }
        position += 1
      default: if scalar.isLineBreak { missing = 0 }
      }
    }
    return result + text[position...]
  }

  /// The character whose two halves stand there; nil where none does.
  private static func character(in text: [Unicode.Scalar], at position: Int) -> Unicode.Scalar? {
    guard let high = unit(in: text, at: position), highHalves.contains(high),
      let low = unit(in: text, at: position + 6), lowHalves.contains(low)
    else { return nil }
    return Unicode.Scalar(0x10000 + (high - highHalves.lowerBound) << 10 + (low - lowHalves.lowerBound))
  }

  /// Returns the unit that `\uXXXX` stands for.
  private static func unit(in text: [Unicode.Scalar], at position: Int) -> UInt32? {
    guard position >= 0, position + 6 <= text.count, text[position] == "\\", text[position + 1] == "u" else {
      return nil
    }
    let digits = text[(position + 2)..<(position + 6)]
    guard digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
    return UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
  }

  private static func hexadecimal(_ character: Unicode.Scalar) -> [Unicode.Scalar] {
    let digits = String(character.value, radix: 16).unicodeScalars
    return Array(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Returns whether a scalar may stand between one text of JSON and the next one, beside those that YAML would take
  /// for a text.
  private static func isBetweenTexts(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", ",", ":", "[", "]", "{", "}", " ", "\t", "\n", "\r": true
    default: false
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" }
}
