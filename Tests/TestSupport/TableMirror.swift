package import JSON

/// A table as a client has it: made by a snapshot, kept by changesets. It refuses what `performBatchUpdates` refuses,
/// and what the protocol forbids.
package struct TableMirror: Sendable {
  package struct Section: Sendable {
    package var id: String
    package var header: JSONValue
    package var footer: JSONValue
    package var skipped: Int
    package var rows: [JSONValue]

    init(_ json: JSONValue) throws {
      id = try required(json["id"]?.text, "a section without `id`")
      header = json["header"] ?? .null
      footer = json["footer"] ?? .null
      skipped = json["skipped"]?.number ?? 0
      guard json["skipped"] == nil || skipped > 0 else { throw Malformed("`skipped` where none is: \(json)") }
      rows = (json["rows"] ?? .null).elements
    }

    package var json: JSONValue {
      [
        "id": .string(id), "header": header, "footer": footer, "skipped": .integer(Int64(skipped)),
        "rows": .array(rows),
      ]
    }
  }

  package private(set) var cursor: String
  package private(set) var sections: [Section]
  package private(set) var attributes: [String: JSONValue] = [:]
  /// Why snapshots came in place of stages, in order.
  package private(set) var resets: [String] = []
  private static let names = [
    "state", "problem", "title", "animation", "counts", "truncated", "window", "edges", "find",
  ]

  package init(_ snapshot: JSONValue) throws {
    cursor = try required(snapshot["cursor"]?.text, "a snapshot without `cursor`")
    sections = try (snapshot["sections"] ?? .null).elements.map(Section.init)
    for name in Self.names { attributes[name] = snapshot[name] ?? .null }
    try checkWholeness()
  }

  package var state: String? { attributes["state"]?.text }
  package var rows: [String] { sections.flatMap(\.rows).compactMap { $0["id"]?.text } }
  package func row(_ id: String) -> JSONValue? { sections.flatMap(\.rows).first { $0["id"]?.text == id } }

  /// Applies one of the protocol's change objects.
  package mutating func apply(_ changes: JSONValue) throws {
    if let reset = changes["reset"]?.text, let snapshot = changes["snapshot"] {
      var new = try TableMirror(snapshot)
      new.resets = resets + [reset]
      self = new
    } else {
      guard changes["from"]?.text == cursor else { throw Malformed("`from` is not \(cursor)") }
      let stages = try required(changes["stages"], "neither stages nor a reset").elements
      guard stages.count <= 3 else { throw Malformed("\(stages.count) stages") }
      for (index, stage) in stages.enumerated() {
        for name in Self.names {
          guard let value = stage[name] else { continue }
          guard index == stages.count - 1 else { throw Malformed("`\(name)` before the last stage") }
          attributes[name] = value
        }
        try perform(stage)
        try checkWholeness()
      }
      cursor = changes["to"]?.text ?? ""
    }
    guard cursor == changes["to"]?.text else { throw Malformed("the snapshot is not at `to`") }
  }

  /// Throws unless the mirror is what a fresh snapshot says, to the byte.
  package func check(equals snapshot: JSONValue) throws {
    let fresh = try TableMirror(snapshot)
    guard cursor == fresh.cursor else { throw Malformed("at \(cursor), the snapshot at \(fresh.cursor)") }
    let (mine, theirs) = (
      JSONValue.array(sections.map(\.json)).bytes, JSONValue.array(fresh.sections.map(\.json)).bytes
    )
    guard mine == theirs else {
      throw Malformed("sections\n\(String(decoding: mine, as: UTF8.self))\n\(String(decoding: theirs, as: UTF8.self))")
    }
    for name in Self.names where attributes[name] != fresh.attributes[name] {
      throw Malformed(
        "`\(name)`: \(String(describing: attributes[name])), not \(String(describing: fresh.attributes[name]))"
      )
    }
  }

  private func checkWholeness() throws {
    guard Set(rows.map { Array($0.utf8) }).count == rows.count else { throw Malformed("a row stands twice: \(rows)") }
    guard rows.count == sections.reduce(0, { $0 + $1.rows.count }) else { throw Malformed("a row without `id`") }
    guard Set(sections.map { Array($0.id.utf8) }).count == sections.count else {
      throw Malformed("a section stands twice")
    }
  }
}

// MARK: - One batch

extension TableMirror {
  private struct Path: Hashable, Comparable {
    var section, row: Int

    init(_ json: JSONValue?) throws {
      let numbers = (json ?? .null).elements.compactMap(\.number)
      guard numbers.count == 2 else { throw Malformed("an index path: \(String(describing: json))") }
      (section, row) = (numbers[0], numbers[1])
    }

