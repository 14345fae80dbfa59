/// The parts of a text with `${…}` in it: what `Template` compiles, seen from the outside, to say where things stand and
/// which environment variables and parameters are named.
struct TemplateText: Sendable {
  enum Part: Equatable, Sendable {
    case literal(Substring)
    /// What stands between `${` and `}`.
    case expression(Substring)
  }

  var parts: [Part] = []
  let text: Substring

  /// The parts are of the same text: their indices are indices in it.
  init(_ text: some StringProtocol) {
    let text = Substring(text)
    self.text = text
    var literal = text.startIndex
    var position = text.startIndex
    while let opening = text[position...].range(of: "${") {
      // `$${` stands for a `${` that is meant so.
      if opening.lowerBound > text.startIndex, text[text.index(before: opening.lowerBound)] == "$" {
        position = opening.upperBound
        continue
      }
      guard let closing = Self.end(of: text, from: opening.upperBound) else { break }
      if literal < opening.lowerBound { parts.append(.literal(text[literal..<opening.lowerBound])) }
      parts.append(.expression(text[opening.upperBound..<closing]))
      position = text.index(after: closing)
      literal = position
    }
    if literal < text.endIndex { parts.append(.literal(text[literal...])) }
  }

  var expressions: [Substring] {
    parts.compactMap { if case .expression(let text) = $0 { text } else { nil } }
  }

  /// The expression, where the text is one `${…}` and nothing else.
  var whole: Substring? {
    guard parts.count == 1, case .expression(let text)? = parts.first else { return nil }
    return text
  }

  /// The `}` that ends an expression: braces within are counted, those in quotes are not.
  private static func end(of text: Substring, from start: String.Index) -> String.Index? {
    var depth = 0
    var quote: Character?
    var position = start
    while position < text.endIndex {
      let character = text[position]
      if quote != nil, character == "\\" {
        position = text.index(after: position)
        guard position < text.endIndex else { return nil }
      } else if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == "{" {
        depth += 1
      } else if character == "}" {
        if depth == 0 { return position }
        depth -= 1
      }
      position = text.index(after: position)
    }
    return nil
  }
}

extension Substring {
  /// The place of the first occurrence of a short text.
  fileprivate func range(of needle: String) -> Range<Index>? {
    var position = startIndex
    while position < endIndex {
      if self[position...].hasPrefix(needle) { return position..<index(position, offsetBy: needle.count) }
      position = index(after: position)
    }
    return nil
  }
}
