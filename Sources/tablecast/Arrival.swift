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
