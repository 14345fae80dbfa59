import Dispatch
package import Queues
import Synchronization

/// Has a task done, and blocks until it is over. What it waits for must come on other threads than those of Swift's tasks: tests
/// that wait as this one may have all of them.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let outcome = Monitor<Result<Value, any Error>?>(nil)
  let executor = QueueExecutor(QueueFactory.dispatch.serial("blocking"))
  Task(executorPreference: executor) {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    outcome.change { $0 = result }
  }
  return try outcome.wait(for: "a task") { $0 }.get()
}

extension WorkQueue {
  /// Blocks until a body has run, behind all that was given before. Never from within work of the same queue.
  package func sync<Value>(execute body: @escaping () -> Value) -> Value {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var value: Value?
    async {
      value = body()
      done.signal()
    }
    done.wait()
    return value.unsafelyUnwrapped
  }
}
