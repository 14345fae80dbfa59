import TableModel
import TableStore

/// A table's versions with every row in a cell that a set of clients can show.
struct VariantTables: Sendable {
  /// When it was last used, by the renderer's count.
  var used: UInt64 = 0
  private var tables: [UInt64: Table] = [:]
  private var sections: [ObjectIdentifier: (plain: Section, variant: Section)] = [:]
  private var rows: [ObjectIdentifier: (plain: Row, variant: Row)] = [:]

  private static let heldVersions = 8

  mutating func table(_ version: Version, _ variant: (Row) -> Row) -> Table {
    if let known = tables[version.number] { return known }
    var sections: [ObjectIdentifier: (plain: Section, variant: Section)] = [:]
    var rows: [ObjectIdentifier: (plain: Row, variant: Row)] = [:]
    var table = version.table
    table.sections = version.table.sections.map { section in
      let key = ObjectIdentifier(section)
      let result =
        self.sections[key]?.variant
        ?? Section(
          id: section.id,
          header: section.header,
          footer: section.footer,
          rows: section.rows.map { row in
            let made = self.rows[ObjectIdentifier(row)]?.variant ?? variant(row)
            rows[ObjectIdentifier(row)] = (row, made)
            return made
          }
        )
      if self.sections[key] != nil {
        for row in section.rows { rows[ObjectIdentifier(row)] = self.rows[ObjectIdentifier(row)] }
      }
      sections[key] = (section, result)
      return result
    }
    // What the newest version shares is kept; older versions are held as they are.
    if version.number >= (tables.keys.max() ?? 0) { (self.sections, self.rows) = (sections, rows) }
    tables[version.number] = table
    while tables.count > Self.heldVersions, let oldest = tables.keys.min() { tables[oldest] = nil }
    return table
  }
}
