public import TableModel

/// Makes the headers and footers of sections of which some rows are found.
public struct Framing: Sendable {
  /// A section as it is found.
  public struct Found {
    /// As the table has it.
    public let section: Section
    /// How many rows are found.
    public let count: Int
    /// The first of them.
    public let first: Row
    /// All of them. O(count).
    public let rows: () -> [Row]
  }

  /// Returns whether a section's header or footer reads the items of its rows.
  let readsItems: @Sendable (Section) -> Bool
  let models: @Sendable (Found) -> (header: CellModel?, footer: CellModel?)

  public init(
    readsItems: @escaping @Sendable (Section) -> Bool,
    models: @escaping @Sendable (Found) -> (header: CellModel?, footer: CellModel?)
  ) {
    (self.readsItems, self.models) = (readsItems, models)
  }

  /// As the table has them.
  public static let plain = Framing(readsItems: { _ in false }, models: { ($0.section.header, $0.section.footer) })
}
