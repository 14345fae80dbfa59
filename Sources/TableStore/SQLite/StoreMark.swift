import Foundation

/// What tells a database that goes on from one that was put in its place, as a backup: the run that wrote it last, noted in the
/// database and beside it.
///
/// Where the two disagree, numbers of versions that clients hold would be given again, to other contents.
struct StoreMark: Equatable, Sendable {
  /// New in each run.
  var run: String
  /// The run came to its end. If not, what it wrote last is in the log, which is a file of its own.
  var isClosed: Bool
  /// The log's file, as long as the run goes on.
  var log: UInt64?

  static func newRun() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

  /// The log's file as it is now; nil where there is none.
  static func log(of database: String) -> UInt64? {
    var status = stat()
    return stat(database + "-wal", &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Whether a database is what this one, which was left beside it, was noted of.
  ///
  /// - Parameter log: the log's file, before anybody has opened the database, which may remove it.
  func stands(for database: (run: String?, isClosed: Bool), log: UInt64?) -> Bool {
    run == database.run && isClosed == database.isClosed && (isClosed || self.log == log)
  }
}

extension StoreMark: LosslessStringConvertible {
  /// `run 1f9c closed`, `run 1f9c log 4711`.
  var description: String { "run \(run) " + (isClosed ? "closed" : "log \(log ?? 0)") }

  init?(_ description: String) {
    let words = description.split(separator: " ")
    guard words.count >= 3, words[0] == "run" else { return nil }
    self.init(run: String(words[1]), isClosed: words[2] == "closed", log: words.count > 3 ? UInt64(words[3]) : nil)
  }
}
