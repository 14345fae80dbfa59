import JSON
import TableEngine
import TableModel

/// What the HTTP face makes of an app's requests: those that the Swift client sends for one table.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class AppFace: @unchecked Sendable {
  struct Request: Sendable {
    var method: String
    var path: [String]
    var query: [String: String]
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]
  }

  struct Response: Sendable {
    var status: Int
    var body: [UInt8]
  }

  /// Nothing gets through, either way.
  var isOffline = false
  private let name: String
  private let run: Run
  private let queue: SimulatedQueue

  init(_ run: Run, _ name: String) {
    (self.name, self.run) = (name, run)
    queue = SimulatedQueue(name, isSerial: true, run.outside)
  }

  private var world: World { run.world }

  var now: Double { Double(world.now) / 1e9 }

  func at(_ time: Double, _ body: @escaping @Sendable () -> Void) {
    world.schedule(at: max(world.now, UInt64(max(0, time) * 1e9)), on: queue, body)
  }

  /// - Parameter completion: nil: the connection broke.
  func send(_ request: Request, _ completion: @escaping @Sendable (Response?) -> Void) {
    let arrive: @Sendable (Response?) -> Void = { [self] response in
      let isLost = run.isFaulty && (isOffline || world.chance(25))
      world.after(Double(world.pick(0...5)), on: queue) { completion(isLost ? nil : response) }
    }
    if run.isFaulty, isOffline || world.chance(40) { return arrive(nil) }
    world.after(Double(world.pick(0...3)), on: queue) { [self] in answer(request, arrive) }
  }

  private func answer(_ request: Request, _ done: @escaping @Sendable (Response?) -> Void) {
    guard let service = run.service else { return done(nil) }
    let table = TableRequest(table: "todo")
    let after = request.query["after"].flatMap { Cursor($0) }
    switch (request.method, request.path.dropFirst(3).first) {
    case ("GET", "changes"):
      let wait = request.query["wait"].flatMap { Double($0) } ?? 20
      service.poll(table, after: after, wait: wait) { [self] in done($0.map(response)) }
    case ("GET", nil): service.snapshot(table) { [self] in done($0.map(response)) }
    default:
      do {
        let edits = try edits(request)
        service.edit(table, edits, terms(request)) { [self] answer in
          guard let answer else { return done(nil) }
          done(response(answer, request))
        }
      } catch {
        run.fail(
          "todo",
          "the Swift client asks for what is none: \(request.method) \(request.path) \(request.query): \(error)"
        )
      }
    }
  }

  private func edits(_ request: Request) throws(TableError) -> [Edit] {
    let body: JSONValue
    do { body = request.body.isEmpty ? .object([]) : try JSONValue(parsing: request.body) } catch {
      throw .malformed("\(error)")
    }
    let row = request.path.count > 4 ? request.path[4] : ""
    let query = request.query
    let place = try EditPlace(
      section: query["section"],
      at: query["at"].flatMap { Int($0) },
      before: query["before"],
      after: query["after"]
    )
    switch (request.method, request.path.dropFirst(3).first) {
    case ("POST", "items"): return [.insert(item: body, place)]
    case ("PUT", "items"):
      return [.put(row: row, item: body, place, request.headers["if-none-match"] == "*" ? .absent : .none)]
    case ("PATCH", "items"): return [.patch(row: row, body)]
    case ("DELETE", "items"): return [.delete(row: row)]
    default: throw .malformed("no route")
    }
  }

  private func terms(_ request: Request) -> EditPreconditions {
    let path = request.path.joined(separator: "/")
    return EditPreconditions(
      condition: nil,
      idempotency: request.headers["idempotency-key"].map {
        Idempotency(key: $0, route: "\(request.method) \(path)", content: request.body)
      }
    )
  }

  private func response(_ answer: ReadAnswer) -> Response {
    switch answer {
    case .reply(let body, _): Response(status: 200, body: body)
    case .unavailable: problem(503, "not now")
    case .refused(let error): problem(Self.status(error.kind), error.detail)
    }
  }

  private func problem(_ status: Int, _ detail: String) -> Response {
    let json: JSONValue = [
      "type": "about:blank", "title": .string("\(status)"), "status": .integer(Int64(status)),
      "detail": .string(detail),
    ]
    return Response(status: status, body: json.bytes)
  }

  /// What was answered is certain from here on, whether the client hears of it or not.
  private func response(_ answer: Result<EditAnswer, TableError>, _ request: Request) -> Response {
    let write = Self.write(request.body).flatMap { run.tasks.pending($0) }
    switch answer {
    case .success(let done):
      run.note("todo", "\(name)'s \(request.method) is answered \(done.cursor)")
      if let write {
        let row = done.rows.first ?? nil
        run.tasks.acknowledge(write, row: row, at: done.cursor, mayBeLater: done.isRepeated, step: world.steps)
      }
      let id = done.rows.first.flatMap { $0 }.map { JSONValue.string($0) } ?? .null
      let json: JSONValue = ["cursor": .string(done.cursor.description), "id": id]
      return Response(status: request.method == "PATCH" ? 200 : 201, body: json.bytes)
    case .failure(let error):
      run.note("todo", "\(name)'s \(request.method) is refused, \(error.kind)")
      if [.unknown, .conflict, .impossible].contains(error.kind), let write {
        run.tasks.refuse(write, step: world.steps)
      } else {
        write?.isRepeated = true
      }
      return problem(Self.status(error.kind), error.detail)
    }
  }

  private static func write(_ body: [UInt8]) -> Int? {
    guard let json = try? JSONValue(parsing: body) else { return nil }
    guard case .string(let text)? = json["value"] ?? json["note"], text.first == "w" else { return nil }
    return Int(text.dropFirst())
  }

  private static func status(_ kind: TableError.Kind) -> Int {
    switch kind {
    case .malformed: 400
    case .unauthenticated: 401
    case .forbidden: 403
    case .notAllowed: 405
    case .unknown: 404
    case .conflict: 409
    case .conditionFailed: 412
    case .tooLarge: 413
    case .impossible: 422
    case .tooMany: 429
    case .upstream: 502
    case .unavailable: 503
    case .unanswered: 504
    case .storeFull: 507
    case .failed: 500
    }
  }
}
