internal import Expressions

extension Value {
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
