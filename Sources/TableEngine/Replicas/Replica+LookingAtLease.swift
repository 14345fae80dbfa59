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
    let patience = patienceOfLooks.dispatchInterval
    queue.asyncAfter(deadline: begun + patience) { [weak self] in
      guard let self else { return }
      // Where the process was stopped meanwhile it is the clock that has moved on.
      let isStale = DispatchTime.now() > begun + patience + patience
      if isStale, state.withLock({ $0.leaseLooks.beginAnew(number) }) { return lookAtLease() }
      endLook(number, isReachable ? .late : .unreachable)
    }
    store.precedence(Self.leaseName) { [self] result in
      switch result {
      case .success(let precedence): endLook(number, .read, term: precedence?.term ?? 0)
      case .failure(.unavailable): endLook(number, .unreachable)
      case .failure: endLook(number, .late)
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
