/// Texts of others as a terminal shows them: on one line, no wider than they may be, and without what would steer it.
enum TerminalText {
  /// Without control characters, and without those that turn the direction of what follows. O(length).
  static func oneLine(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: result.append(" ")
      // U+200D joins the parts of an emoji, U+200C keeps letters apart.
      case .format where !(0x200C...0x200D).contains(scalar.value): continue
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// At most so many columns; what is left out is an ellipsis. O(length).
  static func cut(_ text: String, columns: Int) -> String {
    let line = oneLine(text)
    guard width(line) > columns else { return line }
    var rest = columns - 1
    let fitting = line.prefix { character in
      rest -= width(character)
      return rest >= 0
    }
    return columns > 0 ? fitting + "…" : ""
  }

  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Columns at the most: terminals differ about what is joined of several characters.
  static func width(_ character: Character) -> Int {
    let widths = character.unicodeScalars.map(width)
    // U+FE0F makes a sign an emoji.
    return character.unicodeScalars.contains("\u{FE0F}") ? max(2, widths.reduce(0, +)) : widths.reduce(0, +)
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: 0
    default: scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  /// `W` and `F` of Unicode's East Asian Width (UAX #11), in blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF,
    0x1AFF0...0x1B2FF, 0x1F200...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
