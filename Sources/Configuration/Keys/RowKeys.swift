import Definitions
import Expressions

enum RowKeys: ObjectKeys {
  static let name = "Row"
  static let noun = "the row"

  static let id = Key(
    "id",
    .identity,
    "Unique in the table; numbers become their decimal text. Required unless the source is local."
  )
  static let type = Key("type", .textTemplate, "The item's type: picks the representation.")

  static let keys = [id.description, type.description]

  static func value(of object: ObjectReader) -> (id: Template?, type: Template?)? {
    if let node = object.node(of: type) {
      object.reading.rowTypes.append((object.reading.path.dropFirst().first ?? "", node))
    }
    return (object[id], object[type])
  }
}

extension ValueReader where Value == Template {
  /// A row's identity: the same text in every row would be of no use.
  static let identity = ValueReader(Self.textTemplate.schema) { node, reading in
    if let text = node.scalar?.text, text.contains("{{"), !text.contains("${") {
      let name = text.replacing("{{", with: "").replacing("}}", with: "").filter { !$0.isWhitespace }
      reading.error(
        at: node.place,
        "\(excerpt(text)) is another language's template: every row would have the same identity",
        "write `id: \"${\(name)}\"`"
      )
      return nil
    }
    if let text = node.scalar?.text, !text.contains("${"), !node.isNull {
      reading.error(
        at: node.place,
        "every row would have the same identity \(excerpt(text))",
        "write `id: \"${\(text)}\"`"
      )
      return nil
    }
    return Self.textTemplate.read(node, reading)
  }
}
