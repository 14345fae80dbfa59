import DequeModule
import Dispatch
import Foundation
import Synchronization
import TableModel

/// A store in a PostgreSQL database (15 or later), shared by any number of processes.
///
/// **What is promised, and how.** A commit is one transaction: the table's record is advanced from the revision on
/// which the commit is built (compare and set), the version, its rows, items, objects, toggles and the answer are
/// written, and a notification goes out when all of it is committed. Acknowledged means committed, as the server's
/// `synchronous_commit` has it; both durabilities are one here.
///
/// **Groups.** Commits that arrive while others are on their way are written next, in one transaction and one round
/// trip. Where a group fails, its commits are tried one by one, so each succeeds or fails alone.
///
/// **Others' commits** come as notifications, which are hints: every few seconds, and after each reconnection, the
/// revisions of the tables in use are looked at.
///
/// **Without the database** calls fail with ``StoreError/unavailable`` at once, and the connections are made again
/// with pauses that grow up to 5 s, each different. After a reconnection to a server that was promoted, or has less
/// than this process had read from it, the tables begin new epochs: no number is given twice.
///
/// **Threads.** Everything happens on one serial queue; no thread waits for the network, but at the start.
///
/// `@unchecked Sendable`: all that changes is touched on `queue` alone.
public final class PostgresStore: Store, @unchecked Sendable {
  let queue = DispatchQueue(label: "tablecast.store.postgres")
  let address: PostgresAddress
  let history: Int
  /// Seconds since 1970 in place of the database's; nil but in tests.
  let now: (@Sendable () -> Int64)?
  public let sharedSecret: [UInt8]
  /// The mark of this process's claims (``claim(_:request:for:completion:)``).
  let stamp = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
  let observers = StoreObservers()
  /// For commits and reading, in the order of the calls.
  let main: PostgresLink
  /// For leases, notifications and the look at others' revisions: never behind a long reading.
  let side: PostgresLink
  /// The tables that this process has restored or written, by name.
  var tables: [String: PostgresTable] = [:]
  var answers: AnswerClearing
  private var waiting = Deque<Job>()
  private var isRunning = false
  /// Closed, or to be closed when all is done that was given before.
  private(set) var isClosed = false
  var lookTimer: (any DispatchSourceTimer)?
  /// How often was looked.
  var looks = 0

  /// A job that waits for its turn.
  enum Job {
    case commit(Commit, StoreCompletion<Void>)
    /// Any other one, with a completion of its own; `done` begins the next job.
    case task((_ done: @escaping () -> Void) -> Void)
  }

  /// So that the first of a group does not wait for ever more behind it.
  private static let groupLimit = 256

  /// Connects, makes the schema or brings it up to date. Blocks until the database has answered.
  ///
  /// - Parameters:
  ///   - address: A connection URI or string as libpq takes it; TLS and passwords are libpq's (`sslmode`, `PGPASSFILE`).
  ///   - history: How many versions of a table are kept, at least.
  ///   - now: Seconds since 1970, by which idempotency keys expire; nil: by the database's clock, as the processes' own may differ.
  ///   - bounds: How many answers to idempotent requests are kept.
  /// - Throws: ``StoreError``: `newerSchema`, `cannotOpen`.
  public init(
    address: String,
    history: Int = 64,
    now: (@Sendable () -> Int64)? = nil,
    bounds: ReplyBounds = ReplyBounds()
  ) throws(StoreError) {
    self.address = try PostgresAddress(address)
    self.history = max(history, 1)
    self.now = now
    answers = AnswerClearing(bounds: bounds)
    sharedSecret = try PostgresSchema.prepare(self.address)
    main = PostgresLink(address: self.address, queue: queue, greeting: Self.greeting)
    side = PostgresLink(address: self.address, queue: queue, greeting: Self.sideGreeting)
    let connected = DispatchSemaphore(value: 0)
    queue.async { [self] in
      begin { connected.signal() }
    }
    // Failures from here on are tried again, as after any loss.
    _ = connected.wait(timeout: .now() + .seconds(10))
  }

