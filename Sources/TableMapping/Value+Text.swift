internal import Expressions
internal import JSON

extension Value {
  /// What the value is as an identity, a type or the key of a group: a text as it is, a number as its decimal text,
  /// `true` and `false`; nil for null, lists and objects.
  var plainText: String? {
    switch self {
    case .null, .array, .object: return nil
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return value.description
    case .number(let value): return Self.decimal(value)
    case .string(let value): return value
    case .text(let value): return String(value)
    case .json(let view):
      switch view.kind {
      case .unsigned: return view.uint64?.description
      case .null, .array, .object: return nil
      case .bool, .integer, .double, .string: return Value(view).plainText
      }
    }
  }

  private static func decimal(_ value: Double) -> String {
    if let integer = Int64(exactly: value) { return integer.description }
    return value.description
  }

  /// The value for a message: what it is, and how it begins.
  var sample: String {
    switch kind {
    case .null: return "null"
    case .boolean: return plainText ?? "a boolean"
    case .number: return "the number \(plainText ?? "")"
    case .string:
      let text = plainText ?? ""
      return text.count > 40 ? "the text “\(text.prefix(40))…”" : "the text “\(text)”"
    case .array: return "a list"
    case .object: return "an object"
    }
  }
}
