import JSON
import TableModel
import TableStore

/// How a request to edit ended.
typealias EditResult = Result<EditAnswer, TableError>

/// The requests with an idempotency key that are under way: repeats wait for the first one's answer.
struct RepeatedEdits: Sendable {
  /// Whose they are, and what for.
  private struct Key: Hashable {
    var caller: String
    var route: String
    var key: String

    init(_ idempotency: Idempotency) {
      (caller, route, key) = (idempotency.caller, idempotency.route, idempotency.key)
    }
  }
  private var waiting: [Key: (content: [UInt8], completions: [@Sendable (EditResult) -> Void])] = [:]

  /// Whether this is the first with its key. Another one is answered with it, or at once if it asks for other things.
  mutating func join(_ idempotency: Idempotency, _ completion: @escaping @Sendable (EditResult) -> Void) -> Bool {
    let key = Key(idempotency)
    guard let first = waiting[key] else {
      waiting[key] = (idempotency.content, [completion])
      return true
    }
    if first.content == idempotency.content {
      waiting[key]?.completions.append(completion)
    } else {
      completion(.failure(.keyReused))
    }
    return false
  }

  mutating func leave(_ idempotency: Idempotency) -> [@Sendable (EditResult) -> Void] {
    waiting.removeValue(forKey: Key(idempotency))?.completions ?? []
  }
}

extension TableError {
  static let keyReused = TableError.unprocessable(
    "This `Idempotency-Key` stood on another request: use a new one for a new request.",
    field: "Idempotency-Key"
  )
}

// MARK: - Answers as they are kept

extension StoredReply {
  /// How long a repeat gets the first answer, in seconds.
  private static let lifetime: Int64 = 24 * 3600

  /// Nil for what is no judgement: a repeat of it is tried again.
  init?(_ idempotency: Idempotency, _ outcome: EditResult) {
    var writer = JSONWriter()
    writer.beginObject()
    let status: Int
    switch outcome {
    case .success(let answer):
      status = Self.success
      writer.name("cursor")
      writer.write(answer.cursor.description)
      writer.name("rows")
      writer.beginArray()
      for row in answer.rows { if let row { writer.write(row) } else { writer.writeNull() } }
      writer.endArray()
    case .failure(let error):
      guard error.isJudgement else { return nil }
      status = Self.refusal
      writer.name("kind")
      writer.write(error.kind.rawValue)
      writer.name("detail")
      writer.write(error.detail)
      for (name, text) in [("title", error.title), ("field", error.field)] {
        guard let text else { continue }
        writer.name(name)
        writer.write(text)
      }
      for (name, number) in [("at", error.at), ("upstreamStatus", error.upstreamStatus)] {
        guard let number else { continue }
        writer.name(name)
        writer.write(number)
      }
    }
    writer.endObject()
    self.init(
      caller: idempotency.caller,
      scope: idempotency.route,
      key: idempotency.key,
      request: idempotency.content,
      status: status,
      headers: [],
      body: writer.bytes,
      expires: secondsSince1970() + Self.lifetime
    )
  }

  private static let success = 200
  private static let refusal = 400

  /// To a request with its key: what the first one got, if it asks for the same. Nil where it can't be read.
  func outcome(for idempotency: Idempotency) -> EditResult? {
    guard request == idempotency.content else { return .failure(.keyReused) }
    guard let value = try? JSONValue(parsing: body) else { return nil }
    guard status == Self.refusal else {
      guard let cursor = value.text("cursor").flatMap({ Cursor($0) }), case .array(let rows)? = value["rows"] else {
        return nil
      }
      return .success(
        EditAnswer(cursor: cursor, rows: rows.map { if case .string(let row) = $0 { row } else { nil } })
      )
    }
    guard let kind = value.text("kind").flatMap({ TableError.Kind(rawValue: $0) }), let detail = value.text("detail")
    else { return nil }
    var error = TableError(kind, title: value.text("title"), detail: detail, field: value.text("field"))
    error.at = value.number("at")
    error.upstreamStatus = value.number("upstreamStatus")
    return .failure(error)
  }
}

extension JSONValue {
  fileprivate func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  fileprivate func number(_ name: String) -> Int? {
    if case .integer(let number)? = self[name] { Int(exactly: number) } else { nil }
  }
}
