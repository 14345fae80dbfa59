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

/// A text as a literal in quotes: Swift, TypeScript and Kotlin agree on these escapes but for the characters that
/// begin an interpolation.
func literal(_ text: String, escaping interpolation: Character? = nil) -> String {
  var result = "\""
  for character in text.unicodeScalars {
    switch character {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case "\0"..<" ", "\u{7F}", "\u{2028}", "\u{2029}": result += "?"
    case let other where interpolation.map({ $0.unicodeScalars.first == other }) == true: result += "\\\(other)"
    default: result.unicodeScalars.append(character)
    }
  }
  return result + "\""
}
