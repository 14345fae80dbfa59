import Dispatch

/// A connection that is made again whenever it is lost, after pauses that grow.
///
/// `@unchecked Sendable`: everything is touched on `queue` alone.
final class PostgresLink: @unchecked Sendable {
  private let address: PostgresAddress
  private let queue: DispatchQueue
  /// The first statements on each connection.
  private let greeting: [PostgresStatement]
  private var connection: PostgresConnection?
  private(set) var isUp = false
  private var reason = "not connected yet"
  private var backoff = Backoff()
  /// How many attempts to make it have failed.
  private var failures = 0
  private var isClosed = false
  /// The number of the pause before the next attempt: an earlier attempt makes it void.
  private var pause = 0
  private var lastFailure = DispatchTime.now()
  /// The callers that wait for the next attempt's outcome.
  private var waiting: [() -> Void] = []
  /// Attempts that somebody waits for have no shorter pauses between them.
  private static let shortestPause = DispatchTimeInterval.milliseconds(100)
  /// Told when it comes up, and when it is lost.
  var onChange: ((Bool) -> Void)?
  var onNotification: ((_ payload: String, _ process: Int32) -> Void)?
  /// Told when the server takes no writes any more, and the connection has been given up.
  var onReadOnly: ((_ reason: String) -> Void)?

  init(address: PostgresAddress, queue: DispatchQueue, greeting: [PostgresStatement]) {
    self.address = address
    self.queue = queue
    self.greeting = greeting
  }

  /// The server's process behind it, as the server calls it, whatever a pooler in between says; 0 where there is none.
  private(set) var process: Int32 = 0

  /// Calls back when it is up, or an attempt to make it has failed: one is made at once where it is down.
  func attempt(_ body: @escaping () -> Void) {
    guard !isUp, !isClosed else { return body() }
    waiting.append(body)
    if connection == nil { connect(at: max(.now(), lastFailure + Self.shortestPause)) }
  }

  private func connect(at time: DispatchTime) {
    pause += 1
    let pause = pause
    queue.asyncAfter(deadline: time) { [weak self] in
      guard let self, pause == self.pause, connection == nil else { return }
      connect()
    }
  }

  private func endAttempt() {
    let bodies = waiting
    waiting = []
    for body in bodies { body() }
  }

  func connect() {
    guard !isClosed else { return }
    let connection = PostgresConnection(queue: queue)
    self.connection = connection
    connection.open(address.text(attempt: failures)) { [self] result in
      switch result {
      case .failure(let error): fail(error)
      case .success: greet(connection)
      }
    }
  }

  private func greet(_ connection: PostgresConnection) {
    connection.onLoss = { [weak self] reason in self?.fail(.lost(reason)) }
    connection.onNotification = onNotification
    let question = PostgresStatement("SELECT pg_backend_pid()")
    connection.run(greeting + [question]) { [weak self, weak connection] result in
      guard let self, let connection, connection === self.connection else { return }
      switch result {
      case .success(let answers):
        process = Int32(truncatingIfNeeded: answers.last?.int(0, 0) ?? 0)
        isUp = true
        backoff = Backoff()
        onChange?(true)
        endAttempt()
      case .failure(.lost): break
      case .failure(let error):
        connection.close()
        fail(error)
      }
    }
  }

  private func fail(_ error: PostgresError) {
    switch error {
    case .lost(let text): reason = text
    case .refused(_, let text): reason = text
    }
    connection = nil
    process = 0
    let wasUp = isUp
    if !wasUp { failures += 1 }
    isUp = false
    if wasUp { onChange?(false) }
    lastFailure = .now()
    if !isClosed { connect(at: lastFailure + .milliseconds(backoff.next())) }
    endAttempt()
  }

  /// As ``PostgresConnection/run(_:completion:)``; fails at once where there is no connection.
  func run(_ statements: [PostgresStatement], completion: @escaping PostgresConnection.Completion) {
    guard isUp, let connection else { return completion(.failure(.lost(reason))) }
    connection.run(statements) { [weak self, weak connection] result in
      // Read-only: another server has taken its place, or will, and a new connection leads there. What is read here is old.
      if case .failure(.refused("25006", let reason)) = result, let self, let connection {
        connection.giveUp(reason)
        onReadOnly?(reason)
      }
      completion(result)
    }
  }

  /// Gives the connection up, as if it were lost: another one is made.
  func giveUp(_ reason: String) {
    if isUp { connection?.giveUp(reason) }
  }

  /// Ends it for good: what is under way fails, and whoever waits for an attempt is told.
  func close() {
    isClosed = true
    isUp = false
    reason = "the store is closed"
    connection?.giveUp(reason)
    connection = nil
    endAttempt()
  }
}
