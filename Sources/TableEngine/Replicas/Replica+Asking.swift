import Dispatch
import Queues
import Synchronization
import TableStore
import Upstream

extension Replica {
  /// How long whoever has asked another replica waits for it.
  private static let patience = 10.0
  /// So often is an answer said that could not be, and with such pauses.
  private static let attempts = 20
  private static let pause = DispatchTimeInterval.milliseconds(250)

  /// Has the replica that asks the sources do something.
  ///
  /// - Parameter completion: called when it is done, or takes too long: then a failure. On any queue.
  func askLeader(_ task: LeaderTask, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    let id = String(UInt64.random(in: .min ... .max), radix: 36)
    state.withLock { $0.awaited[id] = AwaitedTask(task: task, completion: completion) }
    ask(for: task, id)
    queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
      let detail = "The replica that asks the sources does not answer: ask again."
      self?.answered(id, .failure(TableError(.unavailable, detail: detail, retryAfter: .seconds(1))))
    }
  }

  private func ask(for task: LeaderTask, _ id: String) {
    let (signal, text) = task.words
    store.signal(signal, "\(id) \(text)") { _ in }
  }

  /// The replica that was asked before may have died of it, or not have heard.
  func askAgain() {
    for (id, awaited) in state.withLock({ $0.awaited }) { ask(for: awaited.task, id) }
  }

  private func answered(_ id: String, _ outcome: LeaderTask.Outcome) {
    state.withLock { $0.awaited.removeValue(forKey: id) }?.completion(outcome)
  }

  /// A task that another replica was asked for, and has not reported done, is this one's to do now.
  func carryOutAwaited() {
    let (tasks, awaited) = state.withLock { ($0.tasks, $0.awaited) }
    for (id, asked) in awaited { tasks?.carryOut(asked.task) { [weak self] in self?.answered(id, $0) } }
  }

  /// Another replica asks for something.
  func carryOutForAnother(_ signal: String, _ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, isLeading, let tasks = state.withLock({ $0.tasks }) else { return }
    let id = String(parts[0])
    guard let task = LeaderTask(signal, parts[1]) else { return }
    // Shown once more, an item that the upstream has deleted meanwhile would be there again.
    if case .show = task {
      switch state.withLock({ $0.shownForOthers.begin(id) }) {
      case .new: break
      case .underWay: return
      case .done(let row): return say(row.map { "\(id) =\($0)" } ?? id, Self.attempts)
      }
    }
    tasks.carryOut(task) { [weak self] outcome in
      self?.state.withLock { $0.shownForOthers.end(id, outcome) }
      // The present holder of the lease is asked in its turn; and where this one ends, the next.
      guard let self, isLeading, maySayWhatIsTold else { return }
      switch outcome {
      case .success(let row): say(row.map { "\(id) =\($0)" } ?? id, Self.attempts)
      case .failure: say("\(id) !", Self.attempts)
      }
    }
  }

  private func say(_ answer: String, _ attempts: Int) {
    store.signal("refreshed", answer) { [weak self] result in
      guard let self, attempts > 1, case .failure(.unavailable) = result else { return }
      queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.say(answer, attempts - 1) }
    }
  }

  /// A task is done: `ID`, `ID =ROW`; or not: `ID !`.
  func hearAnswer(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard let id = parts.first.map(String.init) else { return }
    switch parts.dropFirst().first {
    case nil: answered(id, .success(nil))
    case let word? where word.first == "=": answered(id, .success(String(word.dropFirst())))
    case _?: answered(id, .failure(.notStoredForNow))
    }
  }
}

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
