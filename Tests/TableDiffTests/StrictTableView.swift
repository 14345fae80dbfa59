import TableModel

/// A table view that takes nothing on trust, written from UIKit's rules and not from the diff.
///
/// It shows only what operations bring, and refuses what `performBatchUpdates` refuses or silently gets wrong: a path
/// out of range or named twice, row operations in sections that the same stage deletes, inserts or moves, gaps that
/// nothing fills, an update of a row that just arrived. Beyond that it holds the protocol to its word: identities are
/// whole after every stage, and nothing appears that changes nothing.
struct StrictTableView {
  struct ShownRow: Equatable {
    var id: String
    var cellIdentifier: String
    var bytes: [UInt8]
    var arrivedInStage = -1

    init(_ row: Row, stage: Int = -1) {
      (id, cellIdentifier, bytes, arrivedInStage) = (row.id, row.cellIdentifier, row.encoded, stage)
    }
  }

  struct ShownSection {
    var id: String
    var header: [UInt8]?
    var footer: [UInt8]?
    var skipped: Int
    var rows: [ShownRow]
    var arrivedInStage = -1

    init(_ section: Section, stage: Int = -1) {
      id = section.id
      header = section.header?.encoded
      footer = section.footer?.encoded
      skipped = section.skipped
      rows = section.rows.map { ShownRow($0, stage: stage) }
      arrivedInStage = stage
    }
  }

  struct Refusal: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private(set) var sections: [ShownSection]
  private var attributes: Changeset.Attributes
  /// Inputs that break the rules break the wholeness of what stands between: then it is not looked at.
  private let allowsDuplicates: Bool

  init(_ table: Table, allowsDuplicates: Bool = false) {
    sections = table.sections.map { ShownSection($0) }
    attributes = Self.attributes(of: table)
    self.allowsDuplicates = allowsDuplicates
  }

  mutating func perform(_ changeset: Changeset) throws {
    for (index, stage) in changeset.stages.enumerated() {
      let isLast = index == changeset.stages.count - 1
      guard isLast || stage.attributes.isEmpty else { throw Refusal("attributes before the last stage") }
      guard !(stage.sections.isEmpty && stage.rows.isEmpty && stage.attributes.isEmpty) else {
        throw Refusal("stage \(index) is empty")
      }
      try perform(stage, index)
      try set(stage.attributes)
      if !allowsDuplicates { try checkWholeness() }
    }
  }

  // MARK: One batch

  private mutating func perform(_ stage: Changeset.Stage, _ index: Int) throws {
    let old = sections
    let leaving = try distinct(
      stage.sections.delete.map(\.at) + stage.sections.move.map(\.from),
      "section leaves",
      in: old.count
    )
    for delete in stage.sections.delete where old[delete.at].id != delete.id { throw Refusal("wrong section deleted") }
    for move in stage.sections.move where old[move.from].id != move.id { throw Refusal("wrong section moved") }
    let count = old.count - stage.sections.delete.count + stage.sections.insert.count
    let arriving = try distinct(
      stage.sections.insert.map(\.at) + stage.sections.move.map(\.to),
      "section arrives",
      in: count
    )

    // Where the sections come from: nil where one is inserted.
    var origins = [Int?](repeating: nil, count: count)
    var staying = old.indices.filter { !leaving.contains($0) }
    for place in 0..<count where !arriving.contains(place) {
      guard !staying.isEmpty else { throw Refusal("nothing to show as section \(place)") }
      origins[place] = staying.removeFirst()
    }
    guard staying.isEmpty else { throw Refusal("no place for \(staying.count) sections") }

    let rowsLeaving = try pathsLeaving(stage.rows, old, sectionsLeaving: leaving)
    let rowsArriving = try pathsArriving(stage.rows, old, count, sectionsArriving: arriving, index)
    var new: [ShownSection] = []
    for place in 0..<count {
      guard let origin = origins[place] else {
        if let insert = stage.sections.insert.first(where: { $0.at == place }) {
          new.append(ShownSection(insert.section, stage: index))
        } else if let move = stage.sections.move.first(where: { $0.to == place }) {
          new.append(old[move.from])
        }
        continue
      }
      var section = old[origin]
      section.rows = try fill(section.rows, without: rowsLeaving[origin] ?? [], with: rowsArriving[place] ?? [:])
      new.append(section)
    }
    sections = new
    try update(stage, index)
  }

