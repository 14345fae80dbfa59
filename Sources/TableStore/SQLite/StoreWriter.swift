import GRDB
import TableModel

/// A commit that waits to be written. A class, as it is handed from hand to hand, and a commit has many parts.
final class QueuedCommit: Sendable {
  let commit: Commit
  let completion: StoreCompletion<Void>

  init(_ commit: Commit, _ completion: @escaping StoreCompletion<Void>) {
    (self.commit, self.completion) = (commit, completion)
  }
}

/// The writer of commits: it knows the last state of each table. Lives on the database's writer queue.
struct StoreWriter {
  let path: String
  let history: Int
  /// By table name; what a failed transaction changed is set back.
  var tables: [String: SQLiteTable] = [:]
  /// The last commits of this run, by table name: what is committed, no more.
  private var recent: [String: RecentCommits] = [:]
  /// The rows of the next commit that are written already.
  var ahead: RowsAhead?
  /// How many answers there are, of the callers who were here lately.
  var answers = AnswerSums()
  let bounds: ReplyBounds
  /// The level of `PRAGMA synchronous` that the connection has.
  private var level: Commit.Durability = .full
  private let failedSync: FailedSync
  private var nextExpiry: Int64 = 0

  /// How long expired keys may stay, in seconds.
  private static let expiryInterval: Int64 = 60

  init(path: String, history: Int, bounds: ReplyBounds, _ failedSync: FailedSync = FailedSync()) {
    self.failedSync = failedSync
    self.path = path
    self.history = history
    self.bounds = bounds
  }

  /// Writes commits in one transaction, or where that fails one by one. The results are in their order.
  mutating func write(_ commits: [QueuedCommit], now: Int64, in db: Database) -> [Result<Void, StoreError>] {
    if let failure = failedSync.failure { return commits.map { _ in .failure(failure) } }
    do {
      return try transaction(commits, now: now, in: db)
    } catch {
      if let failure = failedSync.note(error) { return commits.map { _ in .failure(failure) } }
      let reason = StoreError(error, path: path)
      guard commits.count > 1, error.isWorthAnotherTry else { return commits.map { _ in .failure(reason) } }
      return commits.flatMap { write([$0], now: now, in: db) }
    }
  }

  private mutating func transaction(
    _ commits: [QueuedCommit],
    now: Int64,
    in db: Database
  ) throws -> [Result<Void, StoreError>] {
    // The tables that it changes, as they were; nil: not known.
    var before: [String: SQLiteTable?] = [:]
    do {
      try setLevel(level(for: commits), in: db)
      // As GRDB's `beginTransaction` and `commit`, which compile their statements each time.
      try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
      if now >= nextExpiry { try expire(now: now, in: db) }
      var results: [Result<Void, StoreError>] = []
      results.reserveCapacity(commits.count)
      var written: [(table: String, entry: RecentCommits.Entry)] = []
      // The revisions of the tables that this group has changed.
      var revisions: [String: Revision] = [:]
      for pending in commits {
        let commit = pending.commit
        var isSuperseded = false
        // Found out before anything of the commit is written: the others of the group go on.
        commit.forEachPart { part in
          let revision = revisions[part.table] ?? revision(of: part.table)
          isSuperseded = isSuperseded || self.isSuperseded(part, at: revision)
        }
        if isSuperseded {
          results.append(.failure(.superseded))
          continue
        }
        if let reply = commit.reply { try write(reply, table: commit.table, in: db) }
        try commit.forEachPart { part in
          guard part.changesTable else { return }
          if before[part.table] == nil { before.updateValue(tables[part.table], forKey: part.table) }
          try write(part, commit.durability, in: db)
          let revision = revisions[part.table] ?? revision(of: part.table)
          revisions[part.table] = Revision(number: revision.number + 1, stamp: part.stamp)
          written.append((part.table, RecentCommits.Entry(part)))
        }
        results.append(.success(()))
      }
      try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
      for (table, entry) in written { recent[table]?.append(entry) }
      return results
    } catch {
      for (name, table) in before { tables[name] = table }
      answers = AnswerSums()
      // SQLite has rolled back by itself after some errors, a full disk among them.
      if db.isInsideTransaction { try db.rollback() }
      throw error
    }
  }

  /// Returns a table's revision, counted from the beginning of this run: between runs nobody has to catch up.
  mutating func revision(of table: String) -> Revision { recentCommits(to: table).revision }

