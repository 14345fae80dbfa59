extension JSONWriter {
  public mutating func write(_ value: JSONValue) {
    switch value {
    case .null: writeNull()
    case .bool(let value): write(value)
    case .integer(let value): write(value)
    case .unsigned(let value): write(value)
    case .double(let value): write(value)
    case .string(let value): write(value)
    case .array(let elements):
      beginArray()
      for element in elements { write(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        name(member.name)
        write(member.value)
      }
      endObject()
    }
  }

  /// A value of a document, minified. Recursion is bounded by the depth that the document was allowed.
  public mutating func write(_ view: JSONView) {
    switch view.kind {
    case .null: writeNull()
    case .bool: write(view.bool ?? false)
    case .integer: write(view.int64 ?? 0)
    case .unsigned: write(view.uint64 ?? 0)
    case .double: write(view.double ?? 0)
    case .string: if let string = view.string { write(string) }
    case .array:
      beginArray()
      for element in view.elements { write(element) }
      endArray()
    case .object:
      beginObject()
      for member in view.members {
        name(member.name)
        write(member.value)
      }
      endObject()
    }
  }
}
