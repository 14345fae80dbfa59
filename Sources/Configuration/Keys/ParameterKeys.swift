import Definitions
import Expressions
import Patterns

enum ParameterKeys: ObjectKeys {
  static let name = "Parameter"
  static let noun = "a parameter"

  struct Parameter: Sendable {
    var pattern = ParameterDefinition.defaultPattern
    var defaultValue: String?
    /// The template of a default that is made of the caller.
    var defaultTemplate: Template?
  }

  static let pattern = Key(
    "pattern",
    .pattern,
    "A regular expression that a value matches as a whole. Default: `\(ParameterDefinition.defaultPattern)`."
  )
  static let defaultValue = Key(
    "default",
    .parameterValue,
    "The value if an address names none; may be empty. Without it: 400. `${$caller.claims.team}`: a value of the caller."
  )

  static let keys = [pattern.description, defaultValue.description]

  static func value(of object: ObjectReader) -> Parameter? {
    var parameter = Parameter()
    object.set(&parameter.pattern, from: pattern)
    if object.node(of: defaultValue)?.scalar?.text.contains("${") ?? false {
      parameter.defaultTemplate = object.node(of: defaultValue).flatMap { node in
        object.reading.within(defaultValue.name) { object.reading.template(node) }
      }
      return parameter
    }
    parameter.defaultValue = object[defaultValue]
    if let value = parameter.defaultValue, !value.isEmpty, let pattern = try? Pattern(parameter.pattern),
      !pattern.matches(value)
    {
      object.reading.error(
        at: object.place(of: defaultValue),
        "the default \(excerpt(value)) does not match the pattern",
        "write one that matches \(parameter.pattern)"
      )
    }
    return parameter
  }
}

extension ValueReader where Value == ParameterKeys.Parameter {
  /// A mapping, or nothing: a parameter with the default pattern.
  static let parameter = ValueReader.either(
    ValueReader(.null) { _, _ in ParameterKeys.Parameter() },
    when: \.isNull,
    or: .object(ParameterKeys.self)
  )
}

extension ValueReader where Value == String {
  /// A text, which may be empty.
  static let parameterValue = ValueReader(.word("a value", examples: ["swift"])) { node, reading in
    if let scalar = node.scalar, scalar.resolved != .null { return scalar.text }
    reading.wrong(node, expected: "a value", write: "for example `swift`, or `\"\"` for an empty one")
    return nil
  }
}
