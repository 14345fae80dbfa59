package import JSON

extension JSONValue {
  package var text: String? { if case .string(let text) = self { text } else { nil } }
  package var number: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
