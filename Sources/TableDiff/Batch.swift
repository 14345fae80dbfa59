import TableModel

/// One stage while it is applied: what leaves is taken from the old places, what arrives is put in the new ones, and
/// what no operation names fills the gaps in order, as in `UITableView.performBatchUpdates`.
struct Batch {
  private let stage: Int
  private let before: [Section]
  /// By old section: what becomes of it.
  private var fates: [Fate]
  /// By old section: the indexes of rows that leave. Only sections with row operations have an entry.
  private var leavingRows: [Int: Set<Int>] = [:]
  /// By new section: the rows that arrive, by index.
  private var arrivingRows: [Int: [Int: Row]] = [:]
  /// By new section: a section that an operation puts there.
  private var arrivingSections: [Int: Arrival] = [:]

  private enum Fate { case stays, deleted, moved }

  private enum Arrival {
    case inserted(Section)
    case moved(Section)
  }

  init(stage: Int, before: [Section]) {
    self.stage = stage
    self.before = before
    fates = [Fate](repeating: .stays, count: before.count)
  }

  // MARK: Leaving

  mutating func takeAway(_ stage: Changeset.Stage) throws(ChangesetError) {
    for delete in stage.sections.delete {
      try take(section: delete.at, delete.id, as: .deleted, "sections.delete at \(delete.at)")
    }
    for move in stage.sections.move {
      try take(section: move.from, move.id, as: .moved, "sections.move from \(move.from)")
    }
    for delete in stage.rows.delete { _ = try take(row: delete.at, delete.id, "rows.delete at \(delete.at.text)") }
    for move in stage.rows.move {
      let row = try take(row: move.from, move.id, "rows.move from \(move.from.text)")
      try put(row, at: move.to, "rows.move to \(move.to.text)")
    }
  }

  private mutating func take(
    section index: Int,
    _ id: String,
    as fate: Fate,
    _ operation: String
  ) throws(ChangesetError) {
    guard before.indices.contains(index) else {
      throw error(operation, "there are \(before.count) sections")
    }
    guard before[index].id == id else {
      throw error(operation, "“\(id)” expected, but “\(before[index].id)” stands there")
    }
    guard fates[index] == .stays else { throw error(operation, "the section leaves twice") }
    fates[index] = fate
  }

  private mutating func take(row path: IndexPath, _ id: String, _ operation: String) throws(ChangesetError) -> Row {
    guard before.indices.contains(path.section) else {
      throw error(operation, "there are \(before.count) sections")
    }
    let rows = before[path.section].rows
    guard rows.indices.contains(path.row) else { throw error(operation, "the section has \(rows.count) rows") }
    guard rows[path.row].id == id else {
      throw error(operation, "“\(id)” expected, but “\(rows[path.row].id)” stands there")
    }
    guard fates[path.section] == .stays else {
      throw error(operation, "the section is deleted or moved in the same stage")
    }
    guard leavingRows[path.section, default: []].insert(path.row).inserted else {
      throw error(operation, "the row leaves twice")
    }
    return rows[path.row]
  }

  // MARK: Arriving

  mutating func bring(_ stage: Changeset.Stage) throws(ChangesetError) {
    for insert in stage.sections.insert {
      try put(.inserted(insert.section), at: insert.at, "sections.insert at \(insert.at)")
    }
    for move in stage.sections.move {
      try put(.moved(before[move.from]), at: move.to, "sections.move to \(move.to)")
    }
    for insert in stage.rows.insert { try put(insert.row, at: insert.at, "rows.insert at \(insert.at.text)") }
  }

  private mutating func put(_ arrival: Arrival, at index: Int, _ operation: String) throws(ChangesetError) {
    guard arrivingSections.updateValue(arrival, forKey: index) == nil else {
      throw error(operation, "another section arrives there")
    }
  }

  private mutating func put(_ row: Row, at path: IndexPath, _ operation: String) throws(ChangesetError) {
    guard arrivingRows[path.section, default: [:]].updateValue(row, forKey: path.row) == nil else {
      throw error(operation, "another row arrives there")
    }
  }

  // MARK: The result

