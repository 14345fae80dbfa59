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
  static let row = Key(
    "row",
    .object(RowKeys.self),
    "The identity and the type of its rows, where it has a source of its own. Default: the table's."
  )
  static let `where` = Key("where", .expression, "Which items it takes. Default: every one.")
  static let header = Key("header", .object(CellMappingKeys.self), "The cell above the rows.")
  static let footer = Key("footer", .object(CellMappingKeys.self), "The cell below the rows.")
  static let hideEmpty = Key("hideEmpty", .boolean, "Left out while it has no rows. Default: true.")
  static let sort = Key("sort", .sort, "The order of the rows. Default: the source's.")
  static let limit = Key(
    "limit",
    .rowLimit,
    "At most so many rows, the first ones: a number, or an expression of `$params`."
  )

  static let keys = [
    id.description, source.description, row.description, `where`.description, header.description,
    footer.description, hideEmpty.description, sort.description, limit.description,
  ]

  static func value(of object: ObjectReader) -> SectionDefinition? {
    let identity = object[id]
    var section = SectionDefinition(id: identity ?? "")
    section.source = object[source]?.value
    if let row = object[row] { (section.rowID, section.rowType) = (row.id, row.type) }
    if object.has(row), !object.has(source) {
      object.reading.error(
        at: object.place(of: row),
        "a section with a 'row' of its own, and the table's source",
        "name another `source`, or leave 'row' to the table"
      )
    }
    section.predicate = object[`where`]
    section.header = object[header]
    section.footer = object[footer]
    object.set(&section.hideEmpty, from: hideEmpty)
    section.sort = object[sort] ?? []
    section.limit = object[limit]
    return identity == nil ? nil : section
  }
}
