import CSQLite
import GRDB

extension Configuration {
  /// Of connections that leave the log as it is when they are closed (``Database/setCheckpointWhenClosed(_:)``).
  static func keepingLog(label: String) -> Configuration {
    var configuration = Configuration()
    configuration.label = label
    configuration.prepareDatabase { try $0.setCheckpointWhenClosed(false) }
    return configuration
  }
}

extension Database {
  /// Says whether this connection, where it is the last one to be closed, brings the log home and removes it, as SQLite has it.
  ///
  /// Nobody would be told that the sync of such a checkpoint has failed, and after a failed sync none may be made (``FailedSync``).
  func setCheckpointWhenClosed(_ isMade: Bool) throws {
    guard let connection = sqliteConnection else { return }
    let code = csqlite_checkpoint_when_closed(connection, isMade)
    guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// Has the disk keep the whole log. After a failed sync the kernel takes for written what the disk has not, and a later sync does not
  /// write it: nothing may be appended to such a log, nor brought home from it. O(bytes of the log).
  func rewriteLog() throws {
    guard let connection = sqliteConnection else { return }
    let code = csqlite_rewrite_log(connection)
    guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
