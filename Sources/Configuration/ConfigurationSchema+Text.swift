internal import JSON

extension ConfigurationSchema {
  /// The schema as `config/schema.json` has it: indented by two spaces, ends with a line break.
  public static var text: String {
    var text = ""
    append(json, to: &text, indentation: "")
    return text + "\n"
  }

  private static func append(_ value: JSONValue, to text: inout String, indentation: String) {
    let inner = indentation + "  "
    switch value {
    case .object(let members) where !members.isEmpty:
      text += "{\n"
      for (index, member) in members.enumerated() {
        text += inner + scalar(.string(member.name)) + ": "
        append(member.value, to: &text, indentation: inner)
        text += index + 1 < members.count ? ",\n" : "\n"
      }
      text += indentation + "}"
    case .array(let elements) where !elements.isEmpty:
      let isFlat = elements.allSatisfy { if case .string = $0 { true } else { false } }
      if isFlat {
        text += "[" + elements.map(scalar).joined(separator: ", ") + "]"
        return
      }
      text += "[\n"
      for (index, element) in elements.enumerated() {
        text += inner
        append(element, to: &text, indentation: inner)
        text += index + 1 < elements.count ? ",\n" : "\n"
      }
      text += indentation + "]"
    case .object, .array, .null, .bool, .integer, .unsigned, .double, .string: text += scalar(value)
    }
  }

  private static func scalar(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }
}
