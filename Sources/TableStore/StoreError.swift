/// Called once, with what a store was asked for or why it can't be had; on any queue.
public typealias StoreCompletion<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// An error of a store, and its remedy.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file was written by a later release, whose schema this one does not know.
  case newerVersion(path: String, schema: String, known: String)
  /// A later release has migrated the database, which this one does not know.
  case newerSchema(database: String, schema: Int, known: Int)
  /// The file is damaged.
  case corrupt(path: String, detail: String)
  /// The database's data of a table can't be read.
  case damaged(database: String, detail: String)
  /// The file is a database of another program.
  case foreign(path: String)
  /// Another process has the file open.
  case locked(path: String, holder: String)
  case cannotOpen(path: String, reason: String)
  /// No room on the disk. Reading goes on, and edits do when there is room again.
  case full
  /// Somebody else wrote the table, or an earlier commit, on which this one was built, has failed: read what is there,
  /// do it again on that.
  case superseded
  /// The writer's lease is another's now: it has to stop writing.
  case fenced
  /// The database can't be reached, for now. Whether it has taken a commit that was under way is unknown: after a
  /// reconnection its table's revision tells.
  case unavailable(String)
  /// Something holds what is to be written, and did so for too long: nothing was written. It may be tried again.
  case busy(String)
  /// The disk or the database failed: nothing was written.
  case failed(String)
  /// The disk failed to keep what was written: nothing more is written in this run. Whether it has kept a commit that was under way is
  /// known in the next one.
  case stopped(String)
  case closed

  public var description: String {
    switch self {
    case .newerVersion(let path, let schema, let known):
      "\(path) was written by a newer version of Tablecast (schema \(schema); this one knows up to \(known)): "
        + "start that version, or name another file in store.path"
    case .newerSchema(let database, let schema, let known):
      "\(database) was migrated by a newer version of Tablecast (schema \(schema); this one knows up to \(known)): "
        + "start that version, or name another database in store.postgres"
    case .corrupt(let path, let detail):
      "\(path) is damaged (\(detail)): put a backup in its place, or save what can be read by "
        + "`sqlite3 \(path) .recover`, or move it and its -wal and -shm files away to start anew; "
        + "nothing was changed"
    case .damaged(let database, let detail):
      "\(database) has a record that is damaged (\(detail)): restore the database, or its schema `tablecast`, from a backup, "
        + "or name another database in store.postgres to start anew; nothing was changed"
    case .foreign(let path):
      "\(path) is a database of another program: name another file in store.path"
    case .locked(let path, let holder):
      "\(path) is in use by \(holder): stop that process, or name another file in store.path"
    case .cannotOpen(let path, let reason):
      "\(path) can't be opened: \(reason)"
    case .full: "no room is left for the store"
    case .superseded: "the table was changed meanwhile, and this was made on top of what it was"
    case .fenced: "another process does this by now"
    case .unavailable(let reason): "the store can't be reached: \(reason)"
    case .busy(let reason): "the store is busy: \(reason)"
    case .failed(let reason), .stopped(let reason): "the store failed: \(reason)"
    case .closed: "the store is closed"
    }
  }
}
