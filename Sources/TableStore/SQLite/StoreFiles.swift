import Foundation

/// A database's files as they were when it was opened. Moved or removed, they are written to all the same, and what is written
/// is gone with the process.
struct StoreFiles: Sendable {
  private let files: [(path: String, inode: ino_t)]

  init(of database: String) {
    files = [database, database + "-wal"].compactMap { path in Self.inode(path).map { (path, $0) } }
  }

  /// The first that is not where it was, or another one stands there; nil where all are in place.
  var missing: String? { files.first { Self.inode($0.path) != $0.inode }?.path }

  private static func inode(_ path: String) -> ino_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ino : nil
  }
}
