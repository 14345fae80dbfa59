import Dispatch
import Synchronization

/// A value that one thread waits for and another one brings.
final class Arrival<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Brings the value; a later one takes the place of one that was not taken.
  func set(_ new: Value) {
    value.withLock { $0 = new }
    semaphore.signal()
  }

  /// Blocks until the value is there; nil where it was waited for before.
  func wait() -> Value? {
    semaphore.wait()
    return value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}

/// Has a task done, and blocks until it is over: for a thread that has nothing else to do meanwhile.
func waiting<Value: Sendable>(for body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let arrival = Arrival<Result<Value, any Error>>()
  Task {
    do { arrival.set(.success(try await body())) } catch { arrival.set(.failure(error)) }
  }
  guard let result = arrival.wait() else { throw CancellationError() }
  return try result.get()
}
