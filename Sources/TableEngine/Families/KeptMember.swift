import Dispatch
import Queues
import Synchronization
import TableModel
import TableStore
import Upstream

/// A member of a family that is kept up with its sources while it is read (``MemberUpkeep``), and those of its readers who come when it was
/// not for a while. Of the original.
struct KeptMember: Sendable {
  let table: LiveTable

  /// Keeps it up again: readers wait until it has been told what its sources have said. On any queue.
  ///
  /// After another replica has asked the sources, the table as it is stored may lack an edit that was made through another table. If a source
  /// fails then, readers come again, unless the table is as that replica has left it.
  ///
  /// - Parameter asking: has the sources tell it what they say from now on, and calls back on any queue.
  func resume(_ asking: (@escaping @Sendable () -> Void) -> Void) {
    let term = term
    guard let lapse = table.upkeep.withLock({ $0.resume(under: term) }) else { return asking {} }
    let writers = table.all.map(\.writer)
    for writer in writers { writer.following.add(1, ordering: .acquiringAndReleasing) }
    asking {
      let brought = JoinedCalls(true) { $0 = $0 && $1 }
      for source in table.sources { source.whenBrought(table, brought.begin()) }
      brought.notify(on: table.context.background) { isKnown in
        // Another replica may ask them by now, and did not begin it; or nobody reads it any more.
        let isAsked = !table.isAsleep && (!table.isShared || table.context.replica.isLeading)
        let mayLackEdits = !isKnown && table.isShared && table.current.table.hasWorked
        let isKept = isAsked && !mayLackEdits
        let waiters = table.upkeep.withLock { upkeep in
          if !isKept { upkeep.lapse() }
          return upkeep.keep(since: lapse, under: term)
        }
        for completion in waiters { completion(isKept ? .read : .late) }
        for writer in writers { writer.following.subtract(1, ordering: .acquiringAndReleasing) }
      }
    }
  }

  /// Somebody reads it here, and it is for this replica to keep it up, which it does not.
  var isLeft: Bool { (!table.isShared || term != nil) && table.upkeep.withLock { $0.isLeft(under: term) } }

  /// Of the lease under which this replica asks the sources of what replicas share.
  private var term: UInt64? { table.isShared ? table.context.replica.lease?.term : nil }

  /// Calls back when it is kept up. On any queue.
  ///
  /// - Parameter completion: On any queue; after a second at most.
  func whenKeptUp(since begun: ContinuousClock.Instant = .now, _ completion: @escaping StoreLooks.Completion) {
    let (replica, background) = (table.context.replica, table.context.background)
    let term = term
    let isClaimed = !table.isShared || term != nil || table.isClaimed.function?() ?? true
    switch table.upkeep.withLock({ $0.read(under: term, isClaimed: isClaimed, completion) }) {
    case .kept: completion(.read)
    case .waits(let isFirst):
      guard isFirst else { return }
      background.asyncAfter(deadline: .now() + patienceOfLooks.dispatchInterval) {
        for completion in table.upkeep.withLock({ $0.giveUp() }) { completion(.late) }
      }
    case .left(let lapse):
      guard table.isShared, table.isLiving else { return completion(.read) }
      guard replica.isReachable else { return completion(.unreachable) }
      guard term != nil else {
        return ReadBarrier(writer: table.writer).askLeader { outcome in
          if outcome == .read { _ = table.upkeep.withLock { $0.keep(since: lapse, under: nil) } }
          completion(outcome)
        }
      }
      // It leads since a moment ago, and is about to ask.
      guard ContinuousClock.now - begun < patienceOfLooks else { return completion(.late) }
      background.asyncAfter(deadline: .now() + ReadBarrier.pause) { whenKeptUp(since: begun, completion) }
    }
  }
}
