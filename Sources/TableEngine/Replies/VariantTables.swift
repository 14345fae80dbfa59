import TableModel
import TableStore

/// A table's versions with every row in a cell that a set of clients can show.
struct VariantTables: Sendable {
  /// When it was last used, by the renderer's count.
  var used: UInt64 = 0
  private var tables: [UInt64: (table: Table, bytes: Bytes)] = [:]
  private var sections: [ObjectIdentifier: (plain: Section, variant: Section, bytes: Int)] = [:]
  private var rows: [ObjectIdentifier: (plain: Row, variant: Row)] = [:]

  private static let heldVersions = 8

  /// The size of a version's table, about.
  private struct Bytes {
    var whole = 0
    /// The part that no other table had when it was made.
    var made = 0
    /// Of a row's places, however it is drawn.
    static let ofPlaces = 100
  }

  /// What all of them take together, about: the oldest, and what each later one has that those before it have not.
  var byteCount: Int {
    let sizes = tables.sorted { $0.key < $1.key }.map(\.value.bytes)
    return (sizes.first?.whole ?? 0) + sizes.dropFirst().reduce(0) { $0 + $1.made }
  }

  mutating func table(_ version: Version, _ variant: (Row) -> Row) -> Table {
    if let known = tables[version.number] { return known.table }
    var sections: [ObjectIdentifier: (plain: Section, variant: Section, bytes: Int)] = [:]
    var bytes = Bytes()
    var rows: [ObjectIdentifier: (plain: Row, variant: Row)] = [:]
    var table = version.table
    table.sections = version.table.sections.map { section in
      let key = ObjectIdentifier(section)
      if let known = self.sections[key] {
        for row in section.rows { rows[ObjectIdentifier(row)] = self.rows[ObjectIdentifier(row)] }
        sections[key] = known
        bytes.whole += known.bytes
        return known.variant
      }
      var size = 0
      let result = Section(
        id: section.id,
        header: section.header,
        footer: section.footer,
        rows: section.rows.map { row in
          let known = self.rows[ObjectIdentifier(row)]?.variant
          let made = known ?? variant(row)
          let footprint = made === row ? 0 : made.footprint
          size += Bytes.ofPlaces + footprint
          bytes.made += Bytes.ofPlaces + (known == nil ? footprint : 0)
          rows[ObjectIdentifier(row)] = (row, made)
          return made
        }
      )
      sections[key] = (section, result, size)
      bytes.whole += size
      return result
    }
    // What the newest version shares is kept; older versions are held as they are.
    if version.number >= (tables.keys.max() ?? 0) { (self.sections, self.rows) = (sections, rows) }
    tables[version.number] = (table, bytes)
    while tables.count > Self.heldVersions, let oldest = tables.keys.min() { tables[oldest] = nil }
    return table
  }
}
