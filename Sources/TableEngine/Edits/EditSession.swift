import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TableStore

/// Edits tried out on a copy of a table's content: what comes of them is kept whole, or not at all.
struct EditSession {
  private(set) var content: TableContent
  /// The table with all edits so far.
  private(set) var table: Table
  private let name: String
  private let limits: LimitsDefinition

  init(_ content: TableContent, table: Table, named name: String, limits: LimitsDefinition) {
    (self.content, self.table, self.name, self.limits) = (content, table, name, limits)
  }

  /// Applies one edit. Returns the row's identity.
  ///
  /// - Complexity: O(items) to lay the table out anew; unchanged items are not mapped again.
  mutating func apply(_ edit: Edit) throws(TableError) -> String {
    guard content.local != nil else {
      throw .forbidden("The table `\(name)` shows an upstream's items and is configured without `edits`.")
    }
    switch edit {
    case .insert(let item, let place): return try insert(item, place)
    case .patch(let row, let patch):
      let item = try editable(row, .edit, "edited")
      let before = content.result
      _ = try change { items throws(EditError) in try items.patch(item, with: patch) }
      let now = try identity(of: item, after: before)
      // An item in several sections has several rows: the one that was named, if it is still there.
      return content.result?.item(row)?.givenID == item.description ? row : now
    case .delete(let row):
      let item = try editable(row, .edit, "deleted")
      _ = try change { items throws(EditError) in try items.delete(item) }
      return row
    case .move(let row, let place):
      let item = try editable(row, .move, "moved")
      try move(item, row: row, place)
      return row
    }
  }

  // MARK: Edits

  private mutating func insert(_ body: JSONValue, _ place: EditPlace) throws(TableError) -> String {
    guard case .object = body else { throw .malformed("An item is a JSON object.") }
    let target = try target(of: place, moving: nil)
    let defaults = content.local?.definition.defaultItem ?? .object([])
    let placed = target.membership.map { body.merging(patch: $0) } ?? body
    let before = content.result
    let item = try change { items throws(EditError) in
      try items.insert(placed, default: defaults, at: target.place).id
    }
    let row = try identity(of: item, after: before)
    try verify(target, row: row)
    return row
  }

  private mutating func move(_ item: ItemID, row: String, _ place: EditPlace) throws(TableError) {
    let target = try target(of: place, moving: row)
    let before = content.result
    try change { items throws(EditError) in
      if let membership = target.membership { _ = try items.patch(item, with: membership) }
      try items.move(item, to: target.place)
    }
    _ = try identity(of: item, after: before)
    try verify(target, row: row)
  }

  /// Changes the items and lays the table out anew.
  private mutating func change<Result>(_ body: (inout LocalItems) throws(EditError) -> Result) throws(TableError)
    -> Result
  {
    guard var items = content.local?.items else {
      throw .forbidden("The table `\(name)` has no items of its own.")
    }
    // Let go of the copy inside, so that the arrays are changed in place.
    content.local?.items = LocalItems.empty
    defer { content.local?.items = items }
    (items.limits.itemBytes, items.limits.tableBytes) = (limits.itemBytes, limits.tableBytes)
    let result: Result
    do { result = try body(&items) } catch { throw TableError(error) }
    content.local?.items = items
    table = content.table(named: name)
    return result
  }

  // MARK: Checks

  /// The item of a row that may be changed so. One that no section shows is found by the identity that its row would have.
  private func editable(_ row: String, _ permission: Permissions, _ verb: String) throws(TableError) -> ItemID {
    guard let found = content.result?.item(row) else {
      throw .notFound("The table `\(name)` has no row `\(row)`.")
    }
    guard let item = found.givenID.flatMap({ ItemID($0) }) else {
      throw .forbidden(
        "Row `\(row)` can't be \(verb): it comes from the source `\(found.source)`, not from the table's own."
      )
    }
    guard found.permissions.contains(permission) else {
      throw .forbidden("Row `\(row)` can't be \(verb): its `can.\(permission == .move ? "move" : "edit")` is false.")
    }
    return item
  }

  /// What an item is found by after an edit: its row's identity, also where no section shows it. Refused is an item that
  /// no cell takes, and one with the identity of another: of two, only one could be found.
  private func identity(of item: ItemID, after before: MappingResult?) throws(TableError) -> String {
    guard let local = content.local, let result = content.result, let position = local.items.index(of: item) else {
      return item.description
    }
    if let refusal = result.refusal(ofItemAt: position, of: local.source) {
      throw .unprocessable(refusal.reason, field: refusal.field)
    }
    let identity = result.identity(ofItemAt: position, of: local.source) ?? item.description
    for mapping in [result, before] {
      if let found = mapping?.item(identity), found.givenID != item.description { throw .taken(identity) }
    }
    return identity
  }
}

// MARK: - Places

extension EditSession {
  /// A place in the items' terms, and what it was in the table's.
  private struct Target {
    var place: Place
    /// A merge patch that makes an item one of the section.
    var membership: JSONValue?
    var section: String?
    var index: Int?
  }

