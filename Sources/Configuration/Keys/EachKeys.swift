import Definitions
import Expressions

enum EachKeys: ObjectKeys {
  static let name = "Each"
  static let noun = "the fan-out"

  static let url = Key(
    required: "url",
    .urlTemplate,
    example: "\"https://api.example.com/items/${$item}\"",
    "An item's URL; `$item` is its id."
  )
  static let concurrency = Key("concurrency", .integer(1...256), "Requests at once. Default: 8.")
  static let limit = Key("limit", .integer(1...1_000_000), "At most so many items, the first ones. Default: 500.")

  static let keys = [url.description, concurrency.description, limit.description]

  static func value(of object: ObjectReader) -> FanOutDefinition? {
    var fanOut = object[url].map { FanOutDefinition(url: $0) }
    let (atOnce, most) = (object[concurrency], object[limit])
    if let atOnce { fanOut?.concurrency = atOnce }
    if let most { fanOut?.limit = most }
    return fanOut
  }
}
