import Expressions

enum LookupKeys: ObjectKeys {
  static let name = "Lookup"
  static let noun = "a lookup"

  struct Lookup: Sendable {
    var source: String
    var key: Expression
    var on: Expression
  }

  static let source = Key(required: "source", .sourceName, example: "users", "The source that the items are of.")
  static let key = Key(required: "key", .expression, example: "id", "The value that identifies an item of that source.")
  static let on = Key(
    required: "on",
    .expression,
    example: "assignee_id",
    "The key in an item of the table. For a list of keys: the list of the existing items, in that order."
  )

  static let keys = [source.description, key.description, on.description]

  static func value(of object: ObjectReader) -> Lookup? {
    let (source, key, on) = (object[source], object[key], object[on])
    guard let source, let key, let on else { return nil }
    return Lookup(source: source.value, key: key, on: on)
  }
}
