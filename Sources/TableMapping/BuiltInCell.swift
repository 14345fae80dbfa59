internal import Definitions
internal import Expressions
internal import JSON

/// The cell that exists where a configuration declares none: a label.
enum BuiltInCell {
  static let definition = CellDefinition(
    identifier: "TableViewCellWithLabel",
    registration: .nib("TableViewCellWithLabel"),
    fields: [CellDefinition.Field(name: "title", type: .string)]
  )

  /// The title is the first of `title`, `name` and `id` that is a text or a number, else the item's JSON text.
  static func title(of item: Value, json: () -> String) -> Value {
    if case .json(let view) = item {
      for name in ["title", "name", "id"] {
        guard let member = view[name], !member.isNull, let text = Value(member).text else { continue }
        return .string(text)
      }
      return .string(json())
    }
    return .string(item.text ?? json())
  }
}
