import Definitions
import Dispatch
import HTTPServer
import JSON
import TableModel
import TableStore

extension LiveTable {
  /// `didSelectRow`: an expandable row toggles, for its view or, where the table says so, for everyone.
  func tap(
    _ row: String,
    _ lens: Lens,
    _ terms: EditTerms,
    _ completion: @escaping @Sendable (Response) -> Void
  ) {
    content.queue.async { [self] in
      once(terms.idempotency, completion) { [self] answer in
        toggle(row, lens, terms) { [self] error in
          if let error { return answer(error.response) }
          content.queue.async { [self] in
            let object = content.access { $0.object(row)?.bytes }
            read(lens) { [self] table, cursor in
              reply(to: terms, Self.tapReply(row, in: table, cursor, object), ofView: lens.view != nil, answer)
            }
          }
        }
      }
    }
  }

  /// Does what a tap does; `completion` is given what refuses it. On the table's queue.
  private func toggle(
    _ row: String,
    _ lens: Lens,
    _ terms: EditTerms,
    then completion: @escaping @Sendable (ServiceError?) -> Void
  ) {
    let latest = feed.latest.table
    guard let path = latest.indexPath(of: row), let plain = latest[at: path] else {
      return completion(.notFound("The table `\(name)` has no row `\(row)`."))
    }
    guard plain.permissions.contains(.select) else {
      return completion(.forbidden("Row `\(row)` can't be selected: its `can.select` is false."))
    }
    if let error = refusal(of: terms) { return completion(error) }
    if let view = lens.view {
      if plain.expansion != nil {
        context.views.tap(plain.key.identity, view: view, table: feed.epoch)
        context.wake([context.views.topic(view: view)])
      }
      return completion(nil)
    }
    guard content.access({ $0.definition.sharedTaps }) else {
      return completion(
        .malformed("A tap is of a view: `?view=` and a token of your choice, one for each screen.", field: "view")
      )
    }
    guard plain.expansion != nil else { return completion(nil) }
    toggleForEveryone(row) { error in completion(error.map { ServiceError($0) }) }
  }

  private func toggleForEveryone(_ row: String, then completion: @escaping @Sendable (StoreError?) -> Void) {
    let retry: @Sendable () -> Void = { [self] in toggleForEveryone(row, then: completion) }
    guard !content.access({ $0.commits.holdsBack(retry) }) else { return }
    let (change, table) = content.access { content in
      let isToggled = content.toggle(row, in: feed.latest.table)
      return (ToggleChange(row: row, isToggled: isToggled), content.table(named: name))
    }
    publish(table, toggles: [change], retry: retry, then: completion)
  }

  /// Answers a tap, and keeps the answer for a repeat: as long as what the tap did, a view's in memory alone.
  private func reply(
    to terms: EditTerms,
    _ result: Result<Response, ServiceError>,
    ofView isOfView: Bool,
    _ answer: @escaping @Sendable (Response) -> Void
  ) {
    switch result {
    case .failure(let error): answer(error.response)
    case .success(let response):
      guard let idempotency = terms.idempotency else { return answer(response) }
      content.queue.async { [self] in
        remember(response, for: idempotency, inStore: !isOfView) { answer(response) }
      }
    }
  }

  private static func tapReply(_ id: String, in table: Table, _ cursor: Cursor, _ object: [UInt8]?)
    -> Result<Response, ServiceError>
  {
    guard let path = table.indexPath(of: id), let row = table[at: path] else {
      return .failure(.notFound("Row `\(id)` is gone."))
    }
    var writer = JSONWriter(capacity: row.encoded.count * 2)
    writer.beginObject()
    writer.name("cursor")
    writer.write(cursor.description)
    writer.name("id")
    writer.write(id)
    writer.name("row")
    writer.write(raw: row.encoded)
    writer.name("object")
    if let object { writer.write(raw: object) } else { writer.writeNull() }
    writer.name("select")
    if let select = row.select { writer.write(raw: row.encoded[select]) } else { writer.writeNull() }
    writer.endObject()
    return .success(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
  }
}
