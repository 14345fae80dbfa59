import Definitions
import Foundation
import JSON
import TableMapping
import TableModel
import Upstream

/// One edit on its way to the upstream: checked, and what is done to the table when it is accepted.
struct ForwardingPlan: Sendable {
  let source: String
  let request: EditRequestDefinition
  private let change: Edit
  private let item: JSONValue
  private let body: JSONValue

  init(_ request: EditRequest, _ content: TableContent, table: Table, named name: String) throws(TableError) {
    guard request.edits.count == 1, let change = request.edits.first else {
      throw .unprocessable("Edits of an upstream's items are sent one by one: a batch can't be all or nothing there.")
    }
    let edits = content.definition.edits
    let (upstreamRequest, permission, verb): (EditRequestDefinition?, Permissions, String)
    switch change {
    case .insert(let item, _): (upstreamRequest, permission, verb, body) = (edits.insert, [], "added", item)
    case .patch(_, let patch): (upstreamRequest, permission, verb, body) = (edits.patch, .edit, "edited", patch)
    case .delete: (upstreamRequest, permission, verb, body) = (edits.delete, .edit, "deleted", .null)
    case .move(_, let place): (upstreamRequest, permission, verb, body) = (edits.move, .move, "moved", place.body)
    }
    guard let upstreamRequest else {
      throw .forbidden("Items of `\(name)` can't be \(verb): the table's `edits` do not say how the upstream is asked.")
    }
    if let row = change.row {
      guard let path = table.indexPath(of: row), let shown = table[at: path], let object = content.object(row) else {
        throw .notFound("The table `\(name)` has no row `\(row)`.")
      }
      guard shown.permissions.isSuperset(of: permission) else {
        throw .forbidden(
          "Row `\(row)` can't be \(verb): its `can.\(permission == .move ? "move" : "edit")` is false."
        )
      }
      item = (try? JSONValue(parsing: object.bytes)) ?? .null
      // Where another replica asks the sources, which of them an item came from is not known here.
      source = content.result?.item(row)?.source ?? content.definition.source
    } else {
      item = .null
      source = content.definition.source
    }
    if let place = change.place { try Self.check(place, moving: change.row, in: table, content) }
    (self.request, self.change) = (upstreamRequest, change)
  }

  /// Refuses a place that is not there, before anything is sent.
  private static func check(_ place: EditPlace, moving row: String?, in table: Table, _ content: TableContent)
    throws(TableError)
  {
    switch place {
    case .end: return
    case .before(let neighbor), .after(let neighbor):
      let field = if case .before = place { "before" } else { "after" }
      guard neighbor != row else {
        throw .unprocessable("Row `\(neighbor)` can't be placed beside itself.", field: field)
      }
      guard table.indexPath(of: neighbor) != nil else {
        throw .unprocessable("There is no row `\(neighbor)` to be placed beside.", field: field)
      }
    case .section(let named, let at):
      if let named { try content.definition.sections.check(named, in: table) }
      guard let at else { return }
      let section = named.map { name in table.sections.first { $0.id == name } } ?? table.sections.first
      let count = (section?.rows ?? []).count(where: { $0.id != row })
      guard at <= count else {
        throw .unprocessable("There are \(count) other rows: `at` is 0 to \(count), not \(at).", field: "at")
      }
    }
  }

  func edit(_ key: String) -> ForwardedEdit {
    ForwardedEdit(item: item, edit: body, place: change.place?.forwarded, id: change.row, idempotencyKey: key)
  }

  /// Does to the source's content what the upstream has said it did. Returns the row's identity; nil where the upstream
  /// did not say what a new item is: then nothing is done, for whatever was shown would be guessed.
  func apply(_ answer: [UInt8]?, to content: inout TableContent, named name: String) -> String? {
    let items = content.result?.items(of: source) ?? []
    let answered = answer.flatMap { try? JSONValue(parsing: $0) }.flatMap { value in
      if case .object(let members) = value, !members.isEmpty { value } else { nil }
    }
    if case .insert(let item, _) = change {
      let before = content
      guard let answered, let row = content.lay(items.map(\.bytes) + [answered.bytes], over: source, named: name) else {
        content = before
        return nil
      }
      // What the answer leaves out is as it was sent.
      _ = content.lay(items.map(\.bytes) + [item.merging(patch: answered).bytes], over: source, named: name)
      return row
    }
    var changed = items
    guard let position = items.firstIndex(where: { $0.row == change.row }) else { return change.row }
    switch change {
    case .insert: break
    case .patch(_, let patch): changed[position].bytes = (matching(answered) ?? item.merging(patch: patch)).bytes
    case .delete: changed.remove(at: position)
    case .move(_, let place):
      let moving = changed.remove(at: position)
      changed.insert(moving, at: place.index(among: changed.map(\.row), in: content.result?.sections ?? []))
    }
    _ = content.lay(changed.map(\.bytes), over: source, named: name)
    return change.row
  }

  /// The row that it is about; nil for a new one.
  var row: String? { change.row }

  /// Whether the table shows already what the upstream has accepted.
  func isApplied(_ row: String?) -> Bool {
    if case .insert = change { row != nil } else { true }
  }

  /// An upstream's answer to a patch counts as the item where it looks like it: it has the members that the item has.
  private func matching(_ answer: JSONValue?) -> JSONValue? {
    guard case .object(let old) = item, let answer, old.allSatisfy({ answer[$0.name] != nil }) else { return nil }
    return answer
  }
}

extension TableContent {
  /// Lays other items over what a source has said. Returns the identity of the last one, if it has any.
  fileprivate mutating func lay(_ items: [[UInt8]], over source: String, named name: String) -> String? {
    inputs[source]?.content = .items(items.map { SourceItem(bytes: $0) })
    _ = table(named: name)
    return items.isEmpty ? nil : result?.identity(ofItemAt: items.count - 1, of: source)
  }
}

extension EditPlace {
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

  /// As a request to the upstream sees it in `$edit.section`, `$edit.at`, `$edit.before` and `$edit.after`.
  fileprivate var forwarded: ForwardedEdit.Place? {
    switch self {
    case .end: nil
    case .section(let section, let at): ForwardedEdit.Place(section: section, at: at)
    case .before(let row): ForwardedEdit.Place(before: row)
    case .after(let row): ForwardedEdit.Place(after: row)
    }
  }

  /// Where in a source's list this place is; the moving item is no longer in it.
  fileprivate func index(among rows: [String?], in sections: [Section]) -> Int {
    switch self {
    case .end: return rows.count
    case .before(let row): return rows.firstIndex(of: row) ?? rows.count
    case .after(let row): return rows.firstIndex(of: row).map { $0 + 1 } ?? rows.count
    case .section(let id, let at):
      let section = sections.first { $0.id == id } ?? sections.first
      let present = (section?.rows ?? []).map(\.id).filter { rows.contains($0) }
      guard let at, at < present.count else { return rows.count }
      return rows.firstIndex(of: present[at]) ?? rows.count
    }
  }
}
