import Dispatch
import HTTPServer
import Synchronization

/// A little of everything that a service does: representations, edits, long polls, streams, late answers.
final class TestHandler: RequestHandler {
  private struct State {
    weak var server: Server?
    var versions: [UInt64: Int] = [:]
  }

  private let state = Mutex(State())
  private let table = TestHandler.representation(name: "tables", bytes: 2048)
  private let large = TestHandler.representation(name: "large", bytes: 200_000)
  private let health = Representation(body: Array("ok\n".utf8), contentType: "text/plain; charset=utf-8")
  private let changes = TestHandler.representation(name: "changes", bytes: 1000)

  func attach(_ server: Server) { state.withLock { $0.server = server } }

  func handle(_ request: Request, _ exchange: Exchange) -> Reply {
    let path = request.path
    switch (path.first, path.count) {
    case ("healthz", 1):
      return .response(request.answer(allowing: .get) ?? health.response(to: request))
    case ("v1", 2) where path[1] == "tables":
      return .response(request.answer(allowing: .get) ?? table.response(to: request))
    case ("v1", 4) where path[1] == "tables" && path[3] == "items":
      return .response(request.answer(allowing: .post) ?? created(path[2], request))
    case ("large", 1):
      return .response(request.answer(allowing: .get) ?? large.response(to: request))
    case ("echo", 1):
      return .response(request.answer(allowing: .post) ?? Response(status: .ok, headers: .json, body: request.body))
    case ("wait", 1):
      return request.answer(allowing: .get).map { .response($0) } ?? wait(request)
    case ("publish", 1):
      return .response(request.answer(allowing: [.get, .post]) ?? publish(request))
    case ("later", 1):
      return later(request, exchange)
    case ("stream", 1):
      let headers = HeaderBlock([
        HeaderField(.contentType, "text/event-stream"), HeaderField(.cacheControl, "no-store"),
      ])
      return .stream(Response(status: .ok, headers: headers), Events(topic: topic(of: request)))
    case ("statistics", 1):
      let statistics = state.withLock { $0.server }?.statistics ?? Statistics()
      return .response(Response(status: .ok, body: Array("\(statistics)\n".utf8)))
    default:
      return .response(.problem(.notFound, detail: "There is nothing at \(request.rawPath)."))
    }
  }

  private func created(_ table: String, _ request: Request) -> Response {
    let location = HeaderField(.location, "/v1/tables/\(table)/items/1")
    return Response(
      status: .created,
      headers: .json,
      additional: [location],
      body: Array("{\"cursor\":\"0123456789ab.1\",\"id\":\"1\"}".utf8)
    )
  }

  private func topic(of request: Request) -> Topic {
    Topic(rawValue: request.query.first("topic").flatMap { UInt64($0) } ?? 0)
  }

  private func version(_ topic: Topic) -> Int { state.withLock { $0.versions[topic.rawValue] ?? 0 } }

  private func wait(_ request: Request) -> Reply {
    let topic = topic(of: request)
    let seconds = request.query.first("wait").flatMap { Double($0) } ?? 20
    if let after = request.query.first("after").flatMap({ Int($0) }), version(topic) != after {
      return .response(changes.response(to: request))
    }
    let waiter = Poll(changes, request.acceptedCodings)
    return .wait(Wait(topics: [topic], timeout: .seconds(seconds), waiter: waiter))
  }

  private func publish(_ request: Request) -> Response {
    let topic = topic(of: request)
    let server = state.withLock { state in
      state.versions[topic.rawValue, default: 0] += 1
      return state.server
    }
    server?.wake([topic])
    return Response(status: .noContent)
  }

  private func later(_ request: Request, _ exchange: Exchange) -> Reply {
    let milliseconds = request.query.first("ms").flatMap { Int($0) } ?? 10
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      exchange.finish(Response(status: .ok, body: Array("late\n".utf8)))
    }
    return .later
  }

  /// JSON that looks like a snapshot, of about `bytes` bytes.
  private static func representation(name: String, bytes: Int) -> Representation {
    var rows: [String] = []
    var count = 0
    while count < bytes {
      let number = rows.count
      let title = "Story number \(number * 7919 % 100_003) of the day"
      let row = #"{"id":"\#(number)","cellIdentifier":"TableViewCellWithLabel","payload":{"title":"\#(title)"}}"#
      rows.append(row)
      count += row.utf8.count + 1
    }
    return Representation(
      body: Array("{\"rows\":[\(rows.joined(separator: ","))]}".utf8),
      contentType: "application/json",
      entityTag: "8f2c61d09a4e.\(name)",
      cacheControl: "no-cache"
    )
  }
}

/// A long poll of the test server.
final class Poll: Waiter {
  private let changes: Representation
  private let codings: AcceptedCodings

  init(_ changes: Representation, _ codings: AcceptedCodings) { (self.changes, self.codings) = (changes, codings) }

  func woken(_ exchange: Exchange) -> Reply? { .response(changes.response(accepting: codings)) }
  func timedOut(_ exchange: Exchange) -> Reply { .response(Response(status: .ok, headers: .json, body: [0x7b, 0x7d])) }
  func abandoned() {}
}

/// A stream of the test server: an event whenever its topic is woken.
final class Events: StreamSource {
  let topics: [Topic]

  init(topic: Topic) { topics = [topic] }

  func opened(_ stream: StreamHandle) { stream.send(Array(": open\n\n".utf8)) }
  func woken(_ stream: StreamHandle) { stream.send(Array("event: changes\ndata: {}\n\n".utf8)) }
  func heartbeat(_ stream: StreamHandle) { stream.send(Array(":\n\n".utf8)) }
  func closed() {}
}
