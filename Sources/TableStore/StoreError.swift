/// What a store can't do, and what a person can do about it.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file was written by a later release, whose schema this one does not know.
  case newerVersion(path: String, schema: String, known: String)
  /// The file is damaged.
  case corrupt(path: String, detail: String)
  /// The file is a database of another program.
  case foreign(path: String)
  /// Another process has the file open.
  case locked(path: String, holder: String)
  case cannotOpen(path: String, reason: String)
  /// No room on the disk. Reading goes on, and edits do when there is room again.
  case full
  /// The version does not follow the one stored last: an earlier commit, on which it was built, has failed.
  case superseded
  /// The disk or the database failed.
  case failed(String)
  case closed

  public var description: String {
    switch self {
    case .newerVersion(let path, let schema, let known):
      "\(path) was written by a newer version of Tablecast (schema \(schema); this one knows up to \(known)): "
        + "start that version, or name another file in store.path"
    case .corrupt(let path, let detail):
      "\(path) is damaged (\(detail)): put a backup in its place, or save what can be read by "
        + "`sqlite3 \(path) .recover`, or move it and its -wal and -shm files away to start anew; "
        + "nothing was changed"
    case .foreign(let path):
      "\(path) is a database of another program: name another file in store.path"
    case .locked(let path, let holder):
      "\(path) is in use by \(holder): stop that process, or name another file in store.path"
    case .cannotOpen(let path, let reason):
      "\(path) can't be opened: \(reason)"
    case .full: "no room is left for the store"
    case .superseded: "an earlier edit could not be stored, and this one was made on top of it"
    case .failed(let reason): "the store failed: \(reason)"
    case .closed: "the store is closed"
    }
  }
}
