import Definitions
import Digests
import FieldValues
import Foundation
import JSON
import TableMapping
import TableModel
import Upstream

/// One edit on its way to the upstream: checked, and what is done to the table when it is accepted.
struct ForwardingPlan: Sendable {
  let source: String
  let request: EditRequestDefinition
  let change: Edit
  /// The item as it is now; null for an insert.
  let item: JSONValue
  /// The item's identity in the upstream, whichever of its rows is edited; of an insert, the identity that it is to
  /// get: nil where the upstream decides that.
  let identity: String?
  /// The client has asked for one with this identity.
  private(set) var chosen: String?
  /// True if only the leader can tell that the identity is free: the rows are each caller's own, and another replica has made them.
  private(set) var isChosenInDoubt = false
  /// The place where it goes, beside the upstream's name for that.
  let place: EditPlace?
  /// The section of the row that it goes beside.
  private let section: String?
  private let body: JSONValue
  /// The items that the table's lookups find, as far as the request names them.
  private let lookups: [String: JSONValue]
  /// `$parent`, where the request names it.
  private let parent: JSONValue
  /// The language of the table that the client sees.
  private let locale: String?

  init(
    _ request: EditRequest,
    _ content: TableContent,
    table: Table,
    named name: String
  ) throws(TableError) {
    guard request.edits.count == 1, let asked = request.edits.first else {
      throw .unprocessable("Edits of an upstream's items are sent one by one: a batch can't be all or nothing there.")
    }
    let edits = content.definition.edits
    let change = try asked.settled(in: table, content, named: name)
    if case .put(let row, _, _, _) = asked {
      chosen = row
      isChosenInDoubt = change.row == nil && content.isOfCallers && content.result == nil
    }
    // Where another replica asks the sources, the item's source is not known here.
    source =
      change.row.flatMap { content.result?.item($0)?.source } ?? change.place?.source(in: content)
      ?? content.definition.source
    guard content.otherItems[source] == nil else {
      throw .forbidden(
        "The items of `\(source)` are the service's own, and can only be read in `\(name)`: edit them in a table of their own, "
          + "whose `source` they are, without parameters and forwarded headers."
      )
    }
    let (upstreamRequest, permission, verb): (EditRequestDefinition?, Permissions, String)
    switch change {
    case .insert(let item, _): (upstreamRequest, permission, verb, body) = (edits.insert, [], "added", item)
    case .put(let row, let item, let place, _):
      guard edits.replace != nil else {
        throw TableError(
          .notAllowed,
          detail: "There is a row `\(row)` already, and it can't be replaced: the table's `edits` have no `replace`."
        )
      }
      let permissions: Permissions = place == .end ? .edit : [.edit, .move]
      (upstreamRequest, permission, verb, body) = (edits.replace, permissions, "replaced", item)
    case .patch(_, let patch): (upstreamRequest, permission, verb, body) = (edits.patch, .edit, "edited", patch)
    case .delete: (upstreamRequest, permission, verb, body) = (edits.delete, .edit, "deleted", .null)
    case .move(_, let place):
      (upstreamRequest, permission, verb, body) = (
        edits.move, .move, "moved", place.naming(content.itemIdentity(ofRow:)).body
      )
    case .action(let row, let id, let sent):
      let action = try content.action(id, of: row, in: table)
      guard case .request(let own) = action.effect else {
        throw .forbidden("The action `\(id)` patches items of the service's own; those of `\(name)` are an upstream's.")
      }
      (upstreamRequest, permission, verb, body) = (own, [], "acted on", sent)
    }
    guard let upstreamRequest else {
      throw .forbidden("Items of `\(name)` can't be \(verb): the table's `edits` do not say how the upstream is asked.")
    }
    if let row = change.row {
      guard let allowed = Self.permissions(of: row, for: change, in: table, content), let object = content.object(row)
      else { throw content.missing(row, in: table) }
      let missing = permission.subtracting(allowed)
      guard missing.isEmpty else {
        throw .forbidden("Row `\(row)` can't be \(verb): its `can.\(missing == .move ? "move" : "edit")` is false.")
      }
      item = (try? JSONValue(parsing: object.bytes)) ?? .null
      lookups = try content.lookedUp(upstreamRequest.lookups, for: row)
      parent = upstreamRequest.readsParent ? try content.parent(of: row) : .null
    } else {
      (item, lookups, parent) = (.null, [:], .null)
    }
    if let place = change.place { try Self.check(place, moving: change.row, in: table, content) }
    (self.request, self.change, locale) = (upstreamRequest, change, content.variables.locale)
    place = change.place?.naming(content.itemIdentity(ofRow:))
    section = change.place?.neighbor.flatMap { table.indexPath(of: $0) }.map { table.sections[$0.section].id }
    identity =
      if let row = change.row {
        content.itemIdentity(ofRow: row)
      } else if edits.takesChosenIdentities {
        chosen ?? ChosenIdentity.made(for: request.preconditions.idempotency)
      } else {
        nil
      }
  }

