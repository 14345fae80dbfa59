import Foundation

/// A check that a database's files are where they were when it was opened. Moved or removed files are written to all
/// the same, and the data is gone with the process.
///
/// The check compares the kernel's name for an open file (`proc(5)`, "/proc/pid/fd"), which changes when the file is
/// moved, or ends with ` (deleted)`. To ask for the file's attributes before each commit would have the next write give
/// it a new time.
final class StoreFiles: Sendable {
  private struct File {
    let path: String
    let descriptor: Int32
    let entry: [CChar]
    let name: [CChar]
  }

  /// `/proc/self/fd`.
  private let folder: Int32
  private let files: [File]
  /// `O_PATH`, on the machines that there are Swift's compilers for; Swift imports no such name.
  private static let pathOnly: Int32 = 0o10_000_000

  init(of database: String) {
    let folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    files = [database, database + "-wal"].compactMap { path in
      // To close another kind of descriptor would give up SQLite's locks.
      let descriptor = open(path, Self.pathOnly | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let entry = Array("\(descriptor)".utf8CString)
      guard let name = Self.name(of: entry, in: folder, { Array($0) }) else {
        close(descriptor)
        return nil
      }
      return File(path: path, descriptor: descriptor, entry: entry, name: name)
    }
    self.folder = folder
  }

  deinit {
    for file in files { close(file.descriptor) }
    close(folder)
  }

  /// The first that is not where it was; nil where all are in place.
  var missing: String? {
    files.first { file in
      Self.name(of: file.entry, in: folder) { $0.elementsEqual(file.name) } != true
    }?.path
  }

  private static func name<Result>(
    of entry: [CChar],
    in folder: Int32,
    _ body: (UnsafeBufferPointer<CChar>) -> Result
  ) -> Result? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 16) { name in
      guard let start = name.baseAddress else { return nil }
      let count = readlinkat(folder, entry, start, name.count)
      return count > 0 ? body(UnsafeBufferPointer(start: start, count: count)) : nil
    }
  }
}
