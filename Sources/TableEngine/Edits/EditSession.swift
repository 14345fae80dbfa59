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
  let name: String

  init(_ content: TableContent, table: Table, named name: String) {
    (self.content, self.table, self.name) = (content, table, name)
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
    let placed = target.membership.map { body.setting($0.path, to: $0.value) } ?? body
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
      if let membership = target.membership { _ = try items.patch(item, with: membership.patch) }
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
