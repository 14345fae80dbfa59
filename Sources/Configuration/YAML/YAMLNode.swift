/// A value of a YAML document with the place it was written at: aliases followed, merge keys merged.
struct YAMLNode: Sendable {
  var content: Content
  var place: TextPosition

  enum Content: Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
  }
}

struct YAMLEntry: Sendable {
  var key: Located<String>
  var value: YAMLNode
}

/// Text as it came out of quotes, escapes and folding.
struct YAMLScalar: Sendable {
  var text: String
  /// Written without quotes and not as a block: only then may it be a number, a boolean or null.
  var isPlain: Bool
  /// The place of the text itself, if it stands in the file as it is, character for character: then a place in the text
  /// is a place in the file.
  var verbatimStart: TextPosition?
  /// A comment follows that may have been meant as text: `${a} #${b}`.
  var isCut = false
}

extension YAMLNode {
  var scalar: YAMLScalar? {
    if case .scalar(let scalar) = content { scalar } else { nil }
  }

  var entries: [YAMLEntry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  var elements: [YAMLNode]? {
    if case .sequence(let elements) = content { elements } else { nil }
  }

  /// The value of a mapping's entry.
  func value(of key: String) -> YAMLNode? { entries?.first { $0.key.value == key }?.value }

  /// Nothing written, or `null`.
  var isNull: Bool {
    scalar.map { $0.resolved == .null } ?? false
  }

  /// The value in words, for a person.
  var seen: String {
    switch content {
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: "nothing"
      case .boolean(let value): "the boolean \(value)"
      case .integer, .unsigned, .number: "the number \(scalar.text)"
      case .string: "the text \(excerpt(scalar.text))"
      }
    }
  }
}

/// Text in quotes, shortened to what fits a message.
func excerpt(_ text: String) -> String {
  let line = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
  let short = line.count > 40 ? line.prefix(40) + "…" : line.count < text.count ? line + "…" : line
  return "'\(short)'"
}
