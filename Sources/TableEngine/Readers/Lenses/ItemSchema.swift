package import Definitions
import JSON
import TableEncoding

/// The description of the items that clients may write: the JSON Schema (2020-12) of `local.fields`.
package struct ItemSchema: Sendable {
  package let bytes: [UInt8]

  package init(_ fields: ItemFields) {
    var writer = JSONWriter(capacity: 512)
    writer.write(group: fields.root, isOutermost: true)
    bytes = writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func write(group: ItemFields.Group, isOutermost: Bool = false) {
    beginObject()
    if isOutermost {
      name("$schema")
      write("https://json-schema.org/draft/2020-12/schema")
    }
    name("type")
    if group.isOptional {
      write(list: ["object", "null"]) { $0.write($1) }
    } else {
      write("object")
    }
    name("properties")
    beginObject()
    for member in group.members {
      name(member.name)
      switch member.kind {
      case .field(let field): write(item: field.type, isOptional: field.isOptional)
      case .group(let group): write(group: group)
      }
    }
    endObject()
    name("required")
    write(list: group.members.filter(\.isRequired)) { $0.write($1.name) }
    if !group.isOpen {
      name("additionalProperties")
      write(false)
    }
    endObject()
  }

  private mutating func write(item type: FieldType, isOptional: Bool) {
    switch type {
    case .date:
      beginObject()
      name("type")
      write(text: isOptional)
      name("anyOf")
      beginArray()
      for format in ["date", "date-time"] {
        beginObject()
        name("format")
        write(format)
        endObject()
      }
      // A format says nothing of what is no text.
      endArray()
      endObject()
    case .url:
      beginObject()
      name("type")
      write(text: isOptional)
      name("format")
      write("uri-reference")
      name("pattern")
      write("^(/|[Hh][Tt][Tt][Pp][Ss]?:|[Mm][Aa][Ii][Ll][Tt][Oo]:|[Tt][Ee][Ll]:)")
      endObject()
    case .list(let element):
      beginObject()
      name("type")
      if isOptional { write(list: ["array", "null"]) { $0.write($1) } } else { write("array") }
      name("items")
      write(item: element, isOptional: false)
      endObject()
    case .string, .number, .integer, .boolean, .object, .any, .oneOf: write(schema: type, isOptional: isOptional)
    }
  }

  private mutating func write(text isOptional: Bool) {
    if isOptional { write(list: ["string", "null"]) { $0.write($1) } } else { write("string") }
  }
}

extension ItemFields.Member {
  /// An item without it can't be added.
  fileprivate var isRequired: Bool {
    switch kind {
    case .field(let field): !field.isOptional
    case .group(let group): !group.isOptional && group.members.contains(where: \.isRequired)
    }
  }
}
