import Dispatch
import Queues
import Synchronization
import TableStore
import Upstream

/// A member of a family, and those of its readers who come when it was not read for a while.
extension LiveTable {
  /// Is kept up with its sources again: readers wait until it has been told what these have said. On any queue.
  ///
  /// - Parameter asking: has the sources tell it what they say from now on, and calls back on any queue.
  func resume(_ asking: (@escaping @Sendable () -> Void) -> Void) {
    guard let lapse = upkeep.withLock({ $0.resume() }) else { return asking {} }
    let writers = all.map(\.writer)
    for writer in writers { writer.following.add(1, ordering: .acquiringAndReleasing) }
    asking { [self] in
      let group = DispatchGroup()
      for source in sources {
        group.enter()
        source.whenBrought(self) { group.leave() }
      }
      group.notify(queue: context.background) { [self] in
        // Another replica may ask them by now, and did not begin it.
        let isAsked = !isShared || context.replica.isLeading
        let waiters = upkeep.withLock { upkeep in
          if !isAsked { upkeep.lapse() }
          return upkeep.keep(since: lapse)
        }
        for completion in waiters { completion(isAsked ? .read : .late) }
        for writer in writers { writer.following.subtract(1, ordering: .acquiringAndReleasing) }
      }
    }
  }

  /// Calls back when it is kept up with its sources. On any queue.
  ///
  /// - Parameter completion: On any queue; after a second at most.
  func whenKeptUp(since begun: ContinuousClock.Instant = .now, _ completion: @escaping StoreLooks.Completion) {
    switch upkeep.withLock({ $0.read(completion) }) {
    case .kept: completion(.read)
    case .waits(let isFirst):
      guard isFirst else { return }
      context.background.asyncAfter(deadline: .now() + patienceOfLooks.dispatchInterval) { [self] in
        for completion in upkeep.withLock({ $0.giveUp() }) { completion(.late) }
      }
    case .left(let lapse):
      guard isShared, isLiving else { return completion(.read) }
      guard context.replica.isLeading else {
        return writer.content.queue.async { [self] in
          ReadBarrier(writer: writer).askLeader { [self] outcome in
            if outcome == .read { _ = upkeep.withLock { $0.keep(since: lapse) } }
            completion(outcome)
          }
        }
      }
      // It leads since a moment ago, and is about to ask.
      guard ContinuousClock.now - begun < patienceOfLooks else { return completion(.late) }
      context.background.asyncAfter(deadline: .now() + ReadBarrier.pause) { [self] in
        whenKeptUp(since: begun, completion)
      }
    }
  }
}
