import Dispatch
import Glibc
import Logging
import Synchronization
import Testing

@testable import HTTPServer

/// A service for the tests: a table as a representation, edits, long polls, streams, late answers.
final class TestService: RequestHandler {
  struct Recorded: Equatable {
    var abandoned = 0
    var timedOut = 0
    var streamsClosed = 0
    var messages = 0
    var woken = 0
    var answeredAlike = 0
    var headsJudged = 0
    /// When a handler gave its last wait to the loop, and when that was over: nanoseconds of a clock that never goes back.
    var waitBegun: UInt64 = 0
    var waitEnded: UInt64 = 0
  }

  private struct State {
    var server: Server?
    var versions: [UInt64: Int] = [:]
    var recorded = Recorded()
    var sharedWaiters: [String: SharedTestWaiter] = [:]
    var heavy: [Exchange] = []
    weak var remembered: Remembered?
  }

  private final class Remembered: Sendable {}

  private let state = Mutex(State())
  private let table: Representation
  private let health = Representation(body: Array("ok\n".utf8), contentType: "text/plain")
  private static let large = Representation(body: TestService.text(3_000_000), contentType: "text/plain")

  let port: UInt16
  private let server: Server

  init(_ configure: (inout Configuration) -> Void = { _ in }) throws {
    var configuration = Configuration()
    configuration.port = 0
    configure(&configuration)
    table = Representation(
      body: TestService.text(3000),
      contentType: "application/json",
      entityTag: "0123456789ab.1",
      cacheControl: "no-cache"
    )
    let relay = Relay()
    var logger = Logger(label: "test")
    logger.logLevel = .error
    server = Server(configuration: configuration, handler: relay, logger: logger)
    port = try server.start().port
    relay.set(self)
    state.withLock { $0.server = server }
  }

  deinit { server.drain(deadline: .zero) {} }

  /// The server keeps its handler alive; this keeps the service from being kept by it.
  private final class Relay: RequestHandler {
    private struct Target { weak var service: TestService? }
    private let target = Mutex(Target())

    func set(_ service: TestService) { target.withLock { $0.service = service } }

    func handle(_ request: Request, _ exchange: Exchange) -> Reply {
      target.withLock { $0.service }?.handle(request, exchange) ?? .response(Response(status: .serviceUnavailable))
    }

    func refusal(of request: Request) -> Response? { target.withLock { $0.service }?.refusal(of: request) }

    func weight(of request: Request, bodyCount: Int) -> Int {
      target.withLock { $0.service }?.weight(of: request, bodyCount: bodyCount) ?? 1
    }
  }

  var statistics: Statistics { server.statistics }
  var recorded: Recorded { state.withLock { $0.recorded } }
  func record(_ change: (inout Recorded) -> Void) { state.withLock { change(&$0.recorded) } }

  func drain(deadline: Duration) -> DispatchSemaphore {
    let end = DispatchSemaphore(value: 0)
    server.drain(deadline: deadline) { end.signal() }
    return end
  }

  /// A new version of a topic, as services publish: the version first, the wake afterwards.
  func publish(_ topic: UInt64) {
    state.withLock { $0.versions[topic, default: 0] += 1 }
    server.wake([Topic(rawValue: topic)])
  }

  func version(_ topic: UInt64) -> Int { state.withLock { $0.versions[topic] ?? 0 } }

  func handle(_ request: Request, _ exchange: Exchange) -> Reply {
    let path = request.path
    switch (path.first, path.count) {
    case ("healthz", 1): return .response(request.answer(allowing: .get) ?? health.response(to: request))
    case ("v1", 2) where path[1] == "tables":
      return .response(request.answer(allowing: .get) ?? table.response(to: request))
    case ("v1", 4) where path[3] == "items":
      return .response(
        request.answer(allowing: .post) ?? Response(status: .created, headers: .json, body: [0x7b, 0x7d])
      )
    case ("echo", 1): return .response(Response(status: .ok, additional: echo(request), body: request.body))
    case ("client", 1): return .response(Response(status: .ok, body: Array(request.client.host.utf8)))
    case ("huge", 1): return .response(Response(status: .ok, body: [UInt8](repeating: 0x78, count: Self.huge)))
    case ("large", 1): return .response(TestService.large.response(to: request))
    case ("pieces", 1): return .response(pieces(request))
    case ("wait", 1): return wait(request)
    case ("later", 1):
      DispatchQueue.global().async { exchange.finish(Response(status: .ok, body: Array("late".utf8))) }
      return .later
    case ("never", 1): return .later
    case ("remembered", 1):
      let value = request.remembering { Remembered() }
      state.withLock { $0.remembered = value }
      return .response(Response(status: .noContent))
    case ("heavy", 1):
      state.withLock { $0.heavy.append(exchange) }
      return .later
    case ("heavier", 1):
      if let refusal = exchange.weigh(8) { return .response(refusal) }
      state.withLock { $0.heavy.append(exchange) }
      return .later
    case ("elsewhere", 1): return elsewhere(request, exchange)
    case ("paced", 1):
      return .stream(Response(status: .ok), PacedTestStream(self, request.query.first("fill").flatMap { Int($0) } ?? 0))
    case ("stream", 1):
      return .stream(Response(status: .ok), TestStream(self, request.query.first("fill").flatMap { Int($0) } ?? 0))
    default: return .response(.problem(.notFound, detail: "nothing here"))
    }
  }

