import Definitions
import Dispatch
import HTTPServer
import JSON
import TableMapping
import TableModel
import TableStore

extension LiveTable {
  /// What the rows depend on beside the table.
  var vary: [String] { TableRenderer.vary(forwards) }

  var cacheControl: String { isPrivate ? "private, no-cache" : "no-cache" }

  /// Gives the table as it is through a lens, on the rendering queue.
  func read(_ lens: Lens, _ body: @escaping @Sendable (Table, Cursor) -> Void) {
    onRenderingQueue { [self] in
      let (table, cursor) = shown(through: lens)
      body(table, cursor)
    }
  }

  /// The represented object of a row. `completion` runs on the table's queue.
  func item(_ row: String, _ completion: @escaping @Sendable (Result<[UInt8], ServiceError>) -> Void) {
    content.queue.async { [self] in
      if let bytes = content.access({ $0.object(row) }) { return completion(.success(bytes)) }
      completion(.failure(.notFound("The table `\(name)` has no row `\(row)`.")))
    }
  }

  /// `didSelectRow`: an expandable row toggles, for its view or, where the table says so, for everyone.
  func tap(_ row: String, _ lens: Lens, _ completion: @escaping @Sendable (Result<[UInt8], ServiceError>) -> Void) {
    content.queue.async { [self] in
      let latest = feed.latest.table
      guard let path = latest.indexPath(of: row), let plain = latest[at: path] else {
        return completion(.failure(.notFound("The table `\(name)` has no row `\(row)`.")))
      }
      guard plain.permissions.contains(.select) else {
        return completion(.failure(.forbidden("Row `\(row)` can't be selected: its `can.select` is false.")))
      }
      let finish: @Sendable () -> Void = { [self] in
        content.queue.async { [self] in
          let object = content.access { $0.object(row) }
          read(lens) { table, cursor in completion(Self.tapReply(row, in: table, cursor, object)) }
        }
      }
      if let view = lens.view {
        if plain.expansion != nil {
          context.views.tap(plain.key.identity, view: view, table: feed.epoch)
          context.wake([context.views.topic(view: view)])
        }
        return finish()
      }
      guard content.access({ $0.definition.sharedTaps }) else {
        return completion(
          .failure(
            .malformed("A tap is of a view: `?view=` and a token of your choice, one for each screen.", field: "view")
          )
        )
      }
      guard plain.expansion != nil else { return finish() }
      toggleForEveryone(row) { error in
        if let error { completion(.failure(ServiceError(error))) } else { finish() }
      }
    }
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

  private static func tapReply(_ id: String, in table: Table, _ cursor: Cursor, _ object: [UInt8]?)
    -> Result<[UInt8], ServiceError>
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
    return .success(writer.bytes)
  }
}
