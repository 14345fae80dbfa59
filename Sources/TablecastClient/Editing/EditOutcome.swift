import Foundation

/// How an edit ended, for any number of tasks that wait for it.
///
/// `@unchecked Sendable`: everything is used with the lock held.
final class EditOutcome: @unchecked Sendable {
  private typealias Waiter = CheckedContinuation<EditState, Never>

  private let lock = NSLock()
  private var state = EditState.local
  private var isOver = false
  private var waiters: [Int: Waiter] = [:]
  private var lastWaiter = 0

  /// The last state, without waiting.
  var current: EditState { lock.withLock { state } }

  func pass(_ state: EditState) { lock.withLock { self.state = state } }

  /// Nothing follows: all who wait have the last state.
  func end() {
    let (state, waiters) = lock.withLock {
      isOver = true
      defer { self.waiters = [:] }
      return (self.state, self.waiters)
    }
    for waiter in waiters.values { waiter.resume(returning: state) }
  }

  /// The last state, once there is one. A task that is cancelled has the state as it is.
  var value: EditState {
    get async {
      let number = lock.withLock {
        lastWaiter += 1
        return lastWaiter
      }
      return await withTaskCancellationHandler {
        await withCheckedContinuation { (waiter: Waiter) in
          let isNow = lock.withLock {
            if isOver || Task.isCancelled { return true }
            waiters[number] = waiter
            return false
          }
          if isNow { waiter.resume(returning: lock.withLock { state }) }
        }
      } onCancel: {
        let (waiter, state) = lock.withLock { (waiters.removeValue(forKey: number), self.state) }
        waiter?.resume(returning: state)
      }
    }
  }
}

/// Tells who made an edit how it goes. Where nobody holds it any more, because the client has ended, that is the end.
final class EditCourse: Sendable {
  private let states: AsyncStream<EditState>.Continuation
  private let outcome: EditOutcome

  init(_ states: AsyncStream<EditState>.Continuation, _ outcome: EditOutcome) {
    (self.states, self.outcome) = (states, outcome)
  }

  deinit { end() }

  func pass(_ state: EditState) {
    states.yield(state)
    outcome.pass(state)
    if state.isOver { end() }
  }

  func end() {
    states.finish()
    outcome.end()
  }
}
