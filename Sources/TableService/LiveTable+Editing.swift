import Definitions
import Dispatch
import HTTPServer
import JSON
import Synchronization
import TableModel
import TableStore

extension LiveTable {
  /// Carries a command out and answers it: when the edits are where the store promises, and everyone who waits has
  /// been given them. Edits of one table are laid out one after the other, and stored in groups.
  func edit(_ command: EditCommand, _ completion: @escaping @Sendable (Response) -> Void) {
    editsAhead.add(1, ordering: .relaxed)
    content.queue.async { [self] in
      editsAhead.subtract(1, ordering: .relaxed)
      once(command.terms.idempotency, completion) { [self] in carryOut(command, $0) }
    }
  }

  private func carryOut(_ command: EditCommand, _ completion: @escaping @Sendable (Response) -> Void) {
    let retry: @Sendable () -> Void = { [self] in carryOut(command, completion) }
    // Nothing is built on what is about to be undone, and nobody overtakes those who wait.
    guard !content.access({ $0.commits.holdsBack(retry) }) else { return }
    // What refuses an edit may not be stored yet: the answer must not be ahead of what readers see, nor stand
    // where it is undone.
    let refuse: @Sendable (ServiceError) -> Void = { [self] error in
      let answer: @Sendable () -> Void = { completion(error.response) }
      if !content.access({ $0.commits.follow(answer, undone: retry) }) { answer() }
    }
    let latest = feed.latest
    if let error = refusal(of: command.terms) { return refuse(error) }
    guard content.access({ $0.local != nil }) else { return forward(command, completion) }

    var session = content.access { EditSession($0, table: latest.table, named: name) }
    var rows: [String] = []
    do throws(ServiceError) {
      for edit in command.edits { rows.append(try session.apply(edit)) }
    } catch {
      return refuse(command.answer == .batch ? error.ofEdit(rows.count) : error)
    }
    guard let changed = session.content.local?.items else { return }
    var items = changed
    let changes = items.takeChanges()
    let version = feed.prepare(session.table)
    // What changes nothing that is shown has no version to tell that it was built on an edit that failed: it waits
    // for those before it, and those behind wait with it, or there would always be another before it.
    if version == nil, content.access({ $0.commits.waitForAll(retry) }) { return }
    let cursor = (version ?? latest).cursor
    let response = command.answer.response(rows: rows, cursor: cursor, path: path)
    var commit = Commit(table: name, durability: .full, version: version, items: changes)
    commit.reply = command.terms.idempotency.map { StoredReply($0, response) }
    content.access { current in
      current = session.content
      current.local?.items = items
    }
    // With another edit behind it this one is stored beside that one's laying out, and perhaps both as one.
    let isAlone = editsAhead.load(ordering: .relaxed) == 0
    store(commit, mayBlock: isAlone, retry: retry) { error in
      completion(error.map { ServiceError($0).response } ?? response)
    }
  }
}

extension EditAnswer {
  func response(rows: [String], cursor: Cursor, path: String) -> Response {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("cursor")
    writer.write(cursor.description)
    switch self {
    case .one, .created:
      writer.name("id")
      writer.write(rows.first ?? "")
    case .batch:
      writer.name("ids")
      writer.beginArray()
      for row in rows { writer.write(row) }
      writer.endArray()
    }
    writer.endObject()
    switch self {
    case .one, .batch: return Response(status: .ok, headers: .jsonNotStored, body: writer.bytes)
    case .created:
      return Response(
        status: .created,
        headers: .jsonNotStored,
        additional: [HeaderField(.location, "\(path)/items/\(percentEncoded(rows.first ?? ""))")],
        body: writer.bytes
      )
    }
  }
}
