import Definitions
import Expressions
import JSON

enum EachKeys: ObjectKeys {
  static let name = "Each"
  static let noun = "the fan-out"

  private static let standard = FanOutDefinition(url: Template(constant: .null))

  static let url = Key(
    required: "url",
    .urlTemplate,
    secrecy: .request,
    example: "\"https://api.example.com/items/${$item}\"",
    "An item's URL; `$item` is the list's element, an id or an object."
  )
  static let answerName = Key(
    "as",
    .plainText("a member's name", example: "detail"),
    "The member under which the answer stands; the item keeps the members of the list's element (one that is no object "
      + "stands under `item`). Default: the answer is the item."
  )
  static let concurrency = Key(
    "concurrency",
    .integer(1...256),
    "Requests at once. Default: \(standard.concurrency)."
  )
  static let limit = Key(
    "limit",
    .integer(1...1_000_000),
    "At most so many items, the first ones. Default: \(standard.limit)."
  )

  static let keys = [url.description, answerName.description, concurrency.description, limit.description]

  static func value(of object: ObjectReader) -> FanOutDefinition? {
    var fanOut = object[url].map { FanOutDefinition(url: $0) }
    let (atOnce, most) = (object[concurrency], object[limit])
    if object.has(answerName) { fanOut?.name = object[answerName] }
    if let atOnce { fanOut?.concurrency = atOnce }
    if let most { fanOut?.limit = most }
    return fanOut
  }
}
