/// Names that a language takes: letters, digits and `_`, no digit first, each given once.
struct Names {
  private var taken: Set<String>

  init(taken: Set<String>) { self.taken = taken }

  /// The name itself, or with a number behind it that makes it another.
  ///
  /// - Parameter others: names that this one can't have either.
  mutating func unique(_ name: String, besides others: Set<String> = []) -> String {
    var candidate = name
    var number = 2
    while others.contains(candidate) || !taken.insert(candidate).inserted {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }

  /// `section-title` becomes `SectionTitle`.
  static func upperCamel(_ text: String) -> String { safe(words(of: text).map(capitalized).joined()) }

  /// `section-title` becomes `sectionTitle`; `URLCell` becomes `urlCell`.
  static func lowerCamel(_ text: String) -> String {
    let words = words(of: text)
    guard let first = words.first else { return safe("") }
    return safe(uncapitalized(first) + words.dropFirst().map(capitalized).joined())
  }

  private static func words(of text: String) -> [Substring] {
    text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
  }

  private static func capitalized(_ word: Substring) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  /// The leading capitals become small, but for the last of several that begins the next word.
  private static func uncapitalized(_ word: Substring) -> String {
    let capitals = word.prefix(while: \.isUppercase)
    let count = capitals.count > 1 && capitals.count < word.count ? capitals.count - 1 : capitals.count
    return word.prefix(count).lowercased() + word.dropFirst(count)
  }

  private static func safe(_ name: String) -> String {
    guard let first = name.first else { return "_empty" }
    return first.isNumber ? "_" + name : name
  }
}

/// A text as a literal in quotes.
func swiftLiteral(_ text: String) -> String { literal(text) { "\\u{\($0)}" } }

/// A text as a literal in quotes.
func typescriptLiteral(_ text: String) -> String { literal(text, withFourDigits) }

/// A text as a literal in quotes, where `$` begins no interpolation.
func kotlinLiteral(_ text: String) -> String { literal(text, escaping: "$", withFourDigits) }

private func withFourDigits(_ hexadecimal: String) -> String {
  "\\u" + String(repeating: "0", count: max(4 - hexadecimal.count, 0)) + hexadecimal
}

/// The languages agree on most escapes.
///
/// - Parameters:
///   - interpolation: the character that begins an interpolation without a backslash.
///   - escape: of a scalar that is not to stand in source text, by its number in hexadecimal.
private func literal(
  _ text: String,
  escaping interpolation: Unicode.Scalar? = nil,
  _ escape: (String) -> String
) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where scalar == interpolation: result += "\\\(scalar)"
    case _ where scalar.endsLineOrControls: result += escape(String(scalar.value, radix: 16))
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

/// A text in a comment of any kind, which it neither ends nor begins anew: without control characters and `*`.
func commentText(_ text: String) -> String {
  String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "*" && !$0.endsLineOrControls }))
}

extension Unicode.Scalar {
  fileprivate var endsLineOrControls: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