  private mutating func recentCommits(to table: String) -> RecentCommits {
    if let commits = recent[table] { return commits }
    // A stamp of its own, so that a table that was removed and came again is not taken for the one before.
    let base = Revision(number: 0, stamp: .random(in: 1...UInt64(Int64.max)))
    let commits = RecentCommits(base: base, maximumCount: history)
    recent[table] = commits
    return commits
  }

  /// Returns a table's changes since a revision.
  mutating func changes(
    of table: String,
    since revision: Revision,
    in db: Database,
    _ readers: StoreReaders?
  ) throws -> CatchUp {
    if let changes = recentCommits(to: table).changes(since: revision) { return .changes(changes) }
    return .replaced(try restore(table, in: db, readers))
  }

  /// A record is kept under another name now.
  mutating func moved(_ table: String, to name: String) {
    tables[name] = tables.removeValue(forKey: table)
    recent[name] = recent.removeValue(forKey: table)
    for other in tables.keys { _ = tables[other]?.inputs?.rename(table, to: name) }
    for other in recent.keys { recent[other]?.renameInput(table, to: name) }
  }

  /// A table was removed.
  mutating func forget(_ table: String) {
    tables[table] = nil
    recent[table] = nil
  }

  /// Does something else than commits.
  mutating func perform<Value>(_ body: (inout StoreWriter) throws -> Value) throws -> Value {
    do { return try body(&self) } catch { throw failedSync.note(error) ?? error }
  }

  /// Throws the failure of a sync: nothing is written after one.
  func mayWrite() throws(StoreError) { if let failure = failedSync.failure { throw failure } }

  /// False after such a failure.
  var canWrite: Bool { failedSync.failure == nil }

  func isSuperseded(_ commit: Commit, at revision: Revision) -> Bool {
    let table = tables[commit.table]
    return commit.isSuperseded(at: revision, inputs: table?.inputs, last: table?.last?.version)
  }

  /// Full where an edit is among them, or the first version of a table that a power loss may take.
  private func level(for commits: [QueuedCommit]) -> Commit.Durability {
    let needsSync = commits.contains { pending in
      let commit = pending.commit
      return commit.durability == .full || commit.version != nil && tables[commit.table]?.isAtRisk != true
    }
    return needsSync ? .full : .process
  }

  mutating func setLevel(_ wanted: Commit.Durability, in db: Database) throws {
    guard level != wanted else { return }
    switch wanted {
    case .full: try db.cachedStatement(sql: "PRAGMA synchronous = FULL").execute()
    case .process: try db.cachedStatement(sql: "PRAGMA synchronous = NORMAL").execute()
    }
    level = wanted
  }

  private mutating func expire(now: Int64, in db: Database) throws {
    try db.execute(sql: "DELETE FROM answer WHERE expires <= ?", arguments: [now])
    answers = AnswerSums()
    nextExpiry = now + Self.expiryInterval
  }

  /// Syncs what was written with less.
  mutating func sync(_ db: Database) throws {
    try mayWrite()
    try setLevel(.full, in: db)
    // A commit syncs the whole log, so any that writes will do.
    try db.inTransaction(.immediate) {
      try db.execute(
        sql: "INSERT OR REPLACE INTO info VALUES ('synced', coalesce((SELECT value FROM info "
          + "WHERE name = 'synced'), 0) + 1)"
      )
      return .commit
    }
  }

  /// The clean end of a run: everything is synced, so no table is at risk.
  mutating func finish(_ db: Database) throws {
    try mayWrite()
    try setLevel(.full, in: db)
    try db.inTransaction(.immediate) {
      try db.execute(sql: "UPDATE feed SET at_risk = 0 WHERE at_risk")
      try db.execute(sql: "INSERT OR REPLACE INTO info VALUES ('closed', 'cleanly')")
      return .commit
    }
    try db.checkpoint(.truncate)
    // Nothing is left in the log, so that it may go.
    try db.setCheckpointWhenClosed(true)
  }
}

extension Error {
  /// True if the commits of a group that failed so are tried alone: one of them may have been too large. Not where
  /// somebody else holds the database: each would wait as long for it again.
  fileprivate var isWorthAnotherTry: Bool {
    guard let error = self as? DatabaseError else { return true }
    return ![.SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
  }
}
