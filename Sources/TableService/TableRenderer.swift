import HTTPServer
import JSON
import TableDiff
import TableEncoding
import TableModel
import TableStore

/// Turns versions into replies: through a lens, diffed, encoded, compressed; on the table's rendering queue.
struct TableRenderer: Sendable {
  let name: String
  /// The table's URL path.
  let path: String
  let cells: CellRegistry
  /// What `Vary` names: the accepted cells, and what of the caller goes to the upstream.
  private let vary: [String]
  private var variants: [ObjectIdentifier: VariantTables] = [:]
  private var uses: UInt64 = 0

  init(name: String, path: String, cells: CellRegistry, forwards: [String]) {
    (self.name, self.path, self.cells) = (name, path, cells)
    vary = Self.vary(forwards)
  }

  static func vary(_ forwards: [String]) -> [String] { ["Accept-Cells"] + forwards }

  // MARK: Lenses

  /// A version's table as a client sees it. O(rows) the first time for a set of cells, then in proportion to what
  /// changed: sections and rows that versions share are shared by their variants.
  mutating func table(_ version: Version, at point: ViewPoint?, cells accepted: AcceptedCells?) -> Table {
    var table = version.table
    if let accepted { table = variant(of: version, accepted) }
    guard let point, point.hasToggles else { return table }
    for index in table.sections.indices {
      let plain = version.table.sections[index]
      guard plain.keys.contains(where: { point.isToggled($0.identity) }) else { continue }
      var rows = table.sections[index].rows
      for row in plain.rows.indices where point.isToggled(plain.keys[row].identity) {
        let toggled = plain.rows[row].toggled()
        rows[row] = accepted.map { cells.variant(of: toggled, $0) } ?? toggled
      }
      table.sections[index] = Section(id: plain.id, header: plain.header, footer: plain.footer, rows: rows)
    }
    return table
  }

  private mutating func variant(of version: Version, _ accepted: AcceptedCells) -> Table {
    let key = ObjectIdentifier(accepted)
    if variants[key] == nil {
      if variants.count >= AcceptedCellsRegistry.maximum,
        let oldest = variants.min(by: { $0.value.used < $1.value.used })
      {
        variants[oldest.key] = nil
      }
      variants[key] = VariantTables(accepted: accepted)
    }
    uses += 1
    variants[key]?.used = uses
    let cells = cells
    return variants[key]?.table(version) { cells.variant(of: $0, accepted) } ?? version.table
  }

  // MARK: Replies

  func snapshot(_ table: Table, cursor: Cursor, accepted: AcceptedCells?, isPrivate: Bool) -> Representation {
    var writer = JSONWriter(capacity: 4096)
    writer.write(snapshot: table, cursor: cursor)
    return Representation(
      body: writer.bytes,
      contentType: "application/json",
      entityTag: accepted.map { "\(cursor);\($0.canonical)" } ?? cursor.description,
      cacheControl: isPrivate ? "private, no-cache" : "no-cache",
      vary: vary
    )
  }

  /// One of the protocol's change objects, without anything around it.
  func changes(after: Cursor?, to cursor: Cursor, _ content: ChangesContent) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.beginObject()
    writer.name("table")
    writer.write(name)
    writer.name("from")
    if let after { writer.write(after.description) } else { writer.writeNull() }
    writer.name("to")
    writer.write(cursor.description)
    switch content {
    case .stages(let stages):
      writer.name("stages")
      writer.write(raw: stages)
    case .reset(let reason, let table):
      writer.name("reset")
      writer.write(reason.rawValue)
      writer.name("snapshot")
      writer.write(snapshot: table, cursor: cursor)
    }
    writer.endObject()
    return writer.bytes
  }

  /// The changes between two tables: stages, or a snapshot where that is smaller.
  func changes(from old: Table, to new: Table, cursor: Cursor) -> ChangesContent {
    var writer = JSONWriter(capacity: 1024)
    writer.write(stages: Changeset(from: old, to: new))
    if writer.count > 256, writer.count > snapshotSize(new) { return .reset(.large, new) }
    return .stages(writer.bytes)
  }

  /// The bytes of a table's rows and headers: what a snapshot has beside some hundred bytes of frame.
  private func snapshotSize(_ table: Table) -> Int {
    table.sections.reduce(256) { sum, section in
      section.rows.reduce(sum + 64 + section.id.utf8.count) { $0 + $1.encoded.count + 1 }
        + (section.header?.encoded.count ?? 4) + (section.footer?.encoded.count ?? 4)
    }
  }

  /// A poll's reply but for its `Link`, which tells how long its client waits.
  func reply(_ changes: [UInt8]) -> Representation {
    Representation(body: changes, contentType: "application/json", cacheControl: "no-store", vary: vary)
  }
}

/// What a client that is not at the current version gets.
enum ChangesContent {
  /// The encoded stages.
  case stages([UInt8])
  case reset(ResetReason, Table)
}

/// Why a client gets a snapshot instead of stages.
enum ResetReason: String, Sendable {
  case start, epoch, expired, ahead, large
}

/// A table's versions with every row in a cell that a set of clients can show.
private struct VariantTables {
  let accepted: AcceptedCells
  /// When it was last used, by the renderer's count.
  var used: UInt64 = 0
  private var tables: [UInt64: Table] = [:]
  private var sections: [ObjectIdentifier: (plain: Section, variant: Section)] = [:]
  private var rows: [ObjectIdentifier: (plain: Row, variant: Row)] = [:]

  private static let heldVersions = 8

  init(accepted: AcceptedCells) { self.accepted = accepted }

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
