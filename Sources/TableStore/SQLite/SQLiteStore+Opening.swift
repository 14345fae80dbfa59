import Foundation
import GRDB
public import Queues
import TableModel

extension SQLiteStore {
  /// Opens a database, or creates it with the folders it needs. Blocks while it is checked and brought up to
  /// date; a file that can't be used is left as it is.
  ///
  /// - Parameters:
  ///   - path: The file. Beside it lie `-wal` and `-shm`, which belong to it, and `.lock`.
  ///   - history: How many versions of a table are kept, at least.
  ///   - now: Seconds since 1970; idempotency keys expire by it.
  ///   - bounds: How many answers to idempotent requests are kept.
  ///   - boot: What tells one run of the machine from the next; nil: nothing does, so a power loss is assumed
  ///     after every end that was not clean.
  ///   - queues: Where it works.
  /// - Throws: ``StoreError``: `locked`, `newerVersion`, `foreign`, `corrupt`, `cannotOpen`, `full`.
  public convenience init(
    path: String,
    history: Int = 64,
    now: @escaping @Sendable () -> Int64 = secondsSince1970,
    bounds: ReplyBounds = ReplyBounds(),
    boot: String? = SQLiteStore.bootIdentity(),
    queues: QueueFactory = .dispatch
  ) throws(StoreError) {
    try self.init(
      path: path,
      history: history,
      now: now,
      bounds: bounds,
      boot: boot,
      maximumPages: nil,
      queues: queues
    )
  }

