import Yams

/// An error in the YAML itself.
struct YAMLProblem: Equatable, Sendable {
  var place: TextPosition
  var message: String
  var suggestion: String?
}

extension YAMLProblem {
  /// The words of libyaml for an escape of half a surrogate pair, or beyond Unicode.
  static let noCharacter = "found invalid Unicode character escape code"

  init(_ error: YamlError, in source: SourceText) {
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      self.init(problem: problem, context: context?.text, at: source.clamped(TextPosition(mark)), in: source)
    case .reader(let problem, let offset, _, let text):
      let place = offset.map { TextPosition(scalarOffset: $0, in: text) } ?? .start
      self.init(
        place: place,
        message: "YAML: \(problem)",
        suggestion: problem.hasPrefix("control") ? "take it out" : "the file must be UTF-8 text"
      )
    case .duplicatedKeysInMapping(let keys, let context):
      self.init(place: TextPosition(context.mark), message: "the key \(excerpt(keys.first ?? "")) stands twice")
    case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
      self.init(place: .start, message: "the YAML can't be read: \(error)")
    }
  }

  private init(problem: String, context: String?, at place: TextPosition, in source: SourceText) {
    if let braces = Self.unquotedExpression(at: place, in: source) {
      self.init(
        place: braces,
        message: "'${' unquoted inside { } or [ ] is not YAML",
        suggestion: "put the whole value in quotes: \"${…}\""
      )
      return
    }
    if problem == Self.noCharacter {
      // libyaml is behind `\u` then.
      self.init(
        place: TextPosition(line: place.line, column: max(1, place.column - 2)),
        message: "an escape that stands for no character",
        suggestion: #"write the character itself, or both halves of a surrogate pair: `\ud83d\ude00`"#
      )
      return
    }
    if problem.hasPrefix("Maximum nesting") {
      self.init(
        place: place,
        message: "too deep a nesting",
        suggestion: "at most \(YAMLReader.maximumDepth) levels are read"
      )
      return
    }
    let message = "YAML: \(problem)" + (context.map { " \($0)" } ?? "")
    let line = source.rest(from: TextPosition(line: place.line, column: 1))
    if problem.hasPrefix("mapping values are not allowed"), line.contains("$") {
      self.init(place: place, message: message, suggestion: "put a value that contains ': ' in quotes")
    } else if problem.contains("character that cannot start any token"), source.rest(from: place).first == "\t" {
      self.init(place: place, message: message, suggestion: "indent with spaces, not with tabs")
    } else if problem.contains("character that cannot start any token") {
      self.init(place: place, message: message, suggestion: "put the value in quotes")
    } else {
      self.init(place: place, message: message)
    }
  }

  /// libyaml takes the `{` of an unquoted `${` in a flow mapping for a mapping within, and complains there or soon
  /// after. The place of the `$`, if that is what happened.
  private static func unquotedExpression(at place: TextPosition, in source: SourceText) -> TextPosition? {
    for number in [place.line, place.line - 1] where source.lines.indices.contains(number - 1) {
      let line = source.lines[number - 1]
      let end = number == place.line ? min(place.column + 1, line.count) : line.count
      var quote: Unicode.Scalar?
      var flows = 0
      var found: TextPosition?
      for index in 0..<end {
        switch line[index] {
        case let mark where mark == quote: quote = nil
        case "\"" where quote == nil, "'" where quote == nil: quote = line[index]
        case "{" where quote == nil:
          if flows > 0, index > 0, line[index - 1] == "$" { found = TextPosition(line: number, column: index) }
          flows += 1
        case "[" where quote == nil: flows += 1
        case "}" where quote == nil, "]" where quote == nil: flows -= 1
        default: break
        }
      }
      if let found { return found }
    }
    return nil
  }
}

extension TextPosition {
  init(scalarOffset: Int, in text: String) {
    var place = TextPosition.start
    for scalar in text.unicodeScalars.prefix(max(0, scalarOffset)) {
      place =
        scalar == "\n"
        ? TextPosition(line: place.line + 1, column: 1) : TextPosition(line: place.line, column: place.column + 1)
    }
    self = place
  }
}
