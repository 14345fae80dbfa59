import Crypto
import Definitions
import Dispatch
import HTTPServer
import JSON
import Logging
import TableModel
import TableStore

extension LiveTable {
  /// Carries a command out and answers it: when the edits are where the store promises, and everyone who waits has
  /// been given them. Edits of one table are laid out one after the other, and stored in groups.
  func edit(_ command: EditCommand, _ completion: @escaping @Sendable (Response) -> Void) {
    content.queue.async { [self] in
      guard let idempotency = command.idempotency else { return carryOut(command, completion) }
      let isFirst = content.access { $0.repeats.join(idempotency, completion) }
      guard isFirst else { return }
      // From here on the answer goes to all who have asked with this key.
      let answerAll: @Sendable (Response) -> Void = { [self] response in
        content.queue.async { [self] in
          for completion in content.access({ $0.repeats.leave(idempotency) }) { completion(response) }
        }
      }
      context.store.reply(table: name, key: idempotency.key) { [self] result in
        content.queue.async { [self] in
          switch result {
          case .success(let stored?):
            answerAll(stored.request == idempotency.digest ? Response(stored) : Idempotency.reused)
          case .success(nil): carryOut(command, answerAll)
          case .failure(let error): answerAll(ServiceError(error).response)
          }
        }
      }
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
    if let condition = command.condition, !condition.names(latest.cursor) {
      return refuse(
        ServiceError(
          status: .preconditionFailed,
          detail: "The table has moved on: it is at `\(latest.cursor)`. Follow its changes, then decide again.",
          field: "If-Match"
        )
      )
    }
    guard content.access({ $0.local != nil }) else { return forward(command, completion) }

    var session = content.access { EditSession($0, table: latest.table, named: name) }
    var rows: [String] = []
    do throws(ServiceError) {
      for edit in command.edits { rows.append(try session.apply(edit)) }
    } catch {
      return refuse(error)
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
    commit.reply = command.idempotency.map { StoredReply($0, response) }
    content.access { current in
      current = session.content
      current.local?.items = items
    }
    store(commit, retry: retry) { error in
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

extension EntityTagCondition {
  /// Whether `If-Match` names a version: its cursor, in whatever content coding it was got.
  fileprivate func names(_ cursor: Cursor) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags):
      tags.contains { tag in
        !tag.isWeak && tag.opaque.hasPrefix(cursor.description)
          && ["", "-gzip", "-deflate"].contains(String(tag.opaque.dropFirst(cursor.description.count)))
      }
    }
  }
}

// MARK: - Idempotency

extension Idempotency {
  var digest: [UInt8] { Array(request.utf8) }

  static var reused: Response {
    ServiceError.unprocessable(
      "This `Idempotency-Key` stood on another request: use a new one for a new request.",
      field: "Idempotency-Key"
    ).response
  }
}

/// The requests with an idempotency key that are under way: repeats wait for the first one's answer.
struct RepeatedRequests: Sendable {
  private var waiting: [String: (request: String, completions: [@Sendable (Response) -> Void])] = [:]

  /// Whether this is the first with its key. Another one is answered with it, or at once if it asks for other things.
  mutating func join(_ idempotency: Idempotency, _ completion: @escaping @Sendable (Response) -> Void) -> Bool {
    guard let first = waiting[idempotency.key] else {
      waiting[idempotency.key] = (idempotency.request, [completion])
      return true
    }
    if first.request == idempotency.request {
      waiting[idempotency.key]?.completions.append(completion)
    } else {
      completion(Idempotency.reused)
    }
    return false
  }

  mutating func leave(_ idempotency: Idempotency) -> [@Sendable (Response) -> Void] {
    waiting.removeValue(forKey: idempotency.key)?.completions ?? []
  }
}

extension StoredReply {
  /// How long a repeat gets the first answer, in seconds.
  private static let lifetime: Int64 = 24 * 3600

  fileprivate init(_ idempotency: Idempotency, _ response: Response) {
    self.init(
      key: idempotency.key,
      request: idempotency.digest,
      status: response.status.code,
      headers: (response.headers.fields + response.additional).map {
        Header(name: $0.name.description, value: $0.value)
      },
      body: response.body,
      expires: secondsSince1970() + Self.lifetime
    )
  }
}

extension Response {
  fileprivate init(_ stored: StoredReply) {
    let fields = stored.headers.compactMap { field in HeaderName(field.name).map { HeaderField($0, field.value) } }
    self.init(status: Status(stored.status), headers: HeaderBlock(fields), body: stored.body)
  }
}