  /// - Parameters:
  ///   - maximumPages: Bounds the file, as a full disk does; for tests.
  ///   - check: Looks at the file before anything is written to it.
  convenience init(
    path: String,
    history: Int,
    now: @escaping @Sendable () -> Int64,
    bounds: ReplyBounds = ReplyBounds(),
    boot: String?,
    maximumPages: Int?,
    checkingBy check: (_ path: String) throws -> Void = SQLiteStore.inspect,
    queues: QueueFactory = .dispatch
  ) throws(StoreError) {
    // By whichever links it is named: its lock is the file's.
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw .cannotOpen(path: path, reason: "its folder can't be created: \(error.localizedDescription)")
    }
    let lock = try StoreLock(path: path)
    let log = StoreMark.log(of: path)
    let run = StoreMark.newRun()
    let admitted = lock.left.filter { $0.admits(log: log) }
    // A log that the check makes may have the number of one that is gone: marks of such a one don't stay. In their place stands
    // one of no database.
    let checked = admitted == lock.left ? admitted : admitted + [StoreMark(run: run)]
    if checked != lock.left { lock.leave(checked) }
    do {
      // It takes a while. Where the process is killed meanwhile, what is put there then is judged by the marks as they were.
      try check(path)
      let left = admitted.map { StoreMark(run: $0.run, isClosed: $0.isClosed) }
      // A process that opens the database may remove the log.
      lock.leave(left + [StoreMark(run: run)])
      let pool = try Self.openPool(path: path, maximumPages: maximumPages)
      let checkpoints = Checkpoints(path: path, queues: queues)
      try pool.writeWithoutTransaction { db in
        // The last run's log goes home. Where there is no room for that, the log goes on.
        do { try db.checkpoint(.truncate) } catch {
          if let failure = checkpoints.failedSync.note(error) { throw failure }
        }
        try Self.beginRun(run, in: db, boot: boot, after: lock.left.isEmpty ? nil : left)
        try checkpoints.watch(db)
      }
      lock.leave([StoreMark(run: run, log: StoreMark.log(of: path))])
      self.init(
        path: path,
        pool: pool,
        history: max(history, 1),
        now: now,
        bounds: bounds,
        lock: lock,
        run: run,
        checkpoints: checkpoints,
        queues: queues
      )
    } catch {
      // This run has written nothing: what is put there now is judged by what the last one has left.
      lock.leave(checked)
      let error = StoreError(error, path: path)
      switch error {
      case .failed(let reason), .stopped(let reason): throw .cannotOpen(path: path, reason: reason)
      default: break
      }
      throw error
    }
  }

  private static func openPool(path: String, maximumPages: Int?) throws -> DatabasePool {
    try PrivateFile.prepareDatabase(path)
    var configuration = Configuration.keepingLog(label: "tablecast.store")
    configuration.maximumReaderCount = StoreReaders.maximumCount
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      if let maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try StoreSchema.migrator.migrate(pool)
    return pool
  }

  /// Looks at a file before anything is written to it, and has the disk keep what the last run has left in the log.
  static func inspect(_ path: String) throws {
    let size = fileSize(path)
    guard size > 0 else {
      // SQLite would take the database for a new one and delete its log, with all that is in there.
      guard fileSize(path + "-wal") == 0 else {
        let what = "the file is empty or gone, but its write-ahead log \(path)-wal is not"
        throw StoreError.corrupt(path: path, detail: what)
      }
      return
    }
    let queue = try DatabaseQueue(path: path, configuration: .keepingLog(label: "tablecast.store.inspection"))
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { db in
      let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      // A migrator's empty ledger is what a crash during the very first start leaves.
      let tables = "SELECT count(*) FROM sqlite_schema WHERE tbl_name <> 'grdb_migrations'"
      let isEmpty = try Int.fetchOne(db, sql: tables) == 0
      guard application == StoreSchema.applicationID || isEmpty else { throw StoreError.foreign(path: path) }
      guard !isEmpty else { return }
      let migrator = StoreSchema.migrator
      let unknown = try migrator.appliedIdentifiers(db).subtracting(migrator.migrations).sorted()
      if let newest = unknown.last {
        throw StoreError.newerVersion(path: path, schema: newest, known: migrator.migrations.last ?? "none")
      }
      // A whole check takes about a second a gigabyte: it is made where it is cheap, or where there is a reason.
      let wasClosed = try String.fetchOne(db, sql: "SELECT value FROM info WHERE name = 'closed'") == "cleanly"
      guard size <= checkedSize || !wasClosed else { return }
      let findings = try String.fetchAll(db, sql: "PRAGMA quick_check(1)")
      guard findings == ["ok"] else {
        throw StoreError.corrupt(path: path, detail: findings.first ?? "the check says nothing")
      }
    }
    try queue.writeWithoutTransaction { try $0.rewriteLog() }
  }

  /// 0 where there is no such file.
  private static func fileSize(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
  }

  /// Databases up to this size are checked whole whenever they are opened.
  private static let checkedSize = 64 << 20

  /// Notes that the file is in use, and gives new epochs to the tables that a power loss may have set back; to all where the
  /// file is not the one that the run before this has left.
  ///
  /// - Parameter left: the marks of that run; nil where there is none, as of an earlier release.
  private static func beginRun(_ run: String, in db: Database, boot: String?, after left: [StoreMark]?) throws {
    try db.execute(sql: "PRAGMA synchronous = FULL")
    try db.inTransaction(.immediate) {
      let info = try Dictionary(
        uniqueKeysWithValues: GRDB.Row.fetchAll(db, sql: "SELECT name, value FROM info").map { row in
          (try row.decode(String.self, forColumn: "name"), try row.decode(String.self, forColumn: "value"))
        }
      )
      let database = (run: info["run"], isClosed: info["closed"] == "cleanly")
      let goesOn = left.map { $0.contains { $0.stands(for: database) } } ?? (database.run == nil)
      if !goesOn || boot == nil || boot != info["boot"] {
        let affected = goesOn ? "at_risk AND epoch IS NOT NULL" : "epoch IS NOT NULL"
        for id in try Int64.fetchAll(db, sql: "SELECT id FROM feed WHERE \(affected)") {
          try db.execute(
            sql: "UPDATE feed SET epoch = ?, at_risk = 0 WHERE id = ?",
            arguments: [Int64(Epoch.random().rawValue), id]
          )
        }
      }
      try db.execute(
        sql: "INSERT OR REPLACE INTO info VALUES ('boot', ?), ('closed', 'not yet'), ('run', ?)",
        arguments: [boot ?? "", run]
      )
      return .commit
    }
  }

  /// The kernel's name for the time since the machine was started; nil where it gives none.
  public static func bootIdentity() -> String? {
    guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else {
      return nil
    }
    let identity = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return identity.isEmpty ? nil : identity
  }
}
