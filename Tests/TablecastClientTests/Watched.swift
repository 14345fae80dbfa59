import Dispatch
import Foundation

/// A value that a test awaits a state of: told when it changes, it never looks in vain.
///
/// The end is far off: beside a suite whose every test is ready to run, a task gets its next turn after all others.
///
/// `@unchecked Sendable`: everything is used with the lock held.
final class Watched<Value: Sendable>: @unchecked Sendable {
  struct NeverCame: Error, CustomStringConvertible {
    let description: String
  }

  private struct Waiter {
    var isAwaited: @Sendable (Value) -> Bool
    var continuation: CheckedContinuation<Void, any Error>
  }

  private let lock = NSLock()
  private var value: Value
  private var waiters: [Int: Waiter] = [:]
  private var lastWaiter = 0

  init(_ value: Value) { self.value = value }

  var current: Value { lock.withLock { value } }

  func change(_ body: (inout Value) -> Void) {
    let ready = lock.withLock { () -> [Waiter] in
      body(&value)
      let ready = waiters.filter { $0.value.isAwaited(value) }
      for number in ready.keys { waiters[number] = nil }
      return Array(ready.values)
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  func wait(for what: String, seconds: Int = 900, _ isAwaited: @escaping @Sendable (Value) -> Bool) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let number = lock.withLock { () -> Int? in
        guard !isAwaited(value) else { return nil }
        lastWaiter += 1
        waiters[lastWaiter] = Waiter(isAwaited: isAwaited, continuation: continuation)
        return lastWaiter
      }
      guard let number else { return continuation.resume() }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
        guard let self, let waiter = lock.withLock({ waiters.removeValue(forKey: number) }) else { return }
        waiter.continuation.resume(throwing: NeverCame(description: "\(what) never came"))
      }
    }
  }
}
