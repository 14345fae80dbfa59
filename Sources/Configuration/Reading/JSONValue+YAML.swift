import JSON

extension JSONValue {
  /// The JSON value that YAML means by YAML 1.2's core schema.
  init(_ node: YAMLNode) {
    switch node.content {
    case .mapping(let entries):
      self = .object(entries.map { Member(name: $0.key.value, value: JSONValue($0.value)) })
    case .sequence(let elements): self = .array(elements.map { JSONValue($0) })
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: self = .null
      case .boolean(let value): self = .bool(value)
      case .integer(let value): self = .integer(Int64(value))
      case .unsigned(let value): self = .unsigned(value)
      case .number(let value): self = .double(value)
      case .string: self = .string(scalar.text)
      }
    }
  }
}