  private func pathsLeaving(
    _ rows: Changeset.RowOperations,
    _ old: [ShownSection],
    sectionsLeaving: Set<Int>
  ) throws -> [Int: Set<Int>] {
    var result: [Int: Set<Int>] = [:]
    for (path, id) in rows.delete.map({ ($0.at, $0.id) }) + rows.move.map({ ($0.from, $0.id) }) {
      guard old.indices.contains(path.section), old[path.section].rows.indices.contains(path.row) else {
        throw Refusal("no row at \(path)")
      }
      guard !sectionsLeaving.contains(path.section) else { throw Refusal("a row leaves a deleted or moved section") }
      guard old[path.section].rows[path.row].id == id else { throw Refusal("wrong row at \(path)") }
      guard result[path.section, default: []].insert(path.row).inserted else { throw Refusal("\(path) leaves twice") }
    }
    return result
  }

  private func pathsArriving(
    _ rows: Changeset.RowOperations,
    _ old: [ShownSection],
    _ count: Int,
    sectionsArriving: Set<Int>,
    _ stage: Int
  ) throws -> [Int: [Int: ShownRow]] {
    var result: [Int: [Int: ShownRow]] = [:]
    let arrivals =
      rows.insert.map { ($0.at, ShownRow($0.row, stage: stage)) }
      + rows.move.map { ($0.to, old[$0.from.section].rows[$0.from.row]) }
    for (path, row) in arrivals {
      guard (0..<count).contains(path.section), path.row >= 0 else { throw Refusal("no section for \(path)") }
      guard !sectionsArriving.contains(path.section) else { throw Refusal("a row enters a new or moved section") }
      guard result[path.section, default: [:]].updateValue(row, forKey: path.row) == nil else {
        throw Refusal("\(path) arrives twice")
      }
    }
    return result
  }

  private func fill(
    _ rows: [ShownRow],
    without leaving: Set<Int>,
    with arriving: [Int: ShownRow]
  ) throws -> [ShownRow] {
    var staying = rows.enumerated().filter { !leaving.contains($0.offset) }.map(\.element)
    for place in arriving.keys.sorted() {
      // Going up, everything below stands already; so the place must be within or right behind what is there.
      guard place <= staying.count, let row = arriving[place] else { throw Refusal("a gap before row \(place)") }
      staying.insert(row, at: place)
    }
    return staying
  }

  private mutating func update(_ stage: Changeset.Stage, _ index: Int) throws {
    let paths = stage.rows.update.map(\.at)
    guard Set(paths).count == paths.count else { throw Refusal("a row is updated twice") }
    for update in stage.rows.update {
      guard sections.indices.contains(update.at.section),
        sections[update.at.section].rows.indices.contains(update.at.row)
      else { throw Refusal("update of no row at \(update.at)") }
      let old = sections[update.at.section].rows[update.at.row]
      guard old.id == update.row.id else { throw Refusal("wrong row updated at \(update.at)") }
      guard old.arrivedInStage < 0 else { throw Refusal("a row that was inserted is updated too") }
      guard old.bytes != update.row.encoded else { throw Refusal("an update changes nothing") }
      guard update.reload == (old.cellIdentifier != update.row.cellIdentifier) else { throw Refusal("wrong reload") }
      sections[update.at.section].rows[update.at.row] = ShownRow(update.row)
    }
    _ = try distinct(stage.sections.update.map(\.at), "section updated", in: sections.count)
    for update in stage.sections.update {
      let old = sections[update.at]
      guard old.id == update.id else { throw Refusal("wrong section updated") }
      guard old.arrivedInStage < 0 else { throw Refusal("a section that was inserted is updated too") }
      let (header, footer) = (update.header?.encoded, update.footer?.encoded)
      guard update.skipped != old.skipped else { throw Refusal("skipped unchanged") }
      guard old.header != header || old.footer != footer || update.skipped != nil else {
        throw Refusal("a section update changes nothing")
      }
      if let skipped = update.skipped { sections[update.at].skipped = skipped }
      sections[update.at].header = header
      sections[update.at].footer = footer
    }
  }

