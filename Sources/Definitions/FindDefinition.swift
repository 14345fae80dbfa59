public import Expressions

/// The searches, filters and sorts that a table offers: `find` in the configuration.
public struct FindDefinition: Sendable {
  /// A filter, whose values are those of the rows that there are.
  public struct Filter: Sendable {
    /// In URLs.
    public var id: String
    /// The title that a person reads.
    public var title: Template
    /// An expression of an item that gives its value; if it gives a list, each element is a value.
    public var value: Expression
    /// Titles of some values. These are offered first, in this order.
    public var titles: [(value: String, title: Template)]

    public init(id: String, title: Template, value: Expression, titles: [(value: String, title: Template)] = []) {
      (self.id, self.title, self.value, self.titles) = (id, title, value, titles)
    }
  }

  public struct Sort: Sendable {
    /// In URLs.
    public var id: String
    public var title: Template
    public var key: Expression
    public var isDescending: Bool
    /// As of a section's sort.
    public var locale: Template?
    public var isNatural: Bool
    /// Rows stay in their sections; else all stand in one.
    public var keepsSections: Bool

    public init(
      id: String,
      title: Template,
      key: Expression,
      isDescending: Bool = false,
      locale: Template? = nil,
      isNatural: Bool = false,
      keepsSections: Bool = true
    ) {
      (self.id, self.title, self.key, self.isDescending) = (id, title, key, isDescending)
      (self.locale, self.isNatural, self.keepsSections) = (locale, isNatural, keepsSections)
    }
  }

  /// Stands in the empty search field.
  public var prompt: Template?
  /// The texts that are searched; none: there is nothing to search.
  public var search: [Expression] = []
  public var filters: [Filter] = []
  public var sorts: [Sort] = []

  public init() {}

  /// All that is evaluated for an item.
  public var expressions: [Expression] { search + filters.map(\.value) + sorts.map(\.key) }

  /// The same where rows are found by the same.
  public var identity: String {
    let parts =
      search.map { "q \($0)" } + filters.map { "f \($0.id) \($0.value)" }
      + sorts.map { sort in
        let locale = sort.locale.map {
          "\($0.interpolations().map(\.description)) \($0.constant.map { "\($0)" } ?? "")"
        }
        return "s \(sort.id) \(sort.key) \(sort.isNatural) \(locale ?? "-")"
      }
    return parts.joined(separator: "\n")
  }

  /// The same where the menus and the orders of what is found are the same.
  public var presentation: String {
    let menus = filters.map { filter in "\(filter.title) \(filter.titles)" }
    let orders = sorts.map { sort in "\(sort.title) \(sort.isDescending) \(sort.keepsSections)" }
    return ([prompt.map { "\($0)" } ?? "-"] + menus + orders).joined(separator: "\n")
  }
}
