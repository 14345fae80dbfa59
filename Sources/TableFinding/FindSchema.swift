public import TableModel

/// The searches, filters and sorts of a table, as far as rows are concerned, in their order.
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

  /// Names what the rows' records were made by, folding included: those that were made by anything else are found by nothing.
  public var mark: UInt64
  /// There are texts that are searched.
  public var isSearched: Bool
  public var filters: [String]
  public var sorts: [Sort]
  /// Names how what is found is shown: its menus, orders, headers and footers.
  public var presentation: UInt64

  /// - Parameters:
  ///   - definition: the same where rows are found by the same, in every process.
  ///   - presentation: the same where what is found is shown alike.
  public init(definition: String, presentation: String = "", isSearched: Bool, filters: [String], sorts: [Sort]) {
    mark = Self.digest("folding \(Folding.version)\n\(definition)")
    self.presentation = Self.digest(presentation)
    (self.isSearched, self.filters, self.sorts) = (isSearched, filters, sorts)
  }

  /// FNV-1a: nobody gains by two that agree.
  private static func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }

  /// Whether a table's rows were made for this very schema, and what it finds of them is what clients have been shown of
  /// them; nil where there are no rows. Looks at the first row of some sections.
  public func describes(_ table: Table) -> Bool? {
    let rows = table.sections.lazy.prefix(8).compactMap(\.rows.first)
    return rows.isEmpty ? nil : rows.allSatisfy { FindRecord.isMade(for: self, $0.findable) }
  }
}
