import Definitions
import Expressions

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
  static let sortGroups: Key<SortDirection> = Key(
    "sortGroups",
    .word,
    "The order of the other groups. Default: as they are met."
  )
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
    if let node = object.node(of: groupBy), let table = object.reading.path.dropFirst().first {
      object.reading.groupings[table] = node.place
    }
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