  /// One transaction sees one state of the database, so what is read in one run fits together.
  ///
  /// Before the first one it is known which server this is: after a promotion nothing is written to an epoch that clients of the server
  /// before have seen more of.
  private static let greeting = [
    PostgresStatement("SELECT set_config('statement_timeout', '30s', false), set_config('lock_timeout', '3s', false)"),
    keepalives,
    transactionTimeout("60s"),
    PostgresStatement("SELECT tablecast.note_server()"),
    PostgresStatement("SELECT set_config('default_transaction_isolation', 'repeatable read', false)"),
  ]
  private static let sideGreeting = [
    PostgresStatement("SELECT set_config('statement_timeout', '5s', false), set_config('lock_timeout', '3s', false)"),
    keepalives,
    transactionTimeout("10s"),
    PostgresStatement("SELECT tablecast.note_server()"),
    PostgresStatement("LISTEN tablecast"),
    // Two who ask for one row come one after the other: the role's or the database's own default may refuse the second.
    PostgresStatement("SELECT set_config('default_transaction_isolation', 'read committed', false)"),
  ]

  /// The server awaits the rest of a run that has come only in part, with all locks: no limit on statements counts between them. Where the
  /// client's power or network is gone, this ends it within seconds. Without effect on a local socket.
  private static let keepalives = PostgresStatement(
    """
    SELECT set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
      set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', '5000', false)
    """
  )

  /// The same where the client's process is stopped, while its system goes on answering. The setting came with PostgreSQL 17.
  private static func transactionTimeout(_ time: String) -> PostgresStatement {
    PostgresStatement(
      "SELECT set_config(name, $1::text, false) FROM pg_settings WHERE name = 'transaction_timeout'",
      .text(time)
    )
  }

  /// Ends the server's processes that have locks, and whose clients, replicas as this one, have sent a part of a run
  /// and then no whole message for so long: a client that goes on later has lost its connection, as by any cut.
  ///
  /// A message may come slowly. So what is long is written in parts (``PostgresStatement/partSize``), and this client's
  /// own processes are let be.
  ///
  /// - Parameters:
  ///   - own: the processes of this client's connections.
  ///   - silence: in seconds.
  static func endingSilentRuns(but own: [Int32], after silence: Int64 = 15) -> PostgresStatement {
    PostgresStatement(endingOfSilentRuns, .ints(own.map { Int64($0) }), .int(silence))
  }

