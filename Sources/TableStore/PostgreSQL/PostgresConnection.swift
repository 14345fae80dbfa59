import CPQ
import DequeModule
import Dispatch
import Foundation

/// One connection to a PostgreSQL server, by libpq without ever waiting for the network.
///
/// Statements go in *runs*: sent at once (pipeline mode), carried out in one transaction, answered together. So a run
/// takes one round trip however many statements are in it.
///
/// `@unchecked Sendable`: everything is touched on `queue` alone, where all handlers run.
final class PostgresConnection: @unchecked Sendable {
  typealias Completion = (Result<[PostgresRows], PostgresError>) -> Void

  private struct Run {
    var rows: [PostgresRows] = []
    var failure: PostgresError?
    let completion: Completion
  }

  private enum State {
    case connecting
    case ready
    case closed
  }

  /// Told once, when the connection is gone; the runs that were under way have failed by then.
  var onLoss: ((String) -> Void)?
  /// A channel's payload, and the server process that sent it.
  var onNotification: ((_ payload: String, _ process: Int32) -> Void)?

  private let queue: DispatchQueue
  private var connection: OpaquePointer?
  private var watch: SocketWatch?
  private var state = State.connecting
  private var runs = Deque<Run>()
  /// The statements of runs, and their ends (nil), that libpq has not been given yet.
  private var unsent = Deque<PostgresStatement?>()
  /// Gives the connection up when the server has said nothing for too long while something was asked.
  private var deadline: (any DispatchSourceTimer)?
  private var due = DispatchTime.now()
  private var onReady: ((Result<Void, PostgresError>) -> Void)?

  /// Silence of the server after which it is taken for dead.
  static let patience: DispatchTimeInterval = .seconds(5)

  init(queue: DispatchQueue) { self.queue = queue }

  deinit { if let connection { PQfinish(connection) } }

  /// Connects; on failure the connection is of no further use.
  func open(_ address: String, completion: @escaping (Result<Void, PostgresError>) -> Void) {
    onReady = completion
    startDeadline()
    // Names of hosts are looked up in there, which takes as long as it takes.
    DispatchQueue.global().async { [self] in
      let started = Handle(PQconnectStart(address))
      queue.async { [self] in begin(started) }
    }
  }

