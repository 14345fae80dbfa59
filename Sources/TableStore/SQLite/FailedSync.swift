import GRDB
import Synchronization

/// The mark of a failed sync, for all who write to the store's files. After one nobody knows what of them the kernel has still to write,
/// and a later sync may claim success: nothing more is written in this run, nor brought home from the log. Pages that the disk has lost
/// from the log would be in the database alone, and a restart would bring older ones home over those.
final class FailedSync: Sendable {
  private let hasHappened = Atomic(false)

  /// The reason why nothing is written any more; nil as long as no sync has failed.
  var failure: StoreError? {
    guard hasHappened.load(ordering: .acquiring) else { return nil }
    return .stopped("the disk failed to keep what was written; check it, then start Tablecast again")
  }

  /// Takes notice of an error, whatever was being written. Returns the failure if it is a failed sync.
  @discardableResult
  func note(_ error: any Error) -> StoreError? {
    guard (error as? DatabaseError)?.extendedResultCode == .SQLITE_IOERR_FSYNC else { return nil }
    hasHappened.store(true, ordering: .releasing)
    return failure
  }
}
