import JSON

/// Filters of texts.
enum TextFilters {
  /// A filter from text to text; null stays null.
  private static func textual(
    _ signature: String,
    _ summary: String,
    examples: [(String, String)],
    reads reading: Filter.Reading,
    _ transform: @escaping @Sendable (String) -> String
  ) -> Filter {
    Filter(signature, summary, examples: examples, reads: reading) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "\(signature)") else { return .null }
      return try Arithmetic.bounded(transform(text), by: signature)
    }
  }

  static let all: [Filter] = [
    Filter(
      "truncate(length, ending?)",
      "At most so many characters; what is cut off is shown by the ending (`…`), which counts.",
      examples: [("'A long title' | truncate(6)", "\"A lon…\""), ("'Short' | truncate(8, '...')", "\"Short\"")],
      reads: .bytes(3)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "truncate") else { return .null }
      guard let length = try call.integer(0, of: "truncate"), length >= 0 else {
        throw EvaluationError("truncate takes a length of 0 or more")
      }
      // A number becomes text even where nothing is cut off.
      let whole = call.input.kind == .string ? call.input : .string(text)
      // No character is less than a byte.
      if text.utf8.count <= length { return whole }
      let cut = text.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
      // No further than that are characters told apart.
      try call.scope.charge(text.utf8.distance(from: text.startIndex, to: cut) * 60)
      guard cut < text.endIndex else { return whole }
      let ending = (try call.text(1, of: "truncate") ?? "…").prefix(length)
      var kept = text.prefix(length - ending.count)
      while kept.last?.isWhitespace == true { kept.removeLast() }
      return .string(String(kept) + ending)
    },
    textual(
      "upper",
      "In capitals.",
      examples: [("'straße' | upper", "\"STRASSE\"")],
      reads: .characters(ascii: 4, other: 40)
    ) { $0.uppercased() },
    textual(
      "lower",
      "In small letters.",
      examples: [("'README' | lower", "\"readme\"")],
      reads: .characters(ascii: 4, other: 40)
    ) { $0.lowercased() },
    textual(
      "capitalize",
      "The first letter in capitals.",
      examples: [("'open now' | capitalize", "\"Open now\"")],
      reads: .characters(ascii: 6, other: 60)
    ) {
      $0.prefix(1).uppercased() + $0.dropFirst()
    },
    textual(
      "titleCase",
      "The first letter of each word in capitals.",
      examples: [("'pull request' | titleCase", "\"Pull Request\"")],
      reads: .characters(ascii: 100, other: 100)
    ) { text in
      var result = ""
      var startsWord = true
      for character in text {
        result += startsWord ? character.uppercased() : String(character)
        startsWord = character.isWhitespace
      }
      return result
    },
    textual(
      "trim",
      "Without white space at both ends.",
      examples: [("'  a b ' | trim", "\"a b\"")],
      reads: .characters(ascii: 100, other: 100)
    ) { text in
      let start = text.drop { $0.isWhitespace }
      let end = start.lastIndex { !$0.isWhitespace }
      return end.map { String(start[...$0]) } ?? ""
    },
    Filter(
      "replace(part, replacement)",
      "Every occurrence of a part replaced.",
      examples: [("'a-b-c' | replace('-', '/')", "\"a/b/c\"")],
      reads: .bytes(6)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "replace") else { return .null }
      let part = try call.text(0, of: "replace") ?? ""
      let replacement = try call.text(1, of: "replace") ?? ""
      let result = Value.string(try TextReplacement.replacing(part, in: text, by: replacement))
      try call.scope.budget?.chargeMade(result)
      return result
    },
    Filter(
      "split(separator)",
      "The parts between separators, as an array; characters for an empty separator.",
      examples: [("'a, b' | split(', ')", "[\"a\",\"b\"]")],
      reads: .bytes(6)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "split") else { return .null }
      let separator = try call.text(0, of: "split") ?? ""
      return .array(try TextReplacement.parts(of: text, between: separator, call.scope.budget))
    },
    Filter(
      "contains(part)",
      "Whether a string has a part, or an array an element.",
      examples: [("'swift' | contains('if')", "true"), ("[1, 2] | contains(3)", "false")],
      reads: .bytes(1)
    ) { (call) throws(EvaluationError) in
      .bool(try Containment.contains(call.argument(0) ?? .null, in: call.input, call.scope.budget))
    },
    Filter(
      "startsWith(part)",
      "Whether a string starts with a part.",
      examples: [("'feature/x' | startsWith('feature/')", "true")],
      reads: .bytes(1)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "startsWith") else { return .bool(false) }
      let part = try call.text(0, of: "startsWith") ?? ""
      return .bool(text.utf8.starts(with: part.utf8))
    },
    Filter(
      "endsWith(part)",
      "Whether a string ends with a part.",
      examples: [("'a.png' | endsWith('.png')", "true")],
      reads: .bytes(1)
    ) { (call) throws(EvaluationError) in
      guard let text = try call.inputText(for: "endsWith") else { return .bool(false) }
      return .bool(text.utf8.reversed().starts(with: (try call.text(0, of: "endsWith") ?? "").utf8.reversed()))
    },
    textual(
      "stripHtml",
      "The text of HTML: tags go, blocks end lines, entities become characters.",
      examples: [("'<p>Fish &amp; <b>chips</b></p>' | stripHtml", "\"Fish & chips\"")],
      reads: .html
    ) { HTMLText.text(of: $0) },
    Filter(
      "plural(one, other, few?, many?, locale?)",
      "The word for a number, by the plural rules of the locale; `few` and `many` where a language has them.",
      examples: [
        ("1 | plural('reply', 'replies')", "\"reply\""), ("3 | plural('reply', 'replies')", "\"replies\""),
        ("3 | plural('plik', 'pliku', 'pliki', 'plików', 'pl')", "\"pliki\""),
        ("0 | plural('jour', 'jours', null, null, 'fr')", "\"jour\""),
      ],
      reads: .number(writing: 2_000)
    ) { (call) throws(EvaluationError) in
      guard let number = try call.inputNumber(for: "plural") else { return .null }
      // The rules of a language are opened once; of computed ones each may be another.
      if !call.isFixed(4) { try call.scope.charge(Cost.pluralRules) }
      let category = PluralRules.category(of: number, locale: try call.locale(4, of: "plural") ?? "en")
      let positions: [PluralRules.Category: Int] = [.one: 0, .few: 2, .many: 3]
      if let position = positions[category], let word = try call.argument(position), !word.isNull { return word }
      return try call.argument(1) ?? .null
    },
    Filter(
      "string",
      "As text: numbers in decimal digits, arrays and objects as JSON.",
      examples: [("42 | string", "\"42\""), ("[1] | string", "\"[1]\"")],
      reads: .whole(24)
    ) { (call) throws(EvaluationError) in
      switch call.input.kind {
      case .null, .string: return call.input
      case .boolean, .number, .array, .object:
        var text = ""
        call.input.append(to: &text)
        return try Arithmetic.bounded(text, by: "string")
      }
    },
  ]
}
