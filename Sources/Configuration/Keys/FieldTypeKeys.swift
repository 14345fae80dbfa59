import Definitions
import FieldValues

/// A field's type as it is written beside its name.
struct DeclaredField: Sendable {
  var type: FieldType
  var isOptional = false

  /// A field whose type is wrong is there all the same: its payloads are not wrong for it.
  static let unknown = DeclaredField(type: .any, isOptional: true)
}

extension ValueReader where Value == DeclaredField {
  private static let words: [(name: String, type: FieldType)] = [
    ("string", .string), ("number", .number), ("integer", .integer), ("boolean", .boolean), ("url", .url),
    ("date", .date), ("object", .object), ("any", .any),
  ]

  private static let schema = SchemaNode.anyOf([
    .text(
      description: "a field's type",
      pattern: "^(optional )?(list of )*(\(words.map(\.name).joined(separator: "|")))$",
      examples: words.map(\.name) + ["optional string", "list of string"]
    ),
    .object(ChoiceKeys.self),
  ])

  /// `string`, `optional list of url`, `{oneOf: [a, b]}`.
  static let field = ValueReader(schema) { node, reading in
    if node.entries != nil { return ValueReader<DeclaredField>.object(ChoiceKeys.self).read(node, reading) }
    guard let text = node.scalar?.text, !node.isNull else {
      reading.wrong(node, expected: "a field's type", write: "for example `string` or `optional url`")
      return .unknown
    }
    var words = text.split(separator: " ").map(String.init)
    var field = DeclaredField(type: .any)
    if words.first == "optional" {
      field.isOptional = true
      words.removeFirst()
    }
    var lists = 0
    while words.count > 2, words[0] == "list", words[1] == "of" {
      lists += 1
      words.removeFirst(2)
    }
    guard words.count == 1, let type = Self.words.first(where: { $0.name == words[0] })?.type else {
      if text.hasSuffix("?"), Self.words.contains(where: { $0.name == (words.last ?? "").dropLast() }) {
        reading.error(at: node.place, "\(excerpt(text)) is no type", "write `optional \(text.dropLast())`")
        return .unknown
      }
      let near = Nearest.name(to: words.last ?? "", among: Self.words.map(\.name) + ["optional"])
      reading.error(
        at: node.place,
        "\(excerpt(text)) is no type",
        near.map { "did you mean '\($0)'?" }
          ?? "write \(alternatives(Self.words.map(\.name))), `list of string`, or `optional` before one"
      )
      return .unknown
    }
    field.type = (0..<lists).reduce(type) { type, _ in .list(type) }
    return field
  }
}

/// `{oneOf: [a, b]}`.
enum ChoiceKeys: ObjectKeys {
  static let name = "Choice"
  static let noun = "a field's type"

  private static let words = ValueReader<[String]>.list(
    ofDifferent: .plainText("a word", example: "open"),
    noun: "the list of words",
    atLeast: 1
  )
  static let oneOf = Key("oneOf", words, "The texts that the field may be.")
  static let optionalOneOf = Key("optional oneOf", words, "The texts that the field may be, or null.")

  static let keys = [oneOf.description, optionalOneOf.description]

  static func value(of object: ObjectReader) -> DeclaredField? {
    let (required, optional) = (object[oneOf], object[optionalOneOf])
    if let words = required ?? optional { return DeclaredField(type: .oneOf(words), isOptional: required == nil) }
    if !object.has(oneOf), !object.has(optionalOneOf) {
      object.reading.error(at: object.place, "this is no type", "write a type's name, or `{oneOf: [a, b]}`")
    }
    return .unknown
  }
}

extension FieldType {
  /// For messages: `a string`.
  var noun: String {
    switch self {
    case .string: "a string"
    case .number: "a number"
    case .integer: "an integer"
    case .boolean: "a boolean"
    case .url: "a URL"
    case .date: "a date"
    case .object: "an object"
    case .any: "anything"
    case .list(let element): "a list of \(element.plural)"
    case .oneOf(let words): "one of \(alternatives(words))"
    }
  }

  private var plural: String {
    switch self {
    case .string: "strings"
    case .number: "numbers"
    case .integer: "integers"
    case .boolean: "booleans"
    case .url: "URLs"
    case .date: "dates"
    case .object: "objects"
    case .any: "anything"
    case .list: "lists"
    case .oneOf(let words): alternatives(words)
    }
  }
}
