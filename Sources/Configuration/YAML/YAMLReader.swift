import Yams

/// YAML text → nodes with places.
///
/// Yams stops at a mapping that has a key twice. So that this does not hide the mistakes behind it, the first of the two
/// keys gets its first character exchanged for one of Unicode's private ones (columns stay), and the text is read
/// again: every repeated key is found, and all else is still checked. Likewise with JSON's surrogate pairs
/// (``SurrogatePairs``), at which libyaml stops.
struct YAMLReader {
  /// Bytes of text: more is refused before it is parsed.
  static let maximumBytes = 4 << 20
  /// Nodes after aliases are followed: bounds what a nest of aliases can grow to.
  static let maximumNodes = 200_000
  static let maximumDepth = 64
  /// How often surrogate pairs are joined: in JSON mostly once for all.
  static let maximumJoins = 1000

  /// In place of a repeated key's first character: U+E000, U+E001 …
  static let marks: ClosedRange<UInt32> = 0xE000...0xEFFF
  /// In place of asterisks, where aliases are looked for.
  private static let asterisk: Unicode.Scalar = "\u{F000}"

  var text: String
  var source: SourceText
  var problems: [YAMLProblem] = []
  /// The first characters that the exchanged keys had.
  private var repeated: [Unicode.Scalar: Unicode.Scalar] = [:]
  private var joins = 0

  init(text: String) {
    self.text = text
    source = SourceText(text)
  }

  /// The document's root; nil where there is none, or nothing of it can be read (`problems` says why).
  mutating func read() -> YAMLNode? {
    guard text.utf8.count <= Self.maximumBytes else {
      problems.append(
        YAMLProblem(
          place: .start,
          message: "the file has \(text.utf8.count) bytes",
          suggestion: "at most \(Self.maximumBytes) are read"
        )
      )
      return nil
    }
    while true {
      do {
        if let place = try aliasInKey() {
          problems.append(
            YAMLProblem(place: place, message: "an alias can't be a key", suggestion: "write the key itself")
          )
          return nil
        }
        guard let root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() else { return nil }
        var composer = YAMLComposer(source: source, repeated: repeated)
        let node = composer.compose(root)
        problems += composer.problems
        return node
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        if exchangeKey(at: TextPosition(context.mark)) { continue }
        problems.append(
          YAMLProblem(
            place: TextPosition(context.mark),
            message: "the key \(excerpt(keys.first ?? "")) stands twice in this mapping",
            suggestion: "keep one of them"
          )
        )
        return nil
      } catch let error as YamlError {
        if case .scanner(_, YAMLProblem.noCharacter, let mark, _) = error, joinPairs(at: TextPosition(mark)) {
          continue
        }
        problems.append(YAMLProblem(error, in: source))
        return nil
      } catch {
        problems.append(YAMLProblem(place: .start, message: "the YAML can't be read: \(error)"))
        return nil
      }
    }
  }

  /// Makes a repeated key another one. False where nothing came of it.
  private mutating func exchangeKey(at place: TextPosition) -> Bool {
    var lines = text.unicodeScalarLines
    guard
      lines.indices.contains(place.line - 1), lines[place.line - 1].indices.contains(place.column - 1),
      repeated.count < Self.marks.count, let mark = Unicode.Scalar(Self.marks.lowerBound + UInt32(repeated.count))
    else { return false }
    var index = place.column - 1
    let line = lines[place.line - 1]
    if line[index] == "\"" || line[index] == "'", line.indices.contains(index + 1) { index += 1 }
    guard repeated[line[index]] == nil else { return false }
    repeated[mark] = line[index]
    lines[place.line - 1][index] = mark
    text = lines.joinedText
    return true
  }

  /// Joins the surrogate pair whose first digits stand there, and those after it. False where none does.
  private mutating func joinPairs(at place: TextPosition) -> Bool {
    let lines = text.unicodeScalarLines
    guard joins < Self.maximumJoins, lines.indices.contains(place.line - 1) else { return false }
    let start = lines[..<(place.line - 1)].reduce(0) { $0 + $1.count } + place.column - 1 - "\\u".count
    guard let joined = SurrogatePairs.joined(lines.flatMap(\.self), from: start) else { return false }
    joins += 1
    text = String(String.UnicodeScalarView(joined))
    return true
  }

  /// The place of an alias that is a key, or a part of one.
  ///
  /// Yams hashes keys through aliases: one that names a nest of aliases would not end. So the text is read without any
  /// first, each asterisk exchanged for a character that makes a plain text of an alias.
  private func aliasInKey() throws -> TextPosition? {
    guard text.unicodeScalars.contains("*") else { return nil }
    let plain = text.unicodeScalars.map { $0 == "*" ? Self.asterisk : $0 }
    let plainText = String(String.UnicodeScalarView(plain))
    return try Parser(yaml: plainText, resolver: .basic, encoding: .utf8).singleRoot().flatMap { alias(in: $0) }
  }

  /// - Parameter isKey: the node is a key, or a part of one.
  private func alias(in node: Node, isKey: Bool = false) -> TextPosition? {
    switch node {
    case .scalar(let scalar):
      // No text without quotes begins with an asterisk.
      if isKey, let place = scalar.mark.map(TextPosition.init), source.stands("*", at: place) { return place }
    case .sequence(let elements):
      for element in elements {
        if let place = alias(in: element, isKey: isKey) { return place }
      }
    case .mapping(let mapping):
      for (key, value) in mapping {
        if let place = alias(in: key, isKey: true) ?? alias(in: value, isKey: isKey) { return place }
      }
    case .alias: break
    }
    return nil
  }
}

extension TextPosition {
  init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}

extension String {
  /// Lines with their ends, so that joining them gives the text again; by scalars, as columns count.
  fileprivate var unicodeScalarLines: [[Unicode.Scalar]] {
    var lines: [[Unicode.Scalar]] = [[]]
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      if previous == "\n" || previous == "\r" && scalar != "\n" { lines.append([]) }
      lines[lines.count - 1].append(scalar)
      previous = scalar
    }
    return lines
  }
}

extension [[Unicode.Scalar]] {
  fileprivate var joinedText: String {
    var text = String.UnicodeScalarView()
    for line in self { text.append(contentsOf: line) }
    return String(text)
  }
}
