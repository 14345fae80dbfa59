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

/// Sections that the items themselves make.
enum GroupKeys: ObjectKeys {
  static let name = "Groups"
  static let noun = "the groups"

  static let groupBy = Key(
    required: "groupBy",
    .expression,
    example: "department",
    "The group of an item; each group is a section."
  )
  static let order = Key(
    "order",
    .list(of: .plainText("a group's key", example: "Design"), noun: "the order of groups"),
    "Groups that come first, in this order."
  )
  static let sortGroups: Key<SortDirection> = Key("sortGroups", .word, "How the others come. Default: as they are met.")
  static let header = SectionKeys.header
  static let footer = SectionKeys.footer
  static let hideEmpty = Key(
    "hideEmpty",
    .boolean,
    "Groups named in `order` are left out while they have no rows. Default: true."
  )
  static let sort = SectionKeys.sort
  static let limit = SectionKeys.limit

  static let keys = [
    groupBy.description, order.description, sortGroups.description, header.description, footer.description,
    hideEmpty.description, sort.description, limit.description,
  ]

  static func value(of object: ObjectReader) -> GroupsDefinition? {
    let key = object[groupBy]
    guard var groups = key.map(GroupsDefinition.init(key:)) ?? placeholder else { return nil }
    groups.order = object[order] ?? []
    groups.sortGroups = object[sortGroups]
    groups.header = object[header]
    groups.footer = object[footer]
    object.set(&groups.hideEmpty, from: hideEmpty)
    groups.sort = object[sort] ?? []
    groups.limit = object[limit]
    return key == nil ? nil : groups
  }

  /// So that the other keys are read where `groupBy` is wrong.
  private static var placeholder: GroupsDefinition? {
    (try? Expression("null")).map(GroupsDefinition.init(key:))
  }
}

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

extension ValueReader where Value == SectionsDefinition {
  private static let list = ValueReader<[SectionDefinition]>.list(
    of: .object(SectionKeys.self),
    noun: "the list of sections",
    atLeast: 1
  )

  /// A list, a list with `match`, or groups.
  static let sections = ValueReader(
    .anyOf([list.schema, .object(GroupKeys.self), .object(SectionListKeys.self)])
  ) { node, reading in
    let names = Set(node.entries?.map(\.key.value) ?? [])
    let sections: SectionsDefinition?
    if names.contains(GroupKeys.groupBy.name) || node.elements == nil && names.isDisjoint(with: ["list", "match"]) {
      sections = ValueReader<GroupsDefinition>.object(GroupKeys.self).read(node, reading).map(SectionsDefinition.groups)
    } else if node.elements == nil {
      sections = ValueReader.object(SectionListKeys.self).read(node, reading)
    } else {
      sections = list.read(node, reading).map { .list($0, firstMatch: true) }
    }
    reportRepeatedIdentities(in: node, reading)
    return sections
  }

  private static func reportRepeatedIdentities(in node: YAMLNode, _ reading: Reading) {
    let elements = node.elements ?? node.entries?.first { $0.key.value == "list" }?.value.elements ?? []
    var first: [String: Place] = [:]
    for entry in elements.compactMap({ $0.entries?.first { $0.key.value == SectionKeys.id.name } }) {
      guard let text = entry.value.scalar?.text else { continue }
      if let earlier = first[text] {
        reading.error(
          at: entry.value.place,
          "two sections have the id \(excerpt(text)); the first is in line \(earlier.line)",
          "give this one another"
        )
      } else {
        first[text] = entry.value.place
      }
    }
  }
}

enum SortKeys: ObjectKeys {
  static let name = "Sort"
  static let noun = "a sort"

  static let by = Key(required: "by", .expression, example: "name", "What the order is made by.")
  static let order = Key("order", ValueReader<SortDirection>.word, "`ascending` (the default) or `descending`.")

  static let keys = [by.description, order.description]

  static func value(of object: ObjectReader) -> SortDefinition? {
    let direction = object[order] ?? .ascending
    return object[by].map { SortDefinition(key: $0, direction: direction) }
  }
}

extension ValueReader where Value == [SortDefinition] {
  private static let one = ValueReader<SortDefinition>.either(
    ValueReader<Expression>.expression.map { SortDefinition(key: $0) },
    when: { $0.entries == nil },
    or: .object(SortKeys.self)
  )
  private static let several = ValueReader.list(of: one, noun: "the sort", atLeast: 1)

  /// `name`, `{by: updated, order: descending}`, or a list of these: the first that differs decides.
  static let sort = ValueReader.either(one.map { [$0] }, when: { $0.elements == nil }, or: several)
}

extension SectionsDefinition {
  /// The sources that sections name for themselves.
  var sources: [String] {
    switch self {
    case .single(let section): [section.source].compactMap(\.self)
    case .list(let sections, firstMatch: _): sections.compactMap(\.source)
    case .groups: []
    }
  }
}
