import JSON
import TableDiff
import TableEncoding
import TableModel
import TableStore

/// Turns versions into replies: through a lens, diffed, encoded; on the table's rendering queue.
struct ReplyMaker: Sendable {
  let name: String
  /// What its rows are drawn with.
  let cells: CellRegistry
  private var variants: [CellSet: VariantTables] = [:]
  private var uses: UInt64 = 0

  /// How many sets of cells have their rows kept, and how many of a table whose rows take more than so much: sets of cells are
  /// the clients' to choose. The least recently used goes first.
  private static let maximumVariants = 32
  private static let maximumBytes = 64 << 20
  private static let fewestVariants = 4

  /// About how many bytes the rows take that are kept for sets of cells.
  var variantBytes: Int { variants.values.reduce(0) { $0 + $1.byteCount } }

  mutating func forgetVariants() { variants = [:] }

  init(name: String, cells: CellRegistry) { (self.name, self.cells) = (name, cells) }

  // MARK: Lenses

  /// A version's table as a client sees it. In proportion to the window; with a set of cells O(rows) the first time, then
  /// in proportion to what changed: sections and rows that versions share are shared by their variants.
  ///
  /// - Parameter plain: what its search finds in its window, as all are shown it.
  mutating func table(_ version: Version, _ plain: Table, at point: ViewPoint?, _ lens: Lens) -> Table {
    var table = plain
    if let accepted = lens.cells {
      table =
        lens.rows == nil && lens.find == nil
        ? variant(of: version, accepted) : plain.mapRows { cells.variant(of: $0, accepted) }
    }
    guard let point, point.hasToggles else { return table }
    for index in table.sections.indices {
      let section = plain.sections[index]
      guard section.keys.contains(where: { point.isToggled($0.identity) }) else { continue }
      var rows = Array(table.sections[index].rows)
      for row in rows.indices where point.isToggled(section.keys[row].identity) {
        let toggled = section.rows[row].toggled()
        rows[row] = lens.cells.map { cells.variant(of: toggled, $0) } ?? toggled
      }
      table.sections[index] = section.with(RowList(rows))
    }
    return table
  }

  private mutating func variant(of version: Version, _ accepted: CellSet) -> Table {
    uses += 1
    variants[accepted, default: VariantTables()].used = uses
    let cells = cells
    let table = variants[accepted]?.table(version) { cells.variant(of: $0, accepted) } ?? version.table
    while variants.count > Self.maximumVariants
      || variants.count > Self.fewestVariants && variantBytes > Self.maximumBytes,
      let oldest = variants.min(by: { $0.value.used < $1.value.used })
    {
      variants[oldest.key] = nil
    }
    return table
  }

  // MARK: Replies

  func snapshot(_ table: Table, cursor: Cursor) -> EncodedReply {
    var writer = JSONWriter(capacity: 4096)
    writer.write(snapshot: table, cursor: cursor)
    return EncodedReply(writer.bytes, cursor: cursor)
  }

  /// One of the protocol's change objects.
  func changes(after: Cursor?, to cursor: Cursor, _ content: ChangesContent) -> EncodedReply {
    var writer = JSONWriter(capacity: 1024)
    writer.beginObject()
    writer.name("table")
    writer.write(name)
    writer.name("from")
    if let after { writer.write(after.description) } else { writer.writeNull() }
    writer.name("to")
    writer.write(cursor.description)
    let (isReset, isEmpty): (Bool, Bool)
    switch content {
    case .stages(let stages):
      (isReset, isEmpty) = (false, stages == Array("[]".utf8))
      writer.name("stages")
      writer.write(raw: stages)
    case .reset(let reason, let snapshot):
      (isReset, isEmpty) = (true, false)
      writer.name("reset")
      writer.write(reason.rawValue)
      writer.name("snapshot")
      writer.write(raw: snapshot.body)
    }
    writer.endObject()
    return EncodedReply(writer.bytes, cursor: cursor, isReset: isReset, isEmpty: isEmpty)
  }

  /// The changes between two tables, encoded; nil where a snapshot is smaller.
  func stages(from old: Table, to new: Table) -> [UInt8]? {
    var writer = JSONWriter(capacity: 1024)
    writer.write(stages: Changeset(from: old, to: new))
    return writer.count > 256 && !isLarger(new, than: writer.count) ? nil : writer.bytes
  }

  /// Whether a snapshot, of which the rows and headers are counted and some hundred bytes of frame, has as many bytes. Looks
  /// at no more rows than it takes to tell.
  private func isLarger(_ table: Table, than count: Int) -> Bool {
    var size = 256
    if let find = table.find {
      // The snapshot has it, too.
      var writer = JSONWriter(capacity: 1024)
      writer.write(find)
      size += writer.count
    }
    for section in table.sections {
      size += 64 + section.id.utf8.count + (section.header?.encoded.count ?? 4) + (section.footer?.encoded.count ?? 4)
      for row in section.rows {
        guard size < count else { return true }
        size += row.encoded.count + 1
      }
    }
    return size >= count
  }
}

/// What a client that is not at the current version gets.
enum ChangesContent {
  /// The encoded stages.
  case stages([UInt8])
  case reset(ResetReason, EncodedReply)
}

extension Table {
  /// With other rows in the places of its own. O(rows).
  fileprivate func mapRows(_ change: (Row) -> Row) -> Table {
    var table = self
    table.sections = sections.map { $0.with(RowList($0.rows.map(change))) }
    return table
  }
}
