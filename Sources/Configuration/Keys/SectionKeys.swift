import Definitions
import Expressions

enum SectionKeys: ObjectKeys {
  static let name = "Section"
  static let noun = "a section"

  static let id = Key(
    required: "id",
    .plainText("an identity", example: "open"),
    example: "open",
    "Unique in the table."
  )
  static let source = Key("source", .sourceName, "Another source than the table's.")
  static let `where` = Key("where", .expression, "Which items it takes. Default: every one.")
  static let header = Key("header", .object(CellMappingKeys.self), "The cell above the rows.")
  static let footer = Key("footer", .object(CellMappingKeys.self), "The cell below the rows.")
  static let hideEmpty = Key("hideEmpty", .boolean, "Left out while it has no rows. Default: true.")
  static let sort = Key("sort", .sort, "The order of the rows. Default: the source's.")
  static let limit = Key("limit", .integer(1...100_000_000), "At most so many rows, the first ones.")

  static let keys = [
    id.description, source.description, `where`.description, header.description, footer.description,
    hideEmpty.description, sort.description, limit.description,
  ]

  static func value(of object: ObjectReader) -> SectionDefinition? {
    let identity = object[id]
    var section = SectionDefinition(id: identity ?? "")
    section.source = object[source]?.value
    section.predicate = object[`where`]
    section.header = object[header]
    section.footer = object[footer]
    object.set(&section.hideEmpty, from: hideEmpty)
    section.sort = object[sort] ?? []
    section.limit = object[limit]
    return identity == nil ? nil : section
  }
}
