import Foundation
import Synchronization

/// Keeps a second process off the database: an advisory lock on a file beside it, which says who holds it.
///
/// The kernel lets go of the lock when the process ends, however it ends, so there is nothing to clean up. The
/// file itself stays: removing it would let two processes lock two files of one name.
final class StoreLock: Sendable {
  /// The lock's descriptor, until it is given up.
  private let descriptor: Mutex<Int32?>
  /// The process that holds it, for a person.
  private let holder: String
  /// The marks that the run before this one has left.
  let left: [StoreMark]

  /// - Parameter path: The database's. The lock's file has `.lock` after it.
  init(path: String) throws(StoreError) {
    let file = path + ".lock"
    guard let descriptor = try PrivateFile.open(file, creating: true) else {
      throw .cannotOpen(path: file, reason: "it is gone")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      let holder = Self.text(of: descriptor).split(separator: "\n").first.map(String.init) ?? ""
      Foundation.close(descriptor)
      guard code == EWOULDBLOCK else { throw .cannotOpen(path: file, reason: String(cString: strerror(code))) }
      throw .locked(path: path, holder: holder.isEmpty ? "another process" : holder)
    }
    let process = ProcessInfo.processInfo
    let started = Date.now.formatted(.iso8601)
    left = Self.text(of: descriptor).split(separator: "\n").dropFirst().compactMap { StoreMark(String($0)) }
    self.holder = "process \(process.processIdentifier) on \(process.hostName), since \(started)"
    self.descriptor = Mutex(descriptor)
    leave(left)
  }

  /// Leaves marks for the next run, in place of those that there are.
  func leave(_ marks: [StoreMark]) {
    let text = Array(([holder] + marks.map(\.description)).map { $0 + "\n" }.joined().utf8)
    // The lock holds without it, on a full disk too; and a database without a mark begins new epochs.
    descriptor.withLock { descriptor in
      guard let descriptor else { return }
      _ = pwrite(descriptor, text, text.count, 0)
      _ = ftruncate(descriptor, off_t(text.count))
    }
  }

  deinit { release() }

  func release() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      // To close it is not enough while a child that is being started has it, too.
      flock(open, LOCK_UN)
      Foundation.close(open)
      descriptor = nil
    }
  }

  private static func text(of descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
