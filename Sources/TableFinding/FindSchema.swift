/// What a table offers to be found by, as far as rows are concerned: which filters and sorts there are, in their order.
public struct FindSchema: Equatable, Sendable {
  public struct Sort: Equatable, Sendable {
    public var id: String
    public var isDescending: Bool
    /// Rows stay in their sections; else all stand in one.
    public var keepsSections: Bool

    public init(id: String, isDescending: Bool = false, keepsSections: Bool = true) {
      (self.id, self.isDescending, self.keepsSections) = (id, isDescending, keepsSections)
    }
  }

  /// Names what the rows' records were made by: those that were made by anything else are found by nothing.
  public var mark: UInt64
  /// There are texts that are searched.
  public var isSearched: Bool
  public var filters: [String]
  public var sorts: [Sort]

  /// - Parameter definition: the same where rows are found by the same, in every process.
  public init(definition: String, isSearched: Bool, filters: [String], sorts: [Sort]) {
    // FNV-1a: nobody gains by two that agree.
    mark = definition.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    (self.isSearched, self.filters, self.sorts) = (isSearched, filters, sorts)
  }
}