  /// The sections after the stage, without its updates.
  func sections() throws(ChangesetError) -> [Section] {
    let count = before.count - fates.count { $0 != .stays } + arrivingSections.count
    var result: [Section] = []
    result.reserveCapacity(count)
    var staying = before.indices.lazy.filter { fates[$0] == .stays }.makeIterator()
    for index in 0..<count {
      switch arrivingSections[index] {
      case .inserted(let section), .moved(let section):
        guard arrivingRows[index] == nil else {
          throw error("rows to section \(index)", "the section is inserted or moved in the same stage")
        }
        result.append(section)
      case nil:
        // Nil only if an arrival lies outside of the table, and so left a gap within it.
        guard let origin = staying.next() else { break }
        result.append(try section(before[origin], without: leavingRows[origin], with: arrivingRows[index]))
      }
    }
    for index in arrivingSections.keys where !(0..<count).contains(index) {
      throw error("sections to \(index)", "the table has \(count) sections then")
    }
    for index in arrivingRows.keys where !(0..<count).contains(index) {
      throw error("rows to section \(index)", "the table has \(count) sections then")
    }
    return result
  }

  private func section(
    _ section: Section,
    without leaving: Set<Int>?,
    with arriving: [Int: Row]?
  ) throws(ChangesetError) -> Section {
    if leaving == nil, arriving == nil { return section }
    let leaving = leaving ?? []
    let arriving = arriving ?? [:]
    let count = section.rows.count - leaving.count + arriving.count
    for index in arriving.keys where !(0..<count).contains(index) {
      throw error("rows to row \(index) of section “\(section.id)”", "the section has \(count) rows then")
    }
    var staying = section.rows.indices.lazy.filter { !leaving.contains($0) }.makeIterator()
    var rows: [Row] = []
    rows.reserveCapacity(count)
    for index in 0..<count {
      // Every arrival is in range, so exactly as many places are left as rows stay.
      if let row = arriving[index] {
        rows.append(row)
      } else if let index = staying.next() {
        rows.append(section.rows[index])
      }
    }
    return Section(id: section.id, header: section.header, footer: section.footer, rows: rows)
  }

  /// Applies the stage's updates to the sections after it.
  func update(_ sections: inout [Section], with stage: Changeset.Stage) throws(ChangesetError) {
    var updatedRows: [Int: [Int: Row]] = [:]
    for update in stage.rows.update {
      let operation = "rows.update at \(update.at.text)"
      guard sections.indices.contains(update.at.section) else {
        throw error(operation, "there are \(sections.count) sections")
      }
      let rows = sections[update.at.section].rows
      guard rows.indices.contains(update.at.row) else { throw error(operation, "the section has \(rows.count) rows") }
      let old = rows[update.at.row]
      guard old.id == update.row.id else {
        throw error(operation, "“\(update.row.id)” expected, but “\(old.id)” stands there")
      }
      guard update.reload == (old.cellIdentifier != update.row.cellIdentifier) else {
        throw error(operation, "reload must tell whether the cell identifier changes")
      }
      guard updatedRows[update.at.section, default: [:]].updateValue(update.row, forKey: update.at.row) == nil else {
        throw error(operation, "the row is updated twice")
      }
    }
    for (index, updates) in updatedRows {
      var rows = sections[index].rows
      for (index, row) in updates { rows[index] = row }
      let old = sections[index]
      sections[index] = Section(id: old.id, header: old.header, footer: old.footer, rows: rows)
    }
    var updatedSections: Set<Int> = []
    for update in stage.sections.update {
      let operation = "sections.update at \(update.at)"
      guard sections.indices.contains(update.at) else { throw error(operation, "there are \(sections.count) sections") }
      let old = sections[update.at]
      guard old.id == update.id else { throw error(operation, "“\(update.id)” expected, but “\(old.id)” stands there") }
      guard updatedSections.insert(update.at).inserted else { throw error(operation, "the section is updated twice") }
      sections[update.at] = Section(id: old.id, header: update.header, footer: update.footer, rows: old.rows)
    }
  }

  private func error(_ operation: String, _ reason: String) -> ChangesetError {
    ChangesetError(stage: stage, operation: operation, reason: reason)
  }
}

extension IndexPath {
  /// As on the wire.
  fileprivate var text: String { "[\(section), \(row)]" }
}