  private func distinct(_ indexes: [Int], _ what: String, in count: Int) throws -> Set<Int> {
    guard indexes.allSatisfy({ (0..<count).contains($0) }) else { throw Refusal("\(what) out of range: \(indexes)") }
    let set = Set(indexes)
    guard set.count == indexes.count else { throw Refusal("\(what) twice: \(indexes)") }
    return set
  }
}

// MARK: What it shows

extension StrictTableView {
  private func checkWholeness() throws {
    var rows: Set<String> = []
    for row in sections.lazy.flatMap(\.rows) where !rows.insert(row.id).inserted {
      throw Refusal("row \(row.id) stands twice")
    }
    guard Set(sections.map(\.id)).count == sections.count else { throw Refusal("a section stands twice") }
  }

  private mutating func set(_ changes: Changeset.Attributes) throws {
    if let state = changes.state {
      guard attributes.state != state else { throw Refusal("state unchanged") }
      attributes.state = state
    }
    if let problem = changes.problem {
      guard attributes.problem != .some(problem) else { throw Refusal("problem unchanged") }
      attributes.problem = .some(problem)
    }
    if let title = changes.title {
      guard attributes.title != title else { throw Refusal("title unchanged") }
      attributes.title = title
    }
    if let animation = changes.animation {
      guard attributes.animation != animation else { throw Refusal("animation unchanged") }
      attributes.animation = animation
    }
    if let counts = changes.counts {
      guard attributes.counts != counts else { throw Refusal("counts unchanged") }
      attributes.counts = counts
    }
    if let window = changes.window {
      guard attributes.window != .some(window) else { throw Refusal("window unchanged") }
      attributes.window = .some(window)
    }
  }

  /// Throws unless it shows the table to the byte.
  func checkShows(_ table: Table) throws {
    guard sections.map(\.id) == table.sections.map(\.id) else { throw Refusal("sections \(sections.map(\.id))") }
    for (shown, section) in zip(sections, table.sections) {
      guard shown.header == section.header?.encoded, shown.footer == section.footer?.encoded,
        shown.skipped == section.skipped
      else {
        throw Refusal("section \(shown.id) has a wrong header or footer, or skips another number of rows")
      }
      guard shown.rows.map(\.id) == section.rows.map(\.id) else {
        throw Refusal("section \(shown.id) has rows \(shown.rows.map(\.id))")
      }
      for (shown, row) in zip(shown.rows, section.rows)
      where shown.bytes != row.encoded || shown.cellIdentifier != row.cellIdentifier {
        throw Refusal("row \(shown.id) has wrong content")
      }
    }
    let expected = Self.attributes(of: table)
    guard attributes.state == expected.state, attributes.problem == expected.problem,
      attributes.title == expected.title, attributes.animation == expected.animation,
      attributes.counts == expected.counts, attributes.window == expected.window
    else { throw Refusal("wrong attributes") }
  }

  private static func attributes(of table: Table) -> Changeset.Attributes {
    var attributes = Changeset.Attributes()
    attributes.state = table.state
    attributes.problem = .some(table.problem)
    attributes.title = table.title
    attributes.animation = table.animation
    attributes.counts = table.counts
    attributes.window = .some(table.window)
    return attributes
  }
}
