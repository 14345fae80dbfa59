import Definitions
import FieldValues
import JSON
import TableMapping
import TableModel
import TableStore

/// Items under identities that clients have chosen.
extension EditSession {
  /// Adds an item under an identity, or puts it in the place of the one that has it.
  func put(
    _ body: JSONValue,
    as row: String,
    _ place: EditPlace,
    _ condition: PutCondition,
    _ number: Int
  ) throws(TableError) -> String {
    guard case .object = body else { throw .malformed("An item is a JSON object.") }
    guard let local = content.local, content.mapper.keepsIdentities(of: local.source) else {
      throw .namesItsOwn(name, "`row.id` makes them of the items. Add the item by POST")
    }
    guard try isThere(row) else {
      try ChosenIdentity.check(row)
      hasReplaced = false
      return try insert(body, as: row, place, number)
    }
    // One that is another's is not there, and what is called so can't be added: there is one.
    if isOfCallers { _ = try editable(row, [], "replaced") }
    if condition == .absent { throw .isThere(row) }
    let item = try editable(row, .edit, "replaced")
    hasReplaced = true
    return try replace(item, of: row, with: body, place, number)
  }

  /// Returns whether a row or an item has an identity, after the edits before this one. Edits that have only added
  /// others need not be laid out for that.
  private func isThere(_ row: String) throws(TableError) -> Bool {
    let own = content.local?.items.id(of: row)
    let isShown = content.result?.item(row) != nil
    if own.map({ touched.contains($0) }) ?? (isShown && !touched.isEmpty) { try settle() }
    return content.local?.items.id(of: row) != nil || content.result?.item(row) != nil
  }

  private func replace(
    _ item: ItemID,
    of row: String,
    with body: JSONValue,
    _ place: EditPlace,
    _ number: Int
  ) throws(TableError) -> String {
    let defaults = defaults(replacing: item)
    guard place != .end else {
      try checkFields(adding: body, sent: body, over: defaults)
      _ = try change(item) { items throws(EditError) in try items.replace(item, with: body, default: defaults) }
      expect(item, of: row, by: number)
      return row
    }
    try settle()
    let target = try target(of: place, moving: row, replacing: true)
    let placed = target.membership.map { body.setting($0.path, to: $0.value) } ?? body
    try checkFields(adding: placed, sent: body, over: defaults)
    let own = target.section.map { self.row(row, in: $0) } ?? row
    let before = (place: content.local?.items.index(of: item), section: self.place(of: own)?.section.id)
    let mayMove = content.result?.item(row)?.permissions.contains(.move) ?? false
    try change(item) { items throws(EditError) in
      _ = try items.replace(item, with: placed, default: defaults)
      try items.move(item, to: target.place)
    }
    // A row that stands there already is not moved: so a repeat is answered as the first request was.
    let staysInSection = target.section.map { before.section?.isExactly($0) == true } ?? true
    guard mayMove || staysInSection && before.place == content.local?.items.index(of: item) else {
      throw .forbidden("Row `\(row)` can't be moved: its `can.move` is false. Without a place it stays where it is.")
    }
    expect(item, of: row, by: number)
    return try layOutPlaced(item, of: row, at: target)
  }

  /// The members that an item gets which is put in the place of another and lacks them: those of the former one that no edit may write, as
  /// who made it, or the section that it was moved to; else the default ones.
  private func defaults(replacing item: ItemID) -> JSONValue {
    guard let local = content.local, let fields = local.definition.fields, let stored = local.items[item],
      case .object(let former)? = try? JSONValue(parsing: stored.body)
    else { return defaults }
    return JSONValue.object(former.filter { !fields.root.has($0.name) }).completed(by: defaults)
  }
}
