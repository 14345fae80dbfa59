public import Dispatch
internal import Synchronization

/// A timer that calls a body on a queue; it ends by ``cancel()``, and when it is released.
///
/// `@unchecked Sendable`: nothing changes but within timers, and those of Dispatch may be set from any thread.
public final class QueueTimer: @unchecked Sendable {
  private let kind: Kind

  private enum Kind {
    case dispatch(any DispatchSourceTimer)
    case given(GivenTimer)
  }

  /// Does nothing before it is scheduled.
  public init(on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) {
    switch queue {
    case .dispatch(let queue):
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler(handler: body)
      timer.schedule(deadline: .distantFuture)
      timer.activate()
      kind = .dispatch(timer)
    case .given(let queue): kind = .given(GivenTimer(queue, body))
    }
  }

  deinit { cancel() }

  /// - Parameter period: in seconds; nil: once.
  public func schedule(
    deadline: DispatchTime,
    repeating period: Double? = nil,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    switch kind {
    case .dispatch(let timer):
      if let period {
        timer.schedule(deadline: deadline, repeating: period, leeway: leeway)
      } else {
        timer.schedule(deadline: deadline, leeway: leeway)
      }
    case .given(let timer): timer.schedule(deadline, period)
    }
  }

  public func cancel() {
    switch kind {
    case .dispatch(let timer):
      timer.setEventHandler(handler: nil)
      timer.cancel()
    case .given(let timer): timer.schedule(.distantFuture, nil)
    }
  }
}

/// A timer of a queue that was given.
private final class GivenTimer: Sendable {
  private let queue: any GivenQueue
  private let body: @Sendable () -> Void
  /// The number of the last ``schedule(_:_:)``: calls of those before are dropped.
  private let number = Atomic(0)

  init(_ queue: any GivenQueue, _ body: @escaping @Sendable () -> Void) { (self.queue, self.body) = (queue, body) }

  func schedule(_ deadline: DispatchTime, _ period: Double?) {
    arm(deadline, period, number.add(1, ordering: .relaxed).newValue)
  }

  private func arm(_ deadline: DispatchTime, _ period: Double?, _ current: Int) {
    guard deadline != .distantFuture else { return }
    queue.async(at: deadline) { [weak self] in
      guard let self, number.load(ordering: .relaxed) == current else { return }
      if let period { arm(.now() + period, period, current) }
      body()
    }
  }
}
