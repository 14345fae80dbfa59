import Queues

/// State with one owner: a serial queue. Touching it elsewhere is a crash at once, not a race on some day
/// (after GRDB's SchedulingWatchdog).
///
/// `@unchecked Sendable`: `value` is reached only through `access`, which checks that it runs on `queue`, and
/// `queue` is serial.
final class QueueBound<Value>: @unchecked Sendable {
  let queue: WorkQueue
  private var value: Value

  /// - Parameter queue: serial.
  init(_ value: Value, on queue: WorkQueue) {
    self.value = value
    self.queue = queue
  }

  func access<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    queue.check()
    return try body(&value)
  }
}
