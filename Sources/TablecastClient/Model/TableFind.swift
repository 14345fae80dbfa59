/// The search, filters and sorts that a table offers, for a search field and menus. Those that it does not offer are
/// absent.
public struct TableFind: Hashable, Sendable {
  public struct Sort: Hashable, Sendable, Identifiable {
    public let id: String
    public let title: String
  }

  public struct Filter: Hashable, Sendable, Identifiable {
    public let id: String
    public let title: String
    public let values: [Value]
    /// Whether there are values that were not counted.
    public let hasMore: Bool
  }

  public struct Value: Hashable, Sendable, Identifiable {
    public let value: String
    public let title: String
    /// The number of rows with this value, given the text and the other filters.
    public let count: Int
    public let isSelected: Bool

    public var id: Identity { Identity(value) }
  }

  /// The text in the empty search field; nil if the table has no text search.
  public let prompt: String?
  /// The chosen sort.
  public let sort: String?
  public let sorts: [Sort]
  public let filters: [Filter]
  /// As it came.
  let json: JSONText

  init?(_ json: JSONText) {
    guard json.isObject else { return nil }
    self.json = json
    prompt = json["prompt"]?.string
    sort = json["sort"]?.string
    sorts = (json["sorts"]?.elements ?? []).compactMap { element in
      element["id"]?.string.map { Sort(id: $0, title: element["title"]?.string ?? $0) }
    }
    filters = (json["filters"]?.elements ?? []).compactMap(Filter.init)
  }
}

extension TableFind.Filter {
  fileprivate init?(_ json: JSONText) {
    guard let id = json["id"]?.string else { return nil }
    (self.id, title, hasMore) = (id, json["title"]?.string ?? id, json["more"]?.boolean ?? false)
    values = (json["values"]?.elements ?? []).compactMap { element in
      guard let value = element["value"]?.string else { return nil }
      return TableFind.Value(
        value: value,
        title: element["title"]?.string ?? value,
        count: element["count"]?.integer ?? 0,
        isSelected: element["selected"]?.boolean ?? false
      )
    }
  }
}