  /// Which item it was made for, in all its members; nil of an insert. O(bytes).
  var itemDigest: String? {
    change.row == nil ? nil : hexadecimal(SHA256.digest(of: item.bytes).prefix(16))
  }

  var isInsert: Bool { if case .insert = change { true } else { false } }

  /// An item is put in the place of another.
  var isReplacement: Bool { if case .put = change { true } else { false } }

  /// Returns what may be done with a row's item; nil where there is no such row. One that a section's limit keeps out of
  /// sight can be replaced all the same: its identity is taken.
  private static func permissions(of row: String, for change: Edit, in table: Table, _ content: TableContent)
    -> Permissions?
  {
    if let path = table.indexPath(of: row), let shown = table[at: path] { return shown.permissions }
    guard change.isPut, let hidden = content.result?.item(row), hidden.hasRow else { return nil }
    return hidden.permissions
  }

  /// Refuses a place that is not there, before anything is sent.
  private static func check(_ place: EditPlace, moving row: String?, in table: Table, _ content: TableContent)
    throws(TableError)
  {
    switch place {
    case .end: return
    case .before(let neighbor), .after(let neighbor):
      let field = if case .before = place { "before" } else { "after" }
      guard row?.isExactly(neighbor) != true else {
        throw .unprocessable("Row `\(neighbor)` can't be placed beside itself.", field: field)
      }
      guard table.indexPath(of: neighbor) != nil else {
        throw .unprocessable("There is no row `\(neighbor)` to be placed beside.", field: field)
      }
    case .section(let named, let at):
      if let named { try content.definition.sections.check(named, in: table) }
      let id: String
      if let named { id = named } else { id = try content.definition.sections.unnamed(moving: row, in: table) }
      guard let at else { return }
      let section = table.sections.first { $0.id.isExactly(id) }
      let isThere = row.flatMap { table.indexPath(of: $0) }.map { table.sections[$0.section] === section } ?? false
      let count = (section?.rows.count ?? 0) - (isThere ? 1 : 0)
      guard at <= count else {
        throw .unprocessable("There are \(count) other rows: `at` is 0 to \(count), not \(at).", field: "at")
      }
    }
  }

  func edit(_ key: String) -> ForwardedEdit {
    var edit = ForwardedEdit(
      item: item,
      edit: body,
      place: place?.forwarded(in: section),
      id: identity,
      lookups: lookups,
      locale: locale,
      idempotencyKey: key
    )
    edit.parent = parent
    return edit
  }
}

extension Edit {
  /// The sources without which it is not known whether the rows are there that it names: those that are looked up hold up the mapping of
  /// the others. An item under a chosen identity waits for the one alone that it is for.
  func sources(in content: TableContent) -> [String] {
    guard isPut else { return content.mapper.sources }
    return [place?.source(in: content) ?? content.definition.source]
  }
}

extension EditPlace {
  /// That of the section, or of the row beside; nil where none is named.
  func source(in content: TableContent) -> String? {
    switch self {
    case .end, .section(nil, _): nil
    case .section(let id?, _): content.definition.sections.source(of: id)
    case .before(let row), .after(let row): content.result?.item(row)?.source
    }
  }

  /// The same with another name for the row beside.
  fileprivate func naming(_ name: (String) -> String) -> EditPlace {
    switch self {
    case .end, .section: self
    case .before(let row): .before(name(row))
    case .after(let row): .after(name(row))
    }
  }

  /// As the body of a move says it: `$edit`.
  fileprivate var body: JSONValue {
    switch self {
    case .end: [:]
    case .section(let section, let at):
      .object(
        [
          section.map { JSONValue.Member(name: "section", value: .string($0)) },
          at.map { JSONValue.Member(name: "at", value: .integer(Int64($0))) },
        ].compactMap { $0 }
      )
    case .before(let row): ["before": .string(row)]
    case .after(let row): ["after": .string(row)]
    }
  }

  /// The row that it is beside.
  var neighbor: String? {
    switch self {
    case .end, .section: nil
    case .before(let row), .after(let row): row
    }
  }

  /// As a request to the upstream sees it in `$edit.section`, `$edit.at`, `$edit.before` and `$edit.after`.
  ///
  /// - Parameter beside: the section of the row that is named: who goes beside it goes there.
  fileprivate func forwarded(in beside: String?) -> ForwardedEdit.Place? {
    switch self {
    case .end: nil
    case .section(let section, let at): ForwardedEdit.Place(section: section, at: at)
    case .before(let row): ForwardedEdit.Place(section: beside, before: row)
    case .after(let row): ForwardedEdit.Place(section: beside, after: row)
    }
  }
}
