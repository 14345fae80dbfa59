import Foundation

/// A mark that tells a database that goes on from one that was put in its place, as a backup: the run that wrote it
/// last, noted in the database and beside it.
///
/// Where the two disagree, numbers of versions that clients hold would be given again, to other contents. While the
/// database is opened or closed there are two marks beside it: whichever it has when the process is killed, one stands.
struct StoreMark: Equatable, Sendable {
  /// New in each run.
  var run: String
  /// The run came to its end. If not, what it wrote last is in the log, which is a file of its own.
  var isClosed = false
  /// The log's file, as long as the run goes on; 0: there is none, nil: it doesn't matter which.
  var log: UInt64?

  static func newRun() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

  /// The log's file as it is now; 0 where there is none.
  static func log(of database: String) -> UInt64 {
    var status = stat()
    return stat(database + "-wal", &status) == 0 ? UInt64(status.st_ino) : 0
  }

  /// Returns whether the log is the one that it was, where that matters.
  func admits(log: UInt64) -> Bool { isClosed || self.log == nil || self.log == log }

  /// Returns whether this mark was made of a database in this state.
  func stands(for database: (run: String?, isClosed: Bool)) -> Bool {
    run == database.run && isClosed == database.isClosed
  }
}

extension StoreMark: LosslessStringConvertible {
  /// `run 1f9c closed`, `run 1f9c log 4711`, `run 1f9c log any`.
  var description: String { "run \(run) " + (isClosed ? "closed" : "log \(log.map { "\($0)" } ?? "any")") }

  init?(_ description: String) {
    let words = description.split(separator: " ")
    guard words.count >= 3, words[0] == "run" else { return nil }
    self.init(run: String(words[1]), isClosed: words[2] == "closed", log: words.count > 3 ? UInt64(words[3]) : nil)
  }
}