  /// `@unchecked Sendable`: handed from one queue to the other, never shared.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer?
    init(_ pointer: OpaquePointer?) { self.pointer = pointer }
  }

  private func begin(_ started: Handle) {
    guard case .connecting = state else {
      if let pointer = started.pointer { PQfinish(pointer) }
      return
    }
    connection = started.pointer
    // The server's notices would go to standard error.
    if let connection { PQsetNoticeReceiver(connection, { _, _ in }, nil) }
    guard let connection, PQstatus(connection) != CONNECTION_BAD else { return lose() }
    wait(for: PGRES_POLLING_WRITING)
  }

  private func wait(for step: PostgresPollingStatusType) {
    guard let connection else { return }
    switch step {
    case PGRES_POLLING_OK: becomeReady()
    case PGRES_POLLING_READING, PGRES_POLLING_WRITING:
      // Another host's socket may have the same number: watched anew at each step.
      watch?.cancel()
      watch = SocketWatch(PQsocket(connection), queue: queue) { [weak self] in
        guard let self, let connection = self.connection else { return }
        self.wait(for: PQconnectPoll(connection))
      }
      if step == PGRES_POLLING_READING { watch?.awaitReading() } else { watch?.awaitWriting() }
    default: lose()
    }
  }

  private func becomeReady() {
    guard let connection else { return }
    guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else { return lose() }
    stopDeadline()
    state = .ready
    watch?.cancel()
    watch = SocketWatch(PQsocket(connection), queue: queue) { [weak self] in self?.proceed() }
    guard let watch else { return lose("no descriptor is left") }
    watch.awaitReading()
    let completion = onReady
    onReady = nil
    completion?(.success(()))
  }

  // MARK: - Runs

  /// Carries statements out, all or none.
  func run(_ statements: [PostgresStatement], completion: @escaping Completion) {
    guard case .ready = state else { return completion(.failure(.lost("not connected"))) }
    // The server would end the connection, each time that it is tried.
    guard statements.allSatisfy({ $0.size <= PostgresStatement.maximumSize }) else {
      return completion(.failure(.refused(state: "54000", message: "a value is longer than PostgreSQL takes")))
    }
    runs.append(Run(completion: completion))
    if runs.count == 1 { startDeadline() }
    for statement in statements { unsent.append(statement) }
    unsent.append(nil)
    flush()
  }

  private func proceed() {
    guard let connection else { return }
    if PQconsumeInput(connection) == 0 { return lose() }
    if !runs.isEmpty { startDeadline() }
    readResults()
    readWhatIsDecrypted()
    readNotifications()
    flush()
  }

  /// TLS and GSS decrypt more than libpq takes at once: the rest of a record stays with them, and the socket tells
  /// nothing of it. Two calls take all of that; what comes meanwhile may be cut in turn.
  private func readWhatIsDecrypted() {
    for _ in 0..<4 {
      // A completion may close the connection.
      guard !runs.isEmpty, let connection, let watch, !watch.isReady, PQisBusy(connection) == 1,
        PQsslInUse(connection) == 1 || PQgssEncInUse(connection) == 1
      else { return }
      if PQconsumeInput(connection) == 0 { return lose() }
      readResults()
    }
  }

  private func readResults() {
    var isBetween = false
    // A completion may close the connection.
    while !runs.isEmpty, let connection, PQisBusy(connection) == 0 {
      guard let result = PQgetResult(connection) else {
        if PQstatus(connection) == CONNECTION_BAD { return lose() }
        // Stands between two statements' results; where nothing more has come, the connection is busy from here on. Two
        // of them: all that libpq was given is answered, as where the run fails before its end is sent.
        if isBetween { return }
        isBetween = true
        continue
      }
      defer { PQclear(result) }
      isBetween = false
      take(result)
    }
  }

  private func take(_ result: OpaquePointer) {
    switch PQresultStatus(result) {
    case PGRES_PIPELINE_SYNC:
      guard let run = runs.popFirst() else { return }
      if runs.isEmpty { stopDeadline() }
      run.completion(run.failure.map { .failure($0) } ?? .success(run.rows))
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
      runs[0].rows.append(PostgresRows(result))
    case PGRES_PIPELINE_ABORTED: break
    default:
      let state = PQresultErrorField(result, Self.stateField).map { String(cString: $0) } ?? ""
      let text = PQresultErrorField(result, Self.messageField).map { String(cString: $0) }
      let message = text ?? String(cString: PQresultErrorMessage(result))
      runs[0].failure = runs[0].failure ?? .refused(state: state, message: message)
    }
  }

  /// `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`: characters, which Swift does not import.
  private static let stateField = Int32(UInt8(ascii: "C"))
  private static let messageField = Int32(UInt8(ascii: "M"))

  private func readNotifications() {
    while let connection, let notification = PQnotifies(connection) {
      onNotification?(String(cString: notification.pointee.extra), notification.pointee.be_pid)
      PQfreemem(notification)
    }
  }

  /// Sends as much as the network takes. libpq is given some statements at a time: it moves all that it has not sent
  /// yet with each part that it sends, and the queue has other work, too.
  private func flush() {
    guard let connection else { return }
    while true {
      switch PQflush(connection) {
      case 0:
        guard !unsent.isEmpty else {
          watch?.ignoreWriting()
          return
        }
      case 1:
        watch?.awaitWriting()
        return
      default: return lose()
      }
      var size = 0
      while size < PostgresStatement.partSize, let next = unsent.popFirst() {
        guard let statement = next else {
          guard PQpipelineSync(connection) == 1 else { return lose() }
          continue
        }
        guard statement.send(on: connection) else { return lose() }
        size += statement.size
      }
    }
  }

  // MARK: - The end

  private func startDeadline() {
    let timer = deadline ?? DispatchSource.makeTimerSource(queue: queue)
    due = .now() + Self.patience
    timer.schedule(deadline: due)
    guard deadline == nil else { return }
    deadline = timer
    timer.setEventHandler { [weak self] in self?.expire() }
    timer.activate()
  }

  private func expire() {
    // Its handler is late: the queue was busy, or the process stopped, and what the server has said is not read yet.
    guard DispatchTime.now() < due + .seconds(1) else { return startDeadline() }
    lose("the server does not answer")
  }

  private func stopDeadline() {
    deadline?.cancel()
    deadline = nil
  }

  /// The connection failed: for the reason given, or as libpq tells.
  private func lose(_ reason: String? = nil) {
    if case .closed = state { return }
    let told = connection.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
    let text = (reason ?? told).trimmingCharacters(in: .whitespacesAndNewlines)
    let (ready, loss, failed) = (onReady, onLoss, runs)
    close()
    for run in failed { run.completion(.failure(.lost(text))) }
    ready?(.failure(.lost(text)))
    if ready == nil { loss?(text) }
  }

  /// Ends the connection as if it were lost: what is under way fails.
  func giveUp(_ reason: String) { lose(reason) }

  /// Ends the connection; what is under way is not answered.
  func close() {
    state = .closed
    onReady = nil
    onLoss = nil
    onNotification = nil
    stopDeadline()
    watch?.cancel()
    watch = nil
    (runs, unsent) = ([], [])
    if let connection { PQfinish(connection) }
    connection = nil
  }
}
