import Definitions

/// A list of sections with a say in how many of them an item may go to.
enum SectionListKeys: ObjectKeys {
  static let name = "SectionList"
  static let noun = "the sections"

  enum Match: String, CaseIterable, Sendable { case first, all }

  static let match = Key(
    "match",
    ValueReader<Match>.word,
    "An item goes to the `first` section that takes it (the default), or to `all`."
  )
  static let list = Key(
    required: "list",
    .list(of: .object(SectionKeys.self), noun: "the list of sections", atLeast: 1),
    example: "[{id: open, where: state == 'open'}]",
    "The sections, in this order."
  )

  static let keys = [match.description, list.description]

  static func value(of object: ObjectReader) -> SectionsDefinition? {
    let firstMatch = object[match] != .all
    return object[list].map { .list($0, firstMatch: firstMatch) }
  }
}