  /// Bytes of what is made anew for everyone: more than the kernel takes for a client that reads nothing.
  static let huge = 16_000_000

  func refusal(of request: Request) -> Response? {
    record { $0.headsJudged += 1 }
    return request.path.first == "closed" ? .problem(.forbidden, detail: "whatever it says") : nil
  }

  func weight(of request: Request, bodyCount: Int) -> Int { request.path.first == "heavy" ? 8 : 1 }

  /// What was made of the head of a request for `/remembered` is still there.
  var remembersHead: Bool { state.withLock { $0.remembered != nil } }
  func forgetHeads() { server.forgetHeads() }

  /// Requests for `/heavy`, and for `/heavier`, that are not answered.
  var heavyCount: Int { state.withLock { $0.heavy.count } }

  func answerHeavy() {
    let waiting = state.withLock { state in
      defer { state.heavy = [] }
      return state.heavy
    }
    for exchange in waiting { exchange.finish(Response(status: .ok)) }
  }

  private func echo(_ request: Request) -> [HeaderField] {
    request.header("X-Echo").map { [HeaderField(.location, $0)] } ?? []
  }

  /// The part of all bodies of `/pieces`, but for its first byte.
  static let common = TestService.text(3_000_000)

  /// A body of its own, with something in common with others in the middle.
  private func pieces(_ request: Request) -> Response {
    let own = Array((request.query.first("own") ?? "").utf8)
    let representation = Representation(
      body: own,
      pieces: [BodyPiece(Self.common, from: 1), BodyPiece(own)],
      contentType: "text/plain",
      entityTag: "pieces"
    )
    return representation.response(to: request)
  }

  private func wait(_ request: Request) -> Reply {
    let topics = request.query.all("topic").compactMap { UInt64($0) }
    let after = request.query.first("after").flatMap { Int($0) }
    if let after, let topic = topics.first, version(topic) != after { return .response(answer(topic)) }
    if request.query.first("meanwhile") != nil, let topic = topics.first { publish(topic) }
    let milliseconds = request.query.first("ms").flatMap { Int($0) } ?? 20_000
    if let work = request.query.first("work").flatMap({ UInt32($0) }) { usleep(work * 1000) }
    record { $0.waitBegun = DispatchTime.now().uptimeNanoseconds }
    if let name = request.query.first("shared") {
      return .wait(
        Wait(
          topics: topics.map { Topic(rawValue: $0) },
          timeout: .milliseconds(milliseconds),
          waiter: sharedWaiter(name)
        )
      )
    }
    let needed = request.query.first("needed").flatMap { Int($0) } ?? 1
    return .wait(
      Wait(
        topics: topics.map { Topic(rawValue: $0) },
        timeout: .milliseconds(milliseconds),
        isAskedFor: request.query.first("own") == nil,
        waiter: TestWaiter(
          self,
          topics.first ?? 0,
          after: after,
          needed: needed,
          answersLater: request.query.first("later") != nil,
          then: request.query.first("then").map { Int($0).map { .milliseconds($0) } }
        )
      )
    )
  }

  /// Finds out on another queue what to reply: to wait, with a change just before that, or a stream.
  private func elsewhere(_ request: Request, _ exchange: Exchange) -> Reply {
    let isStream = request.query.first("stream") != nil
    DispatchQueue.global().async { [self] in
      if isStream { return exchange.finish(.stream(Response(status: .ok), TestStream(self, 0))) }
      let reply = wait(request)
      publish(1)
      exchange.finish(reply)
    }
    return .later
  }

  private func sharedWaiter(_ name: String) -> SharedTestWaiter {
    state.withLock { state in
      let waiter = state.sharedWaiters[name] ?? SharedTestWaiter(self, name)
      state.sharedWaiters[name] = waiter
      return waiter
    }
  }

  func answer(_ topic: UInt64) -> Response { Response(status: .ok, body: Array("\(version(topic))".utf8)) }

  /// `count` letters. Doubled rather than mapped: unoptimised and under a sanitizer that takes seconds for megabytes.
  static func text(_ count: Int) -> [UInt8] {
    var text = (0..<26).map { UInt8(0x61 + $0 * 7 % 26) }
    while text.count < count { text += text }
    return Array(text.prefix(count))
  }

  /// Waits until `condition` holds; false where it doesn't within some seconds. Blocks like the client's reading
  /// does: tests that wait for one another's threads would take longer than any patience.
  static func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5000 {
      if condition() { return true }
      usleep(1000)
    }
    return condition()
  }
}

/// Sends its version whenever topic 9 is woken; `fill` bytes of it, where asked for.
final class TestStream: StreamSource {
  let topics = [Topic(rawValue: 9)]
  private let service: TestService
  private let fill: Int

  init(_ service: TestService, _ fill: Int) {
    self.service = service
    self.fill = fill
  }

  func opened(_ stream: StreamHandle) { stream.send(Array("open".utf8)) }

  func woken(_ stream: StreamHandle) {
    stream.send(fill > 0 ? [UInt8](repeating: 0x78, count: fill) : Array("\(service.version(9))".utf8))
    if service.version(9) == 3 { stream.end() }
  }

  func heartbeat(_ stream: StreamHandle) { stream.send(Array("heartbeat".utf8)) }
  func closed() { service.record { $0.streamsClosed += 1 } }
}
