import HTTPServer
import JSON
import TableModel
import TableStore

/// How an edit is answered.
enum EditAnswer: Sendable {
  /// 200 `{"cursor","id"}`
  case one
  /// 201, with `Location`
  case created
  /// 200 `{"cursor","ids"}`
  case batch
}

extension TableService {
  func add(to table: LiveTable, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    let item = try request.json(orEmpty: true)
    guard case .object = item else { throw .malformed("The body is the item: a JSON object.") }
    return try edit(table, [.insert(item: item, try EditPlace(request.query))], .created, request, exchange)
  }

  func patch(_ row: String, of table: LiveTable, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply
  {
    let patch = try request.json(orEmpty: false, types: ["application/merge-patch+json", "application/json"])
    guard case .object = patch else {
      throw .unprocessable("The body is a merge patch (RFC 7396): a JSON object, as the item is one.")
    }
    return try edit(table, [.patch(row: row, patch)], .one, request, exchange)
  }

  func move(_ row: String, of table: LiveTable, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply
  {
    let body = try request.json(orEmpty: false)
    let place = try EditPlace(body)
    guard case .object = body, place != .end else {
      throw .malformed("The body is `{\"section\": …, \"at\": …}`, `{\"after\": …}` or `{\"before\": …}`.")
    }
    return try edit(table, [.move(row: row, place)], .one, request, exchange)
  }

  func batch(_ table: LiveTable, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    try edit(table, try Edit.batch(try request.json(orEmpty: false)), .batch, request, exchange)
  }

  /// Carries edits out: all or nothing, one version.
  func edit(_ table: LiveTable, _ edits: [Edit], _ answer: EditAnswer, _ request: Request, _ exchange: Exchange)
    throws(ServiceError) -> Reply
  {
    let command = EditCommand(
      edits: edits,
      answer: answer,
      terms: try terms(request),
      caller: caller(request)
    )
    table.edit(command) { exchange.finish($0) }
    return .later
  }

  private func terms(_ request: Request) throws(ServiceError) -> EditTerms {
    EditTerms(condition: request.ifMatch, idempotency: try idempotency(request))
  }

  /// `Idempotency-Key`, and what the request was, so that a key is not used for two.
  private func idempotency(_ request: Request) throws(ServiceError) -> Idempotency? {
    guard let key = request.header(.idempotencyKey) else { return nil }
    guard (1...255).contains(key.utf8.count) else {
      throw .malformed("`Idempotency-Key` is 1 to 255 characters.", field: "Idempotency-Key")
    }
    let query = request.query.items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    let fingerprint = contentTag(Array("\(request.method.name) \(request.rawPath)?\(query)\n".utf8) + request.body)
    return Idempotency(key: key, request: fingerprint)
  }

  // MARK: Taps, refreshes, hooks

  func tap(_ row: String, of table: LiveTable, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    table.tap(row, try lens(request), try terms(request)) { exchange.finish($0) }
    return .later
  }

  func refresh(_ table: LiveTable, _ request: Request, _ exchange: Exchange) -> Reply {
    catalog.refresh(table) {
      if let refusal = table.refusal { return exchange.finish(refusal.response) }
      let current = table.feed.current
      var writer = JSONWriter()
      writer.beginObject()
      writer.name("cursor")
      writer.write(current.cursor.description)
      writer.name("state")
      writer.write(current.table.state.rawValue)
      writer.endObject()
      exchange.finish(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes))
    }
    return .later
  }

  /// A webhook: proves itself by its signature, and fetches the source now.
  func hook(_ source: String, _ request: Request) throws(ServiceError) -> Reply {
    try catalog.hook(source, request)
    return .response(Response(status: .accepted, headers: .jsonNotStored, body: Array("{}".utf8)))
  }
}

extension Request {
  /// The body as JSON.
  ///
  /// - Parameter orEmpty: no body counts as `{}`.
  func json(orEmpty: Bool, types: [String] = ["application/json"]) throws(ServiceError) -> JSONValue {
    if body.isEmpty, orEmpty { return .object([]) }
    let mediaType = (header(.contentType) ?? "application/json").split(separator: ";").first.map {
      String($0).trimmingSpaces.lowercased()
    }
    guard let mediaType, types.contains(mediaType) else {
      throw ServiceError(
        status: .unsupportedMediaType,
        detail: "`Content-Type` is \(types.joined(separator: " or ")) here.",
        field: "Content-Type"
      )
    }
    do {
      // What can't be kept is refused: something else in its place, or null, which a patch removes by, is worse.
      let limits = JSONLimits(maximumBytes: 16 << 20, maximumDepth: 64, allowsRepair: false)
      return try JSONValue(parsing: body, limits: limits)
    } catch {
      throw .malformed("The body is no JSON: \(error).")
    }
  }
}

extension HeaderBlock {
  static let jsonNotStored = HeaderBlock([
    HeaderField(.contentType, "application/json"), HeaderField(.cacheControl, "no-store"),
  ])
}
