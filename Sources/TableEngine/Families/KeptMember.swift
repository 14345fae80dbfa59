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
    let host = host
    guard let lapse = table.upkeep.withLock({ $0.resume(by: host) }) else { return asking {} }
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
          return upkeep.keep(since: lapse, by: host)
        }
        for completion in waiters { completion(isKept ? .read : .late) }
        for writer in writers { writer.following.subtract(1, ordering: .acquiringAndReleasing) }
      }
    }
  }

  /// Somebody reads it here, and it is for this replica to keep it up, which it does not.
  var isLeft: Bool { host.map { host in table.upkeep.withLock { $0.isLeft(by: host) } } ?? false }

  /// This process, where it is the one to keep it up; nil: the leader is.
  private var host: MemberUpkeep.Host? {
    guard table.isShared else { return .alone }
    return table.context.replica.lease.map { .here(term: $0.term) }
  }

  typealias Reading = @Sendable (@escaping StoreLooks.Completion) -> Void

  /// Reads it when it is kept up. On any queue.
  ///
  /// - Parameters:
  ///   - body: reads it, and calls back on any queue. Once more, where another replica has come to lead.
  ///   - completion: On any queue. Each of the questions beside the reading takes a second at most.
  func whenKeptUp(
    since begun: ContinuousClock.Instant = .now,
    read body: @escaping Reading,
    then completion: @escaping StoreLooks.Completion
  ) {
    let host = host
    let isClaimed = host != nil || table.isClaimed.function?() ?? true
    let waiting: StoreLooks.Completion = { $0 == .read ? body(completion) : completion($0) }
    switch table.upkeep.withLock({ $0.read(by: host, isClaimed: isClaimed, waiting) }) {
    case .kept: body(completion)
    case .keptByLeader(let term): read(under: term, since: begun, body, completion)
    case .waits(let isFirst):
      guard isFirst else { return }
      table.context.background.asyncAfter(deadline: .now() + patienceOfLooks.dispatchInterval) {
        for completion in table.upkeep.withLock({ $0.giveUp() }) { completion(.late) }
      }
    case .left(let lapse):
      guard table.isShared, table.isLiving else { return body(completion) }
      guard table.context.replica.isReachable else { return completion(.unreachable) }
      guard host != nil else { return askLeader(lapse, waiting) }
      // It leads since a moment ago, and is about to ask.
      again(since: begun, body, completion)
    }
  }

  /// Reads what the leader has kept up under a lease. A later lease's leader may have been asked for edits since, and not know of the
  /// member: the message that says who leads comes in no order with what is read.
  private func read(
    under term: UInt64,
    since begun: ContinuousClock.Instant,
    _ body: @escaping Reading,
    _ completion: @escaping StoreLooks.Completion
  ) {
    let replica = table.context.replica
    let outcomes = JoinedCalls(LookOutcome.read) { $0 = $0.and($1) }
    replica.lookAtLease(outcomes.begin())
    body(outcomes.begin())
    outcomes.notify(on: table.context.background) { outcome in
      guard outcome == .read, replica.leaderTerm != term else { return completion(outcome) }
      table.upkeep.withLock { $0.lapse(after: term) }
      again(since: begun, body, completion)
    }
  }

  private func again(
    since begun: ContinuousClock.Instant,
    _ body: @escaping Reading,
    _ completion: @escaping StoreLooks.Completion
  ) {
    guard ContinuousClock.now - begun < patienceOfLooks else { return completion(.late) }
    table.context.background.asyncAfter(deadline: .now() + ReadBarrier.pause) {
      whenKeptUp(since: begun, read: body, then: completion)
    }
  }

  /// Has the leader keep it up: the one whose term is read first, or a later one, which has answered no edit before this call.
  private func askLeader(_ lapse: UInt64, _ completion: @escaping StoreLooks.Completion) {
    let replica = table.context.replica
    replica.lookAtLease { outcome in
      guard outcome == .read else { return completion(outcome) }
      let term = replica.leaderTerm
      ReadBarrier(writer: table.writer).askLeader { outcome in
        if outcome == .read { table.upkeep.withLock { $0.follow(since: lapse, leader: term) } }
        completion(outcome)
      }
    }
  }
}
