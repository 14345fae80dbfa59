public import TableModel

/// The searches, filters and sorts that a table offers, in words: of one language, and one member of a family.
public struct FindOffer: Equatable, Sendable {
  public struct Filter: Equatable, Sendable {
    public var id: String
    public var title: String
    /// In the order of the configuration.
    public var titles: [(value: [UInt8], title: String)]

    public init(id: String, title: String, titles: [(value: [UInt8], title: String)]) {
      (self.id, self.title, self.titles) = (id, title, titles)
    }

    public static func == (first: Filter, second: Filter) -> Bool {
      first.id == second.id && first.title == second.title && first.titles.elementsEqual(second.titles, by: ==)
    }
  }

  public var schema: FindSchema
  public var prompt: String?
  public var filters: [Filter]
  public var sorts: [FindMenu.Sort]

  public init(_ schema: FindSchema, prompt: String?, filters: [Filter], sorts: [FindMenu.Sort]) {
    (self.schema, self.prompt, self.filters, self.sorts) = (schema, prompt, filters, sorts)
  }
}

extension FoundTable {
  /// At most so many values of a filter are told, and the chosen ones.
  static let maximumValues = 100

  /// Returns the state of a client's search field and menus. O(rows with the words) where counts are not known yet.
  public func menu(_ offer: FindOffer) -> FindMenu {
    let (counts, hasMore) = counts(always: offer.filters.map { $0.titles.map(\.value) })
    let filters = offer.filters.enumerated().map { number, filter in
      let found = counts.counts[number]
      let chosen = Set(matching.chosen[number])
      let configured = Set(filter.titles.map(\.value))
      let others = Set(found.keys).union(chosen).subtracting(configured).sorted { first, second in
        let (one, other) = (found[first] ?? 0, found[second] ?? 0)
        return one == other ? first.lexicographicallyPrecedes(second) : one > other
      }
      let all = filter.titles + others.map { ($0, String(decoding: $0, as: UTF8.self)) }
      var values: [FindMenu.Value] = []
      var hasOthers = false
      for (place, (value, title)) in all.enumerated() {
        guard place < Self.maximumValues || chosen.contains(value) else {
          hasOthers = true
          continue
        }
        let isSelected = chosen.contains(value)
        values.append(FindMenu.Value(value: value, title: title, count: found[value] ?? 0, isSelected: isSelected))
      }
      return FindMenu.Filter(id: filter.id, title: filter.title, values: values, hasMore: hasMore[number] || hasOthers)
    }
    return FindMenu(
      prompt: offer.prompt,
      sort: search.sort.map { String(decoding: $0, as: UTF8.self) },
      sorts: offer.sorts,
      filters: filters
    )
  }
}
