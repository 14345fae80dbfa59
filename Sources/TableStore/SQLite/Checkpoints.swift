import GRDB
import GRDBSQLite
import Queues
import Synchronization

/// Brings the write-ahead log's pages home into the database beside those who write, on a connection of its own: otherwise
/// the commit that finds a long log pays for the checkpoint.
///
/// The log begins anew only when all of it is home while nobody writes. So that one that is always written to ends, too,
/// the writer brings the last pages home itself where little is left to do. It does so early: a commit that is written over
/// what the log's file already has is synced in half the time of one that makes the file longer, which the file system has
/// to note in a log of its own.
final class Checkpoints: Sendable {
  private let path: String
  private let queue: WorkQueue
  private let state = Mutex(State())
  private let log = LogLength()
  /// Opened when it is first needed; on `queue`.
  private let connection = Mutex<DatabaseQueue?>(nil)

  private struct State {
    /// How many of the log's pages are in the database.
    private(set) var checkpointedPages = 0
    var isRunning = false
    var isClosed = false

    mutating func note(checkpointed: Int, of pages: Int) {
      // The next commit begins the log anew, unless somebody still reads it.
      checkpointedPages = checkpointed < pages ? checkpointed : 0
    }

    mutating func noteLength(_ pages: Int) {
      if pages < checkpointedPages { checkpointedPages = 0 }
    }
  }

  /// How many pages the log has, as SQLite says after each commit.
  private final class LogLength: Sendable {
    let pages = Atomic(0)
  }

  let failedSync = FailedSync()

  private let short: Int
  private let step: Int
  private let longest: Int
  /// How many pages are soon brought home.
  private static let few = 64
  /// In bytes, of the file that is kept once the log began anew.
  private static let keptSize = 64 << 20

  /// - Parameters:
  ///   - short: From how many pages on the log ends where few are left to bring home: 1 MB.
  ///   - step: Of how many new pages a longer log's checkpoint is made: as many as SQLite does, 4 MB.
  ///   - queues: Where it works.
  ///   - longest: From how many pages on the log is to end, with up to two steps left: 64 MB.
  init(path: String, short: Int = 250, step: Int = 1_000, longest: Int = 16_000, queues: QueueFactory = .dispatch) {
    queue = queues.serial("tablecast.store.checkpoints")
    (self.path, self.short, self.step, self.longest) = (path, short, step, longest)
  }

  /// Has a connection make no checkpoints of its own, and tell how long the log is. It is used as long as this lives.
  func watch(_ db: Database) throws {
    try db.execute(sql: "PRAGMA journal_size_limit = \(Self.keptSize)")
    sqlite3_wal_hook(
      db.sqliteConnection,
      { context, _, _, pages in
        if let context {
          let log = Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue()
          log.pages.store(Int(pages), ordering: .relaxed)
        }
        return SQLITE_OK
      },
      Unmanaged.passUnretained(log).toOpaque()
    )
  }

  /// After commits, on the writer's queue and outside of any transaction.
  func note(_ db: Database) {
    guard failedSync.failure == nil else { return }
    let pages = log.pages.load(ordering: .relaxed)
    let (begins, finishes) = state.withLock { state in
      state.noteLength(pages)
      guard !state.isRunning, !state.isClosed else { return (false, false) }
      let left = pages - state.checkpointedPages
      let ends =
        pages >= short && left <= Self.few
        || pages >= longest && (left < 2 * step || state.checkpointedPages > 0 && pages >= 4 * longest)
      if ends { return (false, true) }
      guard left >= (state.checkpointedPages == 0 ? short : step) else { return (false, false) }
      state.isRunning = true
      return (true, false)
    }
    if begins { queue.async { [self] in run() } }
    // Where a reader is in the way, the next commit tries again.
    guard finishes else { return }
    do {
      let outcome = try db.checkpoint(.passive)
      state.withLock { $0.note(checkpointed: outcome.checkpointedFrameCount, of: pages) }
    } catch {
      // Pages that are not home stay in the log, and the next checkpoint tries again; but for a failed sync.
      failedSync.note(error)
    }
  }

  private func run() {
    var checkpointed: Int?
    do {
      let connection = try open()
      guard failedSync.failure == nil else { return }
      checkpointed = try connection.writeWithoutTransaction { try $0.checkpoint(.passive).checkpointedFrameCount }
    } catch {
      // Pages that are not home stay in the log, and the next checkpoint tries again; but for a failed sync.
      failedSync.note(error)
    }
    let pages = log.pages.load(ordering: .relaxed)
    state.withLock { state in
      if let checkpointed { state.note(checkpointed: checkpointed, of: pages) }
      state.isRunning = false
    }
  }

  private func open() throws -> DatabaseQueue {
    if let connection = connection.withLock({ $0 }) { return connection }
    let opened = try DatabaseQueue(path: path, configuration: .keepingLog(label: "tablecast.store.checkpoints"))
    connection.withLock { $0 = opened }
    return opened
  }

  /// Begins no checkpoint any more, and calls back when none is under way.
  func close(_ completion: @escaping @Sendable () -> Void) {
    state.withLock { $0.isClosed = true }
    queue.async { [self] in
      // The database's other connections have the rest.
      try? connection.withLock { $0 }?.close()
      connection.withLock { $0 = nil }
      completion()
    }
  }
}
