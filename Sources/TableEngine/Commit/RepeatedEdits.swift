import JSON
import TableModel
import TableStore

/// How a request to edit ended.
typealias EditResult = Result<EditAnswer, TableError>

/// The requests with an idempotency key that are under way: repeats wait for the first one's answer. All tables', as one
/// may be replaced by a reload while its upstream has an edit in hand.
struct RepeatedEdits: Sendable {
  private var waiting: [TableStore.ReplyKey: (content: [UInt8], completions: [@Sendable (EditResult) -> Void])] = [:]

  enum Place {
    /// With its key: it is to be carried out.
    case first
    /// It is answered with the first one.
    case behind
    /// It asks for something else than the first one.
    case reused
  }

  /// - Parameter content: what is asked, as a digest.
  mutating func join(
    _ key: TableStore.ReplyKey,
    _ content: [UInt8],
    _ completion: @escaping @Sendable (EditResult) -> Void
  ) -> Place {
    guard let first = waiting[key] else {
      waiting[key] = (content, [completion])
      return .first
    }
    guard first.content == content else { return .reused }
    waiting[key]?.completions.append(completion)
    return .behind
  }

  /// Returns the waiters for the answer, and forgets them.
  mutating func leave(_ key: TableStore.ReplyKey) -> [@Sendable (EditResult) -> Void] {
    waiting.removeValue(forKey: key)?.completions ?? []
  }
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
      if answer.hasReplaced {
        writer.name("replaced")
        writer.write(true)
      }
      if let reason = answer.unfit {
        writer.name("unfit")
        writer.write(reason)
      }
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
      if !error.fields.isEmpty {
        writer.name("fields")
        writer.beginArray()
        for field in error.fields {
          writer.beginArray()
          for text in [field.name] + field.reasons { writer.write(text) }
          writer.endArray()
        }
        writer.endArray()
      }
      for (name, number) in [("at", error.at), ("upstreamStatus", error.upstreamStatus)] {
        guard let number else { continue }
        writer.name(name)
        writer.write(number)
      }
    }
    writer.endObject()
    self.init(
      table: idempotency.table,
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
        EditAnswer(
          cursor: cursor,
          rows: rows.map { if case .string(let row) = $0 { row } else { nil } },
          hasReplaced: value["replaced"] == .bool(true),
          unfit: value.text("unfit"),
          isRepeated: true
        )
      )
    }
    guard let kind = value.text("kind").flatMap({ TableError.Kind(rawValue: $0) }), let detail = value.text("detail")
    else { return nil }
    var error = TableError(kind, title: value.text("title"), detail: detail, field: value.text("field"))
    if case .array(let fields)? = value["fields"] {
      error.fields = fields.compactMap { field in
        guard case .array(let elements) = field else { return nil }
        let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.first.map { TableError.FieldFault(name: $0, reasons: Array(texts.dropFirst())) }
      }
    }
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
