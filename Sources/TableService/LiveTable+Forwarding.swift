import Definitions
import Dispatch
import Foundation
import HTTPServer
import JSON
import Logging
import TableMapping
import TableModel
import TableStore
import Upstream

extension LiveTable {
  /// Sends an edit to the upstream. Accepted, it is applied to the table at once, and the refresh that follows makes
  /// good whatever the upstream made of it. On the table's queue.
  func forward(_ command: EditCommand, _ completion: @escaping @Sendable (Response) -> Void) {
    let plan: ForwardingPlan
    do throws(ServiceError) {
      plan = try content.access { content throws(ServiceError) in
        try ForwardingPlan(command, content, table: feed.latest.table, named: name)
      }
    } catch {
      return completion(error.response)
    }
    guard let source = sources.first(where: { $0.name == plan.source }) else {
      return completion(ServiceError.forbidden("The table `\(name)` has no upstream that takes edits.").response)
    }
    let key = command.terms.idempotency?.key ?? UUID().uuidString
    let definition = content.access { $0.definition }
    source.forward(
      plan.edit(key),
      as: plan.request,
      caller: command.caller.forwarded(by: definition.forward),
      of: definition
    ) {
      [self] outcome in
      switch outcome {
      case .accepted(_, let item):
        // What a fetch under way brings may be from before the edit: it is not waited for.
        let refreshed = DispatchGroup()
        refreshed.enter()
        content.queue.async { [self] in
          let before = Set(content.access { $0.result?.items(of: plan.source).compactMap(\.row) ?? [] })
          let row = content.access { content in plan.apply(item ?? [], to: &content, named: name) }
          publishContent { [self] in
            if let row { return answer(command, row, completion) }
            // The upstream did not say what the new item is: the refresh will.
            refreshed.notify(queue: content.queue) { [self] in
              let after = content.access { $0.result?.items(of: plan.source).compactMap(\.row) ?? [] }
              answer(command, after.first { !before.contains($0) } ?? "", completion)
            }
          }
        }
        source.refreshAfterChange { refreshed.leave() }
      case .refused(let error):
        // What the upstream says of the caller reaches the caller; everything else is an edit that was refused.
        let status = error.status.flatMap { (400..<500).contains($0) ? Status($0) : nil } ?? .badGateway
        completion(ServiceError(error, status: status).response)
      case .failed(let error):
        completion(ServiceError(error, status: .badGateway).response)
      case .unknown(let error):
        // Nobody knows whether it was carried out: the refresh will tell.
        source.refreshAfterChange()
        completion(
          ServiceError(
            status: .gatewayTimeout,
            title: error.title,
            detail: "\(error.detail). Whether the edit was carried out is not known; the table is being refreshed."
          ).response
        )
      }
    }
  }
}

extension LiveTable {
  /// Answers an edit that the upstream has accepted, and a repeat of it the same. On the table's queue.
  private func answer(_ command: EditCommand, _ row: String, _ completion: @escaping @Sendable (Response) -> Void) {
    let response = command.answer.response(rows: [row], cursor: feed.current.cursor, path: path)
    guard let idempotency = command.terms.idempotency else { return completion(response) }
    remember(response, for: idempotency, inStore: true) { completion(response) }
  }
}

/// One edit on its way to the upstream: checked, and what is done to the table when it is accepted.
struct ForwardingPlan: Sendable {
  let source: String
  let request: EditRequestDefinition
  private let change: Edit
  private let item: JSONValue
  private let body: JSONValue

  init(_ command: EditCommand, _ content: TableContent, table: Table, named name: String) throws(ServiceError) {
    guard command.edits.count == 1, let change = command.edits.first else {
      throw .unprocessable("Edits of an upstream's items are sent one by one: a batch can't be all or nothing there.")
    }
    let edits = content.definition.edits
    let (request, permission, verb): (EditRequestDefinition?, Permissions, String)
    switch change {
    case .insert(let item, _): (request, permission, verb, body) = (edits.insert, [], "added", item)
    case .patch(_, let patch): (request, permission, verb, body) = (edits.patch, .edit, "edited", patch)
    case .delete: (request, permission, verb, body) = (edits.delete, .edit, "deleted", .null)
    case .move(_, let place): (request, permission, verb, body) = (edits.move, .move, "moved", place.json)
    }
    guard let request else {
      throw .forbidden("Items of `\(name)` can't be \(verb): the table's `edits` do not say how the upstream is asked.")
    }
    if let row = change.row {
      guard let mapped = content.result?.item(row), let path = table.indexPath(of: row), let shown = table[at: path]
      else {
        throw .notFound("The table `\(name)` has no row `\(row)`.")
      }
      guard shown.permissions.isSuperset(of: permission) else {
        throw .forbidden(
          "Row `\(row)` can't be \(verb): its `can.\(permission == .move ? "move" : "edit")` is false."
        )
      }
      item = (try? JSONValue(parsing: mapped.bytes)) ?? .null
      source = mapped.source
    } else {
      item = .null
      source = content.definition.source
    }
    (self.request, self.change) = (request, change)
  }

  func edit(_ key: String) -> ForwardedEdit {
    ForwardedEdit(item: item, edit: body, id: change.row, idempotencyKey: key)
  }

  /// Does to the source's content what the upstream has said it did. Returns the row: nil where there is none for a
  /// new item, as far as is known yet.
  func apply(_ answer: [UInt8], to content: inout TableContent, named name: String) -> String? {
    var items = content.result?.items(of: source) ?? []
    let answered = (try? JSONValue(parsing: answer)).flatMap { value in
      if case .object(let members) = value, !members.isEmpty { value } else { nil }
    }
    let position = change.row.flatMap { row in items.firstIndex { $0.row == row } }
    switch change {
    case .insert(let item, _): items.append((row: nil, bytes: (answered.map(item.merging(patch:)) ?? item).bytes))
    case .patch(_, let patch):
      if let position { items[position].bytes = (matching(answered) ?? item.merging(patch: patch)).bytes }
    case .delete:
      if let position { items.remove(at: position) }
    case .move(_, let place):
      if let position {
        let moving = items.remove(at: position)
        items.insert(moving, at: place.index(among: items.map(\.row), in: content.result?.sections ?? []))
      }
    }
    let known = Set(items.compactMap(\.row))
    content.inputs[source]?.content = .items(items.map { SourceItem(bytes: $0.bytes) })
    _ = content.table(named: name)
    let row = change.row ?? content.result?.items(of: source).compactMap(\.row).first { !known.contains($0) }
    return row
  }

  /// An upstream's answer to a patch counts as the item where it looks like it: it has the members that the item has.
  private func matching(_ answer: JSONValue?) -> JSONValue? {
    guard case .object(let old) = item, let answer, old.allSatisfy({ answer[$0.name] != nil }) else { return nil }
    return answer
  }

}

extension EditPlace {
  /// As a request to the upstream sees it in `$edit`.
  fileprivate var json: JSONValue {
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
