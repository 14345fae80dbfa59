import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TableStore

/// The checks of what may be edited, and of what becomes of it.
extension EditSession {
  /// The item of a row that may be changed so. One that no section shows is found by the identity that its row would have.
  func editable(_ row: String, _ permission: Permissions, _ verb: String) throws(TableError) -> ItemID {
    // The effects of edits before this one have to be seen first. Additions to groups are verified before it may change
    // where they stand.
    if !touched.isEmpty {
      let known = item(of: content.result?.item(row))
      if joined.count > 0 || (known.map(touched.contains) ?? true) { try settle() }
    }
    guard let found = content.result?.item(row), !isOfCallers || found.hasRow else {
      throw content.missing(row, in: table)
    }
    guard let item = item(of: found) else {
      throw .forbidden(
        "Row `\(row)` can't be \(verb): it comes from the source `\(found.source)`, not from the table's own."
      )
    }
    guard found.permissions.contains(permission) else {
      throw .forbidden("Row `\(row)` can't be \(verb): its `can.\(permission == .move ? "move" : "edit")` is false.")
    }
    return item
  }

  /// The table's own item that a row is made of; nil where it is another source's, or gone.
  func item(of found: RepresentedItem?) -> ItemID? {
    found?.givenID.flatMap { content.local?.items.id(of: $0) }
  }

  /// Returns the identity by which an item is found after an edit: its row's, also where no section shows it. An item
  /// that no cell takes is refused, and one with the identity of another: of two, only one could be found.
  func identity(of item: ItemID, after before: MappingResult?) throws(TableError) -> String {
    guard let local = content.local, let result = content.result, let position = local.items.index(of: item) else {
      return item.description
    }
    let name = local.items[position].identity
    if let refusal = result.refusal(ofOwned: item.rawValue, at: position, of: local.source) {
      throw .unprocessable(refusal.reason, field: refusal.field)
    }
    if isOfCallers {
      guard let isOwn = result.isOfCallers(local.items[position].body, from: local.source) else {
        throw .isNobodysYet(table: self.name)
      }
      guard isOwn else { throw .wouldBeOthers }
    }
    let identity = result.identity(ofOwned: item.rawValue, at: position, of: local.source) ?? name
    // The rows that it has in further sections are called after it: another item may have such a name.
    for row in [identity] + result.furtherRows(ofOwned: item.rawValue, at: position, of: local.source) {
      if let found = result.item(row), self.item(of: found) != item { throw .taken(row) }
      // The item now stands before the other one, which has lost its row to it. An item that was changed with it is
      // checked itself, and another caller's has no row here.
      let former = before?.item(row).flatMap { !isOfCallers || $0.hasRow ? $0 : nil }
      if let other = self.item(of: former), other != item, !touched.contains(other) { throw .taken(row) }
    }
    return identity
  }
}

/// The checks of edits by `local.fields`.
extension EditSession {
  /// - Parameters:
  ///   - item: with what makes it one of its section.
  ///   - sent: as the client has sent it.
  ///   - defaults: whose members an item gets that it lacks.
  func checkFields(adding item: JSONValue, sent: JSONValue, over defaults: JSONValue) throws(TableError) {
    guard let fields = content.local?.definition.fields else { return }
    let faults = fields.faults(writing: sent, making: item.completed(by: defaults), by: .whole)
    if !faults.isEmpty { throw .unwritable(faults) }
  }

  /// - Parameter isPlacement: the patch is the service's own, and makes the item one of a section.
  func checkFields(
    patching item: ItemID,
    with patch: JSONValue,
    isPlacement: Bool = false
  ) throws(TableError) {
    guard let local = content.local, let fields = local.definition.fields, let stored = local.items[item],
      let old = try? JSONValue(parsing: stored.body)
    else { return }
    let faults = fields.faults(
      writing: patch,
      making: old.merging(patch: patch),
      by: isPlacement ? .placement(of: old) : .patch(of: old)
    )
    if !faults.isEmpty { throw .unwritable(faults) }
  }
}
