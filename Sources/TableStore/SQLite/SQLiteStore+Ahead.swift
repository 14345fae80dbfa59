import GRDB
import Queues
import Synchronization
import TableModel

/// Commits whose rows are written ahead of them, in slices. While that lasts, what else is to be done to their tables waits,
/// and so do tasks that are about any table, with all that comes behind them.
extension SQLiteStore {
  /// Begins with a commit where its rows are to be written ahead; false where it is written at once. On the writer's queue.
  func begins(
    _ pending: QueuedCommit,
    behind group: [QueuedCommit],
    _ db: Database
  ) -> Bool {
    let commit = pending.commit
    // Most have not so many rows, and those that have are alone.
    guard let version = commit.version, version.table.rowCount >= StoreWriter.fewestAhead,
      !group.contains(where: { !Set($0.commit.records).isDisjoint(with: commit.records) }),
      let plan = try? writer.value.perform({ try $0.planAhead(commit, in: db) })
    else { return false }
    jobs.withLock { $0.ahead.formUnion(commit.records) }
    slicing.async { [self] in
      let rows = write(SliceMaker(commit, version, plan), plan)
      write { [self] db in
        writer.value.ahead = rows
        write([pending], db)
        writer.value.ahead = nil
        let goesOn = jobs.withLock { jobs in
          jobs.ahead.subtract(commit.records)
          defer { jobs.isRunning = true }
          return !jobs.isRunning
        }
        if goesOn { work(db) }
      }
    }
    return true
  }

  /// Writes all slices. Nil where one fails: the commit is then tried as a whole, which says why it can't be written.
  private func write(_ maker: SliceMaker, _ plan: StoreWriter.AheadPlan) -> StoreWriter.RowsAhead? {
    var maker = maker
    do {
      while let slice = maker.slice() {
        try pool.writeWithoutTransaction { db in
          try writer.value.perform { try $0.write(slice, in: db) }
          checkpoints.note(db)
        }
      }
      return maker.ahead
    } catch {
      try? pool.writeWithoutTransaction { db in
        try writer.value.perform { try $0.removeRows(from: plan.nextRow, of: plan.tableID, in: db) }
      }
      return nil
    }
  }
}
