import Foundation
public import TablecastClient

/// A clock that a test moves.
///
/// `@unchecked Sendable`: everything is used with the lock held.
public final class ManualScheduler: Scheduler, @unchecked Sendable {
  private let lock = NSLock()
  private var time = 0.0
  private var due: [(number: Int, time: Double, action: @Sendable () -> Void)] = []
  private var lastNumber = 0
  private let start: Double

  /// - Parameter date: seconds since 1970 at the beginning; nil: the system's now.
  public init(date: Double? = nil) { start = date ?? Date().timeIntervalSince1970 }

  public var now: Double { lock.withLock { time } }
  public var date: Double { start + now }

  public func schedule(at time: Double, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    let number = lock.withLock {
      lastNumber += 1
      due.append((lastNumber, time, action))
      return lastNumber
    }
    return Cancellation { [weak self] in
      guard let self else { return }
      lock.withLock { due.removeAll { $0.number == number } }
    }
  }

  /// The time of the next due action, or nil.
  public var nextDue: Double? { lock.withLock { due.map(\.time).min() } }

  /// Moves the clock, and calls the actions that are due by then, in order.
  public func advance(by seconds: Double) {
    let end = now + seconds
    while let next = takeNext(before: end) { next() }
    lock.withLock { time = max(time, end) }
  }

  private func takeNext(before end: Double) -> (@Sendable () -> Void)? {
    lock.withLock {
      guard let index = due.indices.min(by: { due[$0].time < due[$1].time }), due[index].time <= end else { return nil }
      time = max(time, due[index].time)
      return due.remove(at: index).action
    }
  }
}

struct Cancellation: Cancellable {
  let action: @Sendable () -> Void
  func cancel() { action() }
}
