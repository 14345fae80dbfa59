import GRDB
import Queues
import Synchronization

extension SQLiteStore {
  /// Has what is to be forgotten be forgotten, slice after slice, in between of what else is written. Where that fails it is
  /// left until more is to be forgotten, or the table is restored.
  func forget() {
    let begins = jobs.withLock { jobs in
      defer { jobs.isForgetting = true }
      return !jobs.isForgetting
    }
    guard begins else { return }
    slicing.async { [self] in
      var goesOn = true
      while goesOn {
        goesOn = pool.writeWithoutTransaction { db in
          guard jobs.withLock({ !$0.isClosed }), (try? writer.value.perform { try $0.forgetSome(in: db) }) == true
          else { return stop() }
          checkpoints.note(db)
          return true
        }
      }
    }
  }

  /// False: nothing is forgotten any more. On the writer's queue, so that whatever comes next to be forgotten begins anew.
  private func stop() -> Bool {
    jobs.withLock { $0.isForgetting = false }
    return false
  }
}