  private static let endingOfSilentRuns = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity AS other
    WHERE datname = current_database() AND usename = session_user AND pid <> ALL($1::bigint[])
      AND application_name = current_setting('application_name') AND state = 'active' AND wait_event = 'ClientRead'
      AND query_start < clock_timestamp() - $2::bigint * interval '1 s' AND EXISTS (
        SELECT FROM pg_locks
        WHERE pg_locks.pid = other.pid AND granted AND mode IN ('RowShareLock', 'RowExclusiveLock')
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'tablecast'::regnamespace)
      )
    """

  // MARK: - Calls

  public func commit(_ commit: Commit, mayBlock: Bool, completion: @escaping StoreCompletion<Void>) {
    enqueue(.commit(commit, completion)) { completion(.failure($0)) }
  }

  public func restore(_ table: String, completion: @escaping StoreCompletion<StoredTable>) {
    perform(completion) { [self] finish in read(table, finish) }
  }

  public func changes(of table: String, since revision: Revision, completion: @escaping StoreCompletion<CatchUp>) {
    // Where the connection is being made anew, the caller waits for that: a reader would be given what may be old.
    queue.async { [self] in
      main.attempt { [self] in
        perform(completion) { [self] finish in catchUp(table, since: revision, finish) }
      }
    }
  }

  public func revision(of table: String, completion: @escaping StoreCompletion<Revision?>) {
    let question = PostgresStatement(
      "SELECT revision, stamp FROM tablecast.feed WHERE sha256(name) = sha256($1)",
      .name(table)
    )
    askForSure(question, completion) { answers in
      guard let found = answers.first, found.count == 1 else { return nil }
      return Revision(number: found.unsigned(0, 0), stamp: found.unsigned(0, 1))
    }
  }

  /// Asks on the connection beside. The caller needs a sure answer: that the database was away a moment ago is none, and neither is that
  /// the connection was lost while it was asked.
  func askForSure<Value: Sendable>(
    _ question: PostgresStatement,
    _ completion: @escaping StoreCompletion<Value>,
    _ read: @escaping @Sendable ([PostgresRows]) -> Value
  ) {
    queue.async { [self] in
      guard !isClosed else { return completion(.failure(.closed)) }
      askForSure([question], mayRepeat: true) { completion($0.map(read).mapError(StoreError.init)) }
    }
  }

  /// Asks on the connection beside, and once more where it is lost meanwhile: what is asked may be done twice, and may have been done. Without
  /// a connection it fails at once.
  func askAgain<Value: Sendable>(
    _ statements: [PostgresStatement],
    _ completion: @escaping StoreCompletion<Value>,
    _ read: @escaping @Sendable ([PostgresRows]) -> Value
  ) {
    let finish: @Sendable (Result<[PostgresRows], PostgresError>) -> Void = {
      completion($0.map(read).mapError(StoreError.init))
    }
    queue.async { [self] in
      guard !isClosed else { return completion(.failure(.closed)) }
      let wasUp = side.isUp
      side.run(statements) { [self] result in
        endSilentRuns(after: result)
        guard case .failure(.lost) = result, wasUp else { return finish(result) }
        // The connection knows that it is lost when all that was asked on it is told so.
        queue.async { [self] in askForSure(statements, mayRepeat: false, finish) }
      }
    }
  }

  /// On the store's queue.
  private func askForSure(
    _ statements: [PostgresStatement],
    mayRepeat: Bool,
    _ completion: @escaping @Sendable (Result<[PostgresRows], PostgresError>) -> Void
  ) {
    main.attempt { [self] in
      side.attempt { [self] in
        let wasUp = side.isUp
        side.run(statements) { [self] result in
          if case .failure(.lost) = result, wasUp, mayRepeat {
            // The connection knows that it is lost when all that was asked on it is told so.
            return queue.async { [self] in askForSure(statements, mayRepeat: false, completion) }
          }
          completion(result)
        }
      }
    }
  }

  public func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
    observers.add(observer)
  }

  public func reply(_ key: ReplyKey, completion: @escaping StoreCompletion<StoredReply?>) {
    perform(completion) { [self] finish in findReply(key, finish) }
  }

  public func rename(_ record: String, to name: String, completion: @escaping StoreCompletion<Void>) {
    perform(completion) { [self] finish in rename(record, as: name, finish) }
  }

  public func remove(_ table: String, completion: @escaping StoreCompletion<Void>) {
    perform(completion) { [self] finish in forget(table, finish) }
  }

  public func flush(completion: @escaping StoreCompletion<Void>) {
    perform(completion) { finish in finish(.success(())) }
  }

  public func close(completion: @escaping StoreCompletion<Void>) {
    perform(completion, closing: true) { [self] finish in
      lookTimer?.cancel()
      main.close()
      side.close()
      finish(.success(()))
    }
  }

  // MARK: - Turns

  func perform<Value: Sendable>(
    _ completion: @escaping StoreCompletion<Value>,
    closing: Bool = false,
    _ body: @escaping @Sendable (@escaping StoreCompletion<Value>) -> Void
  ) {
    let job = Job.task { done in
      let done = Confined(done)
      body { result in
        completion(result)
        done.value()
      }
    }
    enqueue(job, closing: closing) { completion(.failure($0)) }
  }

  /// `@unchecked Sendable`: made and used on the store's queue alone.
  private struct Confined<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private func enqueue(_ job: Job, closing: Bool = false, refused: @escaping @Sendable (StoreError) -> Void) {
    let job = Confined(job)
    queue.async { [self] in
      guard !isClosed else { return refused(.closed) }
      isClosed = closing
      waiting.append(job.value)
      if !isRunning { proceed() }
    }
  }

  /// Takes the next task alone, or the commits up to the next task.
  private func proceed() {
    isRunning = false
    guard let first = waiting.first else { return }
    isRunning = true
    if case .task(let task) = first {
      waiting.removeFirst()
      // Not from here: a task that is done at once would have this call itself ever deeper.
      return task { [self] in
        let next = Confined { [self] in proceed() }
        queue.async { next.value() }
      }
    }
    var group: [PendingCommit] = []
    while group.count < Self.groupLimit, case .commit(let commit, let completion)? = waiting.first {
      waiting.removeFirst()
      group.append(PendingCommit(commit: commit, completion: completion))
    }
    write(group) { [self] _ in proceed() }
  }
}

/// A commit and its caller's completion.
struct PendingCommit {
  let commit: Commit
  let completion: StoreCompletion<Void>
  /// It was in another transaction's way before.
  var isSecondTry = false
}
