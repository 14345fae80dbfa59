import Foundation

/// Files that nobody but their owner reads or writes: what tables hold is callers' own. Files that are made are so from their
/// first byte on. One that is there, as a copied database, is closed to others once it was seen to be the service's own.
enum PrivateFile {
  /// Opens a file, or makes it with no rights for others; one that others may read or write is closed to them.
  static func open(_ path: String, creating: Bool) throws(StoreError) -> Int32? {
    // Closed on exec, so that no child process goes on holding it.
    let descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC | (creating ? O_CREAT : 0), 0o600)
    guard descriptor >= 0 else {
      if !creating, errno == ENOENT { return nil }
      throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    // The users of a device node are not the service's to decide.
    guard !isKnown || status.st_mode & S_IFMT == S_IFREG else {
      Foundation.close(descriptor)
      throw .cannotOpen(path: path, reason: "it is no regular file")
    }
    // Left alone where it is closed already: some file systems know no modes, and refuse to change them.
    guard isKnown, status.st_mode & 0o077 != 0, fchmod(descriptor, 0o600) != 0 else { return descriptor }
    let reason = String(cString: strerror(errno))
    Foundation.close(descriptor)
    throw .cannotOpen(path: path, reason: "others may read it, and that can't be changed (\(reason)): chmod 600 it")
  }

  /// Sees to it that a database and what SQLite lays beside it are private: new files of SQLite take the database's mode.
  static func prepareDatabase(_ path: String) throws(StoreError) {
    for (file, creating) in [(path, true), (path + "-wal", false), (path + "-shm", false)] {
      if let descriptor = try open(file, creating: creating) { Foundation.close(descriptor) }
    }
  }
}
