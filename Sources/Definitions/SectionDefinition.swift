public import Expressions

/// How the rows of a table are put into sections.
public enum SectionsDefinition: Sendable {
  /// One section; rows in the order of the source.
  case single(SectionDefinition)
  /// In this order. An item goes to the first section that takes it, or to all of them.
  case list([SectionDefinition], firstMatch: Bool)
  case groups(GroupsDefinition)

  /// A section's own source; nil where it has the table's, or there is no such section.
  public func source(of section: String) -> String? {
    if case .list(let sections, _) = self { sections.first { $0.id == section }?.source } else { nil }
  }
}

public struct SectionDefinition: Sendable {
  public var id: String
  /// Nil: the table's.
  public var source: String?
  /// The identity of this section's rows; nil: the table's. Only a section with a source of its own has one.
  public var rowID: Template?
  /// The type of this section's items; nil: the table's, unless `rowID` is set.
  public var rowType: Template?
  /// Nil: takes every item.
  public var predicate: Expression?
  public var header: CellMapping?
  public var footer: CellMapping?
  public var hideEmpty = true
  public var sort: [SortDefinition] = []
  public var limit: RowLimit?

  public init(id: String) { self.id = id }
}

public struct GroupsDefinition: Sendable {
  public var key: Expression
  /// Keys that come first, in this order.
  public var order: [String] = []
  /// How the others come; nil: as they are met.
  public var sortGroups: SortDirection?
  public var header: CellMapping?
  public var footer: CellMapping?
  public var hideEmpty = true
  public var sort: [SortDefinition] = []
  public var limit: RowLimit?

  public init(key: Expression) { self.key = key }
}
