import Definitions

enum StoreKeys: ObjectKeys {
  static let name = "Store"
  static let noun = "the store"

  static let path = Key(
    required: "path",
    .text("a file's path", example: "data/tablecast.sqlite"),
    example: "data/tablecast.sqlite",
    "The SQLite file; made with its folder if it isn't there. Default: `data/tablecast.sqlite`."
  )

  static let keys = [path.description]

  static func value(of object: ObjectReader) -> StoreDefinition? {
    object[path].map(StoreDefinition.sqlite(path:))
  }
}
