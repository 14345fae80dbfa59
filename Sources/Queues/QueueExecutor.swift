public import Dispatch

/// Runs tasks on a queue: they begin there, and go on there when what they have waited for has come.
public final class QueueExecutor: TaskExecutor {
  private let queue: WorkQueue

  public init(_ queue: WorkQueue) { self.queue = queue }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

// MARK: Waiting, which takes no thread

/// Waits for the value that a callback is given: it is to be called once, on any queue.
///
/// ```
/// let result = await withCallback { store.restore(name, completion: $0) }
/// ```
public func withCallback<Value: Sendable>(_ begin: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
  await withCheckedContinuation { continuation in begin { continuation.resume(returning: $0) } }
}

extension WorkQueue {
  /// Has work done behind all that was given before, and waits for what it returns.
  public func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCallback { done in async { done(work()) } }
  }

  public func sleep(for interval: DispatchTimeInterval) async {
    await withCallback { done in asyncAfter(deadline: .now() + interval) { done(()) } }
  }
}
