public import JSON

extension Value {
  /// Writes JSON of the same type.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.writeNull()
    case .bool(let value): writer.write(value)
    case .integer(let value): writer.write(value)
    case .unsigned(let value): writer.write(value)
    case .number(let value): writer.write(value)
    case .string(let value): writer.write(value)
    case .text(let value): writer.write(value)
    case .json(let view): writer.write(view)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.name(member.name)
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// Appends what stands in a text for this value: nothing for null, JSON for arrays and objects.
  func append(to text: inout String) {
    switch self {
    case .null: break
    case .bool, .integer, .unsigned, .number, .string, .text: text += self.text ?? ""
    case .json, .array, .object: text += json
    }
  }

  /// Minified JSON text.
  public var json: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONValue {
  /// A copy, which outlives the documents that the value's views are on.
  public init(_ value: Expressions.Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .number(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .text(let value): self = .string(String(value))
    case .json(let view): self = JSONValue(view)
    case .array(let elements): self = .array(elements.map { JSONValue($0) })
    case .object(let members):
      self = .object(members.map { JSONValue.Member(name: $0.name, value: JSONValue($0.value)) })
    }
  }
}