    static func < (left: Path, right: Path) -> Bool { (left.section, left.row) < (right.section, right.row) }
  }

  private mutating func perform(_ stage: JSONValue) throws {
    let old = sections
    let operations = { (kind: String, name: String) in (stage[kind]?[name] ?? .null).elements }

    // Sections that leave, in old indexes, and arrive, in new ones.
    var leaving: Set<Int> = []
    for (operation, place) in operations("sections", "delete").map({ ($0, "at") })
      + operations("sections", "move").map({ ($0, "from") })
    {
      let index = try required(operation[place]?.number, "no index")
      guard old.indices.contains(index), old[index].id == operation["id"]?.text, leaving.insert(index).inserted else {
        throw Malformed("section \(index) can't leave")
      }
    }
    var arriving: [Int: Section] = [:]
    for operation in operations("sections", "insert") {
      let section = try Section(try required(operation["section"], "an insert without its section"))
      guard arriving.updateValue(section, forKey: try required(operation["at"]?.number, "no index")) == nil else {
        throw Malformed("two sections arrive at one place")
      }
    }
    for operation in operations("sections", "move") {
      let (from, to) = (operation["from"]?.number ?? -1, operation["to"]?.number ?? -1)
      guard arriving.updateValue(old[from], forKey: to) == nil else { throw Malformed("two sections arrive at \(to)") }
    }

    // Rows that leave, in old paths.
    var rowsLeaving: [Int: Set<Int>] = [:]
    for (operation, place) in operations("rows", "delete").map({ ($0, "at") })
      + operations("rows", "move").map({ ($0, "from") })
    {
      let path = try Path(operation[place])
      guard old.indices.contains(path.section), !leaving.contains(path.section),
        old[path.section].rows.indices.contains(path.row),
        old[path.section].rows[path.row]["id"] == operation["id"],
        rowsLeaving[path.section, default: []].insert(path.row).inserted
      else { throw Malformed("row \(path) can't leave") }
    }
    var rowsArriving: [Path: JSONValue] = [:]
    for operation in operations("rows", "insert") {
      let row = try required(operation["row"], "an insert without its row")
      guard rowsArriving.updateValue(row, forKey: try Path(operation["at"])) == nil else {
        throw Malformed("two rows arrive at one place")
      }
    }
    for operation in operations("rows", "move") {
      let from = try Path(operation["from"])
      guard rowsArriving.updateValue(old[from.section].rows[from.row], forKey: try Path(operation["to"])) == nil else {
        throw Malformed("two rows arrive at one place")
      }
    }

    // What stays keeps its order; what arrives must find its place without a gap.
    var new = old.indices.filter { !leaving.contains($0) }.map { index in
      var section = old[index]
      section.rows = section.rows.enumerated().filter { !(rowsLeaving[index]?.contains($0.offset) ?? false) }
        .map(\.element)
      return section
    }
    for place in arriving.keys.sorted() {
      guard (0...new.count).contains(place), let section = arriving[place] else {
        throw Malformed("section at \(place)")
      }
      new.insert(section, at: place)
    }
    for path in rowsArriving.keys.sorted() {
      guard new.indices.contains(path.section), arriving[path.section] == nil,
        (0...new[path.section].rows.count).contains(path.row), let row = rowsArriving[path]
      else { throw Malformed("row can't arrive at \(path)") }
      new[path.section].rows.insert(row, at: path.row)
    }
    sections = new
    try update(operations("sections", "update"), operations("rows", "update"))
  }

  private mutating func update(_ sectionUpdates: [JSONValue], _ rowUpdates: [JSONValue]) throws {
    for operation in rowUpdates {
      let path = try Path(operation["at"])
      let row = try required(operation["row"], "an update without its row")
      guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
        throw Malformed("an update of no row at \(path)")
      }
      let old = sections[path.section].rows[path.row]
      guard old["id"] == row["id"], old != row else { throw Malformed("an update of another row, or of nothing") }
      guard operation["reload"] == .bool(old["cellIdentifier"] != row["cellIdentifier"]) else {
        throw Malformed("`reload` of \(path)")
      }
      sections[path.section].rows[path.row] = row
    }
    for operation in sectionUpdates {
      guard let index = operation["at"]?.number, sections.indices.contains(index),
        sections[index].id == operation["id"]?.text
      else { throw Malformed("an update of no section") }
      let old = sections[index]
      sections[index].header = operation["header"] ?? .null
      sections[index].footer = operation["footer"] ?? .null
      if let skipped = operation["skipped"]?.number {
        guard skipped != old.skipped else { throw Malformed("`skipped` unchanged") }
        sections[index].skipped = skipped
      }
      guard old.json != sections[index].json else { throw Malformed("a section's update of nothing") }
    }
  }
}
