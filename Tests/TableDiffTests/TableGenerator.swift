import TableModel
import TestSupport

/// Small tables that change in every way at once: with few identities, so that everything meets everything.
struct TableGenerator {
  var random: SeededGenerator
  private var rowPool: [String: Row] = [:]
  private var unusedRows: [String] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A pair of versions. The second is made from the first by a few edits, or from nothing.
  mutating func pair() -> (Table, Table) {
    rowPool.removeAll(keepingCapacity: true)
    let old = table()
    if chance(1, in: 8) { return (old, table()) }
    var sections = old.sections.map { Draft($0) }
    unusedRows = Self.rowIDs.filter { id in !sections.contains { $0.rows.contains(id) } }
    for _ in 0..<Int.random(in: 0...6, using: &random) { edit(&sections) }
    if chance(15, in: 16) { sections.removeAll { $0.rows.isEmpty } }
    return (old, finish(sections, keeping: old))
  }

  private struct Draft {
    var id: String
    var header: Int
    var footer: Int
    var rows: [String]
    var changed: Set<String> = []

    init(id: String, header: Int, footer: Int, rows: [String]) {
      (self.id, self.header, self.footer, self.rows) = (id, header, footer, rows)
    }

    init(_ section: Section) {
      id = section.id
      header = Int(section.header?.encoded.last ?? 0)
      footer = Int(section.footer?.encoded.last ?? 0)
      rows = section.rows.map(\.id)
    }
  }

  private static let sectionIDs = ["A", "B", "C", "D", "E", "F"]
  private static let rowIDs = (0..<14).map { "row \($0)" } + ["a row with a name longer than fifteen bytes", ""]

  private mutating func table() -> Table {
    unusedRows = Self.rowIDs.shuffled(using: &random)
    var sections: [Draft] = []
    for id in Self.sectionIDs.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)) {
      sections.append(newSection(id))
    }
    if chance(15, in: 16) { sections.removeAll { $0.rows.isEmpty } }
    return finish(sections, keeping: nil)
  }

  private mutating func newSection(_ id: String) -> Draft {
    let rows = Array(unusedRows.prefix(Int.random(in: 0...6, using: &random)))
    unusedRows.removeFirst(rows.count)
    return Draft(
      id: id,
      header: Int.random(in: 0...2, using: &random),
      footer: Int.random(in: 0...1, using: &random),
      rows: rows
    )
  }

  private mutating func edit(_ sections: inout [Draft]) {
    guard !sections.isEmpty else {
      sections.append(newSection(Self.sectionIDs[Int.random(in: 0..<6, using: &random)]))
      return
    }
    let one = Int.random(in: 0..<sections.count, using: &random)
    let other = Int.random(in: 0..<sections.count, using: &random)
    switch Int.random(in: 0..<14, using: &random) {
    case 0:  // A section goes; some of its rows live on elsewhere.
      let rows = sections.remove(at: one).rows
      let survivors = rows.filter { _ in chance(1, in: 2) }
      unusedRows += rows.filter { !survivors.contains($0) }
      if sections.isEmpty { unusedRows += survivors } else { sections[other % sections.count].rows += survivors }
    case 1:  // A section comes, and takes rows from others.
      guard let id = Self.sectionIDs.first(where: { id in !sections.contains { $0.id == id } }) else { return }
      var section = newSection(id)
      while chance(1, in: 2), let row = sections[one].rows.popLast() { section.rows.append(row) }
      sections.insert(section, at: other)
    case 2, 3: sections.insert(sections.remove(at: one), at: other)
    case 4: sections.shuffle(using: &random)
    case 5, 6:  // A row to another section, or to another place.
      guard let row = sections[one].rows.randomElement(using: &random) else { return }
      sections[one].rows.removeAll { $0 == row }
      sections[other].rows.insert(row, at: Int.random(in: 0...sections[other].rows.count, using: &random))
    case 7: sections[one].rows.shuffle(using: &random)
    case 8:
      guard let row = sections[one].rows.randomElement(using: &random) else { return }
      sections[one].rows.removeAll { $0 == row }
      unusedRows.append(row)
    case 9:
      guard let row = unusedRows.popLast() else { return }
      sections[one].rows.insert(row, at: Int.random(in: 0...sections[one].rows.count, using: &random))
    case 10: if let row = sections[one].rows.randomElement(using: &random) { sections[one].changed.insert(row) }
    case 11: if chance(1, in: 2) { sections[one].header += 1 } else { sections[one].footer += 1 }
    case 12:  // Emptied, and filled again with others.
      unusedRows.insert(contentsOf: sections[one].rows, at: 0)
      sections[one].rows = unusedRows.suffix(2)
      unusedRows.removeLast(min(2, unusedRows.count))
    default:  // Two sections exchange their rows.
      let rows = sections[one].rows
      sections[one].rows = sections[other].rows
      sections[other].rows = rows
    }
  }

  private mutating func finish(_ drafts: [Draft], keeping old: Table?) -> Table {
    var table = old ?? Table(name: "t", title: "Title", state: .ready)
    if old != nil, chance(1, in: 8) { table.title = "Another title" }
    if old != nil, chance(1, in: 8) { table.state = .stale }
    if old != nil, chance(1, in: 8) { table.problem = Problem(title: "x", detail: "y", since: "z") }
    if old != nil, chance(1, in: 8) { table.animation.insert = .left }
    if old != nil, chance(1, in: 8) { table.skippedItems += 1 }
    table.sections = drafts.map { draft in
      if let same = old?.sections.first(where: { $0.id == draft.id && Draft($0).rows == draft.rows }),
        Draft(same).header == draft.header, Draft(same).footer == draft.footer, draft.changed.isEmpty,
        chance(1, in: 2)
      {
        return same
      }
      return Section(
        id: draft.id,
        header: model(draft.header),
        footer: model(draft.footer),
        rows: draft.rows.map { row($0, isChanged: draft.changed.contains($0)) }
      )
    }
    return table
  }

  private func model(_ variant: Int) -> CellModel? {
    variant == 0 ? nil : CellModel(cellIdentifier: "Title", encoded: [UInt8](repeating: 1, count: 3) + [UInt8(variant)])
  }

  /// A row as it was, as the same object or made anew, or with other content, another cell, other permissions.
  private mutating func row(_ id: String, isChanged: Bool) -> Row {
    let old = rowPool[id]
    if let old, !isChanged {
      if chance(1, in: 2) { return old }
      return Row(id: id, encoded: old.encoded, cells: old.cells, permissions: old.permissions)
    }
    let content = Int.random(in: 0..<3, using: &random)
    let cell = chance(1, in: 4) ? "Image" : "Label"
    let permissions = Permissions(rawValue: UInt8.random(in: 0..<2, using: &random))
    let row = Row(
      id: id,
      encoded: Array("\(id) \(cell) \(content) \(permissions.rawValue)".utf8),
      cells: CellChain(CellPart(cellIdentifier: cell, payload: 0..<1)),
      permissions: permissions
    )
    rowPool[id] = row
    return row
  }

  private mutating func chance(_ count: Int, in total: Int) -> Bool {
    Int.random(in: 0..<total, using: &random) < count
  }
}
