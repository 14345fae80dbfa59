import JSON

extension JSONValue {
  /// The kind of the value, for an error message.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .unsigned, .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
