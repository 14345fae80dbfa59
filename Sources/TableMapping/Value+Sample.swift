internal import Expressions

extension Value {
  /// The value for a message: what it is, and how it begins.
  var sample: String {
    switch kind {
    case .null: return "null"
    case .boolean: return text ?? "a boolean"
    case .number: return "the number \(text ?? "")"
    case .string:
      let text = self.text ?? ""
      return text.count > 40 ? "the text “\(text.prefix(40))…”" : "the text “\(text)”"
    case .array: return "a list"
    case .object: return "an object"
    }
  }
}