  private func target(of place: EditPlace, moving row: String?) throws(TableError) -> Target {
    switch place {
    case .end: return Target(place: .end)
    case .before(let neighbor):
      let (item, section) = try self.neighbor(neighbor, "before", moving: row)
      return Target(place: .before(item), membership: try membership(section, moving: row), section: section)
    case .after(let neighbor):
      let (item, section) = try self.neighbor(neighbor, "after", moving: row)
      return Target(place: .after(item), membership: try membership(section, moving: row), section: section)
    case .section(let named, let index):
      let section = try self.section(named, moving: row)
      let rows = table.sections.first { $0.id == section }?.rows.filter { $0.id != row } ?? []
      guard index ?? 0 <= rows.count else {
        throw .unprocessable(
          "Section `\(section)` has \(rows.count) other rows: `at` is 0 to \(rows.count), not \(index ?? 0).",
          field: "at"
        )
      }
      var target = Target(place: .end, membership: try membership(section, moving: row), section: section, index: index)
      if let index, index < rows.count {
        target.place = .before(try item(of: rows[index].id))
      } else if let last = rows.last {
        target.place = .after(try item(of: last.id))
      }
      return target
    }
  }

  /// The section that a place names; the only one where it names none.
  private func section(_ named: String?, moving row: String?) throws(TableError) -> String {
    if let named {
      if case .groups = content.definition.sections { return named }
      try content.definition.sections.check(named, in: table)
      return named
    }
    if let row, let path = table.indexPath(of: row) { return table.sections[path.section].id }
    let declared = content.definition.sections.declaredIDs
    if declared.count == 1 { return declared[0] }
    if table.sections.count == 1 { return table.sections[0].id }
    throw .malformed("`at` counts in a section: say which, by `section`.", field: "section")
  }

  private func neighbor(_ row: String, _ field: String, moving: String?) throws(TableError) -> (
    ItemID, section: String
  ) {
    guard row != moving else {
      throw .unprocessable("Row `\(row)` can't be placed beside itself.", field: field)
    }
    guard let path = table.indexPath(of: row) else {
      throw .unprocessable("There is no row `\(row)` to be placed beside.", field: field)
    }
    return (try item(of: row), table.sections[path.section].id)
  }

  private func item(of row: String) throws(TableError) -> ItemID {
    guard let given = content.result?.item(row)?.givenID, let item = ItemID(given) else {
      throw .unprocessable("Row `\(row)` does not come from the table's own items.")
    }
    return item
  }

  /// What makes an item one of a section; nil where it is in it already or nothing is needed.
  private func membership(_ section: String, moving row: String?) throws(TableError) -> JSONValue? {
    if let row, let path = table.indexPath(of: row), table.sections[path.section].id == section { return nil }
    switch content.definition.sections {
    case .single: return nil
    case .groups(let groups):
      guard let path = groups.key.memberPath else {
        throw .unprocessable(
          "The sections of `\(name)` come from `\(groups.key)`, which is no member that could be set.",
          field: "section"
        )
      }
      return .patch(at: path, groupValue(section, path))
    case .list(let sections, _):
      guard let predicate = sections.first(where: { $0.id == section })?.predicate else { return nil }
      guard let (path, value) = predicate.satisfyingMember else { return nil }
      return .patch(at: path, value)
    }
  }

  /// The value of a group: as its other items have it (it may be a number), else the section's name.
  private func groupValue(_ section: String, _ path: [String]) -> JSONValue {
    guard let row = table.sections.first(where: { $0.id == section })?.rows.first,
      let bytes = content.result?.item(row.id)?.bytes, let item = try? JSONValue(parsing: bytes)
    else { return .string(section) }
    return path.reduce(Optional(item)) { $0?[$1] } ?? .string(section)
  }

  /// Where sections are sorted, or an item decides by other members where it stands, a place can't be had: then
  /// nothing is changed.
  private func verify(_ target: Target, row: String) throws(TableError) {
    guard let section = target.section else { return }
    guard let path = table.indexPath(of: row) else {
      throw .unprocessable("The item is in no section of `\(name)` then.", field: "section")
    }
    guard table.sections[path.section].id == section else {
      throw .unprocessable(
        "The item belongs to section `\(table.sections[path.section].id)`, not `\(section)`.",
        field: "section"
      )
    }
    if let index = target.index, path.row != index {
      throw .unprocessable(
        "Section `\(section)` is sorted: row `\(row)` stands at \(path.row), not \(index).",
        field: "at"
      )
    }
  }
}

extension SectionsDefinition {
  /// Refuses a section that can't be. Of groups any can: an item makes it.
  func check(_ named: String, in table: Table) throws(TableError) {
    if case .groups = self { return }
    guard declaredIDs.contains(named) else {
      throw .unprocessable(
        "There is no section `\(named)`: \(declaredIDs.map { "`\($0)`" }.joined(separator: ", ")) are.",
        field: "section"
      )
    }
  }

  /// The sections that are always known; empty for groups.
  fileprivate var declaredIDs: [String] {
    switch self {
    case .single(let section): [section.id]
    case .list(let sections, _): sections.map(\.id)
    case .groups: []
    }
  }
}

extension JSONValue {
  /// A merge patch that sets one member: `{"a":{"b":value}}`.
  fileprivate static func patch(at path: [String], _ value: JSONValue) -> JSONValue {
    path.reversed().reduce(value) { .object([Member(name: $1, value: $0)]) }
  }
}

extension TableError {
  fileprivate static func taken(_ row: String) -> TableError {
    TableError(
      .conflict,
      detail: "There is a row `\(row)` already: identities are unique in a table.",
      field: "id"
    )
  }

  /// What the protocol answers to an impossible edit.
  init(_ error: EditError) {
    switch error {
    case .unknownItem: self = .notFound("\(error)")
    case .itemTooLarge, .tableTooLarge: self.init(.tooLarge, detail: "\(error)")
    case .unknownNeighbor, .besideItself, .indexOutOfRange, .notAnObject, .tooManyItems, .exhausted:
      self = .unprocessable("\(error)")
    }
  }
}
