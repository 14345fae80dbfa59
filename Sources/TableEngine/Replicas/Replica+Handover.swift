import Dispatch
import Queues
import Synchronization
import TableStore

/// The state that this replica leaves for the next leader.
extension Replica {
  /// Lets others ask the sources, when they can be told where these stand, or that takes too long.
  func stop(_ completion: @escaping @Sendable () -> Void) {
    let ending = Once { [self] in end(completion) }
    guard isShared, let lease, let tasks = state.withLock({ $0.tasks }) else { return ending.run() }
    let group = DispatchGroup()
    let finish = group.entered()
    tasks.handOver { [self] handover in
      state.withLock { $0.handover = handover }
      finish()
    }
    tasks.members.handOver(lease, true, group.entered())
    group.notify(queue: queue) { ending.run() }
    queue.asyncAfter(deadline: .now() + .seconds(1)) { ending.run() }
  }

  private func end(_ completion: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      let actions = state.withLock { state in
        state.timer?.cancel()
        (state.timer, state.observation) = (nil, nil)
        return state.lease.giveUp(forGood: true)
      }
      if actions.isEmpty { state.withLock { $0.tasks }?.stopFetching() }
      carryOut(actions, then: completion)
    }
  }

  /// Finds out what is to be left for the next one: stored with the next renewal of the lease, as often as that is
  /// renewed. At once where the upstream wants to be left alone.
  func findHandover() {
    let tasks = state.withLock { state -> Tasks? in
      guard state.lease.lease != nil, !state.isHandingOver else { return nil }
      state.isHandingOver = true
      return state.tasks
    }
    tasks?.handOver { [weak self] handover in
      guard let self else { return }
      let lease = state.withLock { state -> Lease? in
        state.isHandingOver = false
        guard let lease = state.lease.lease else { return nil }
        let isUrgent = handover.held != (state.handover?.held ?? [:])
        state.handover = handover
        return isUrgent ? lease : nil
      }
      if let lease { queue.async { [self] in carryOut([.renew(lease)]) } }
    }
  }

  /// Leaves beside members where they stand, as often as the lease is renewed.
  func handOverMembers(under lease: Lease) {
    let tasks = state.withLock { state -> Tasks? in
      guard !state.isHandingOverMembers else { return nil }
      state.isHandingOverMembers = true
      return state.tasks
    }
    tasks?.members.handOver(lease, false) { [weak self] in self?.state.withLock { $0.isHandingOverMembers = false } }
  }
}
