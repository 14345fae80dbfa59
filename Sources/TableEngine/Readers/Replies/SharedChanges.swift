import JSON
import TableDiff
import TableEncoding
import TableModel

/// The changes from one version to another, found and cut, before their rows are drawn: made once for all lenses that
/// differ only in how they draw them. Each lens's reply is made of them, in proportion to what changed.
struct SharedChanges: Sendable {
  /// The table that a search and a window leave of a version.
  struct Side: Hashable, Sendable {
    var version: Cursor
    var rows: WindowRange?
    var find: FindSearch?
  }

  struct Key: Hashable, Sendable {
    var from: Side
    var to: Side
    /// How large the table was that the client has, where that is not what the version's is.
    var size: ForgottenChanges.Size?
    /// The client's cursor is of another version than the one it is led on from.
    var isOutlasted = false
  }

  /// How rows are drawn on both sides, as far as that can be seen in what changed.
  struct Drawing: Hashable, Sendable {
    var before: CellDrawing?
    var after: CellDrawing?
    /// The identities of toggled rows, among those that come or are updated.
    var toggled: Set<Fingerprint> = []
  }

  let new: Table
  let changes: Changeset
  /// The rows that come or are updated.
  let touched: Set<Fingerprint>
  private var stages: [Drawing: [UInt8]?] = [:]
  private(set) var byteCount: Int
  /// They are few: to encode them takes less than to have them encoded by another thread.
  let areFew: Bool

  /// Sets of cells are the clients' to choose.
  private static let maximumStages = 64
  private static let maximumStageBytes = 4 << 20
  private static let few = 32
  private static let fewBytes = 16 << 10

  /// Counts the operations of a changeset.
  init(from old: Table, to new: Table) {
    self.new = new
    changes = Changeset(from: old, to: new)
    var (touched, rowBytes): (Set<Fingerprint>, Int) = ([], 0)
    for stage in changes.stages {
      for insert in stage.sections.insert { for key in insert.section.keys { touched.insert(key.identity) } }
      for insert in stage.rows.insert {
        touched.insert(insert.row.key.identity)
        rowBytes += insert.row.encoded.count
      }
      for update in stage.rows.update {
        touched.insert(update.row.key.identity)
        rowBytes += update.row.encoded.count
      }
    }
    self.touched = touched
    let operations = changes.stages.reduce(0) { sum, stage in
      sum + stage.rows.delete.count + stage.rows.insert.count + stage.rows.move.count + stage.rows.update.count
        + stage.sections.insert.count + stage.sections.update.count
    }
    // A cut table's own lists.
    let rows = new.window == nil ? 0 : new.rowCount
    let comeWithSections = changes.stages.contains { !$0.sections.insert.isEmpty }
    areFew = operations <= Self.few && rowBytes <= Self.fewBytes && !comeWithSections && new.find == nil
    byteCount = 1_024 + operations * 100 + touched.count * 16 + rows * 32
  }

  /// The encoded stages for whoever is shown rows so; nil where a snapshot is smaller.
  ///
  /// - Parameter cells: how the two versions' rows are drawn for these cells; nil on both sides where that is as they are.
  mutating func stages(
    before: RowDrawing,
    after: RowDrawing,
    _ cells: (before: CellDrawing?, after: CellDrawing?)
  ) -> [UInt8]? {
    let turned = before.toggled == after.toggled ? [] : before.toggled.symmetricDifference(after.toggled)
    // Each set of cells may draw some rows otherwise: what is as good as nothing is not kept for each.
    if turned.isEmpty, changes.stages.isEmpty { return Self.none }
    guard turned.isEmpty else { return encoded(seen(before, after, turned), after) }
    let toggled = after.toggled.isEmpty ? [] : touched.intersection(after.toggled)
    let drawing = Drawing(before: cells.before, after: cells.after, toggled: toggled)
    if let known = stages[drawing] { return known }
    let isPlain = cells.before == nil && cells.after == nil && toggled.isEmpty
    let made = isPlain ? encoded(changes, nil) : encoded(seen(before, after, []), after)
    if stages.count >= Self.maximumStages || byteCount > Self.maximumStageBytes {
      byteCount -= stages.values.reduce(0) { $0 + ($1?.count ?? 0) + 200 }
      stages = [:]
    }
    stages[drawing] = .some(made)
    byteCount += (made?.count ?? 0) + 200
    return made
  }

  /// The same of few changes, for a client without a view; nothing is kept.
  func fewStages(before: RowDrawing, after: RowDrawing, isPlain: Bool) -> [UInt8]? {
    if changes.stages.isEmpty { return Self.none }
    return isPlain ? encoded(changes, nil) : encoded(seen(before, after, []), after)
  }

  private static let none = Array("[]".utf8)

  /// - Parameter turned: rows that are toggled on one side alone.
  private func seen(_ before: RowDrawing, _ after: RowDrawing, _ turned: Set<Fingerprint>) -> Changeset {
    let others = turned.subtracting(touched)
    let updates = new.places(of: others).map { path, row in
      Changeset.RowUpdate(at: path, row: row, reload: false, former: row)
    }
    return changes.seen(before: { before($0) }, after: { after($0) }, turned: updates)
  }

  private func encoded(_ changes: Changeset, _ after: RowDrawing?) -> [UInt8]? {
    var writer = JSONWriter(capacity: 1024)
    writer.write(stages: changes)
    return writer.count > 256 && !isLarger(than: writer.count, after) ? nil : writer.bytes
  }

  /// Returns whether a snapshot, whose rows and headers are counted, and some hundred bytes of frame, has as many
  /// bytes. Looks at no more rows than it takes to tell.
  private func isLarger(than count: Int, _ drawing: RowDrawing?) -> Bool {
    var size = 256
    if let find = new.find {
      // The snapshot has it, too.
      var writer = JSONWriter(capacity: 1024)
      writer.write(find)
      size += writer.count
    }
    for section in new.sections {
      size += 64 + section.id.utf8.count + (section.header?.encoded.count ?? 4) + (section.footer?.encoded.count ?? 4)
      for row in section.rows {
        guard size < count else { return true }
        size += (drawing?(row) ?? row).encoded.count + 1
      }
    }
    return size >= count
  }
}

extension Table {
  /// Returns the places of the rows with these identities, as far as they are there, in no order. Expected O(rows +
  /// sections) at most, and for a few of them O(sections + rows / 8,000) each.
  func places(of identities: Set<Fingerprint>) -> [(path: IndexPath, row: Row)] {
    guard !identities.isEmpty else { return [] }
    var places: [(IndexPath, Row)] = []
    let isScanned = identities.count * (sections.count + rowCount / 8_192) > rowCount
    for (number, section) in sections.enumerated() {
      if isScanned {
        for (place, row) in section.rows.enumerated() where identities.contains(row.key.identity) {
          places.append((IndexPath(section: number, row: place), row))
        }
      } else {
        for identity in identities {
          guard let place = section.rows.firstIndex(of: identity) else { continue }
          places.append((IndexPath(section: number, row: place), section.rows[place]))
        }
      }
    }
    return places
  }
}
