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
    // Edits that were answered before this are in the handover.
    state.withLock { $0.isEnding = true }
    let left = Mutex(false)
    let group = DispatchGroup()
    let (finish, finishMembers) = (group.entered(), group.entered())
    tasks.handOver { [self] handover in
      state.withLock { $0.handover = handover }
      finish()
    }
    // The round under way may have found older states: its write comes first.
    whenMembersAreHandedOver {
      tasks.members.handOver(lease, true) { isLeft in
        left.withLock { $0 = isLeft }
        finishMembers()
      }
    }
    group.notify(queue: queue) { [self] in
      state.withLock { state in
        state.handover?.areMembersLeft = left.withLock(\.self)
        state.handover?.term = lease.term
      }
      ending.run()
    }
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
    tasks?.members.handOver(lease, false) { [weak self] _ in
      let waiting = self?.state.withLock { state in
        // The last round begins at once, and no other one beside it.
        state.isHandingOverMembers = !state.afterHandingOverMembers.isEmpty
        defer { state.afterHandingOverMembers = [] }
        return state.afterHandingOverMembers
      }
      for body in waiting ?? [] { body() }
    }
  }

  /// Calls back when no round is under way; no further one begins.
  private func whenMembersAreHandedOver(_ body: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      defer { state.isHandingOverMembers = true }
      if state.isHandingOverMembers { state.afterHandingOverMembers.append(body) }
      return !state.isHandingOverMembers
    }
    if isNow { body() }
  }

  /// True if it may say what an upstream's tables are told of an edit: what it leaves to the next leader is found out later.
  var maySayWhatIsTold: Bool { state.withLock { !$0.isEnding } }

  /// True if a member that is as it was left lacks nothing that was answered before: the leader before has ended well. One that was killed may
  /// have answered edits since it left a member.
  var areMembersLeft: Bool { state.withLock { $0.areMembersLeft } }
}
