import Dispatch
import Queues
import Synchronization
import TableStore
import Upstream

/// Looks at the lease, for those who have to know whether another replica leads by now: the message that says so comes in no order with what
/// is read of the store.
extension Replica {
  /// The term of the lease, 0 before anybody had it. It is as new as the last look that has ended with ``LookOutcome/read``.
  var leaderTerm: UInt64 { state.withLock { $0.leaderTerm } }

  /// Has ``leaderTerm`` be what the store has, or had after this call. One question for all who ask before it begins. On any queue.
  ///
  /// - Parameter completion: On any queue; a second at most after the look has begun.
  func lookAtLease(_ completion: @escaping StoreLooks.Completion) {
    if state.withLock({ $0.leaseLooks.ask(completion) }) { lookAtLease() }
  }

  private func lookAtLease() {
    let (number, begun) = (state.withLock { $0.leaseLooks.number }, DispatchTime.now())
    queue.asyncAfter(deadline: begun + patienceOfLooks.dispatchInterval) { [weak self] in
      guard let self else { return }
      if state.withLock({ $0.leaseLooks.expire(number, begun: begun) }) { return lookAtLease() }
      endLook(number, isReachable ? .late : .unreachable)
    }
    store.precedence(Self.leaseName) { [self] result in
      switch result {
      case .success(let precedence): endLook(number, .read, term: precedence?.term ?? 0)
      case .failure(let error): endLook(number, LookOutcome(error))
      }
    }
  }

  private func endLook(_ number: UInt64, _ outcome: LookOutcome, term: UInt64? = nil) {
    let (told, begins) = state.withLock { state in
      if let term, number == state.leaseLooks.number { state.leaderTerm = term }
      return state.leaseLooks.end(number)
    }
    for completion in told { completion(outcome) }
    if begins { lookAtLease() }
  }
}
