import Definitions
import JSON

enum LocalKeys: ObjectKeys {
  static let name = "Local"
  static let noun = "a local source"

  static let items = Key(
    "items",
    .list(of: .item, noun: "the list of items"),
    "What the table starts with: JSON objects."
  )
  static let defaultItem = Key(
    "default",
    .item,
    "What an added `{}` becomes; an added item gets its members from here where it lacks them."
  )

  static let keys = [items.description, defaultItem.description]

  static func value(of object: ObjectReader) -> LocalDefinition? {
    var local = LocalDefinition()
    object.set(&local.items, from: items)
    object.set(&local.defaultItem, from: defaultItem)
    return local
  }
}
