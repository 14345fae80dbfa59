import Dispatch
import Foundation

/// A clock with timers. It is given, so that tests neither sleep nor wait.
public protocol Scheduler: Sendable {
  /// Seconds since any moment; never goes back.
  var now: Double { get }

  /// Seconds since 1970, as the system's clock has it: what is kept is dated by it.
  var date: Double { get }

  /// Calls `action` once, not before `time` and on any thread.
  func schedule(at time: Double, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}

extension Scheduler {
  public var date: Double { Date().timeIntervalSince1970 }
}

/// The system's clock, which also runs while the device sleeps. So after a long sleep an overdue poll is noticed at
/// once.
public struct SystemScheduler: Scheduler {
  private let queue = DispatchQueue(label: "tablecast.scheduler")

  public init() {}

  public var now: Double {
    var time = timespec()
    #if canImport(Darwin)
    clock_gettime(CLOCK_MONOTONIC, &time)
    #else
    clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  public func schedule(at time: Double, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    let work = ScheduledWork(action)
    // Dispatch's own clock stands still while the device sleeps; the time of day goes on, but may be set.
    queue.asyncAfter(deadline: .now() + max(0, time - now)) { work.run() }
    scheduleByDate(work, at: time)
    return work
  }

  private func scheduleByDate(_ work: ScheduledWork, at time: Double) {
    queue.asyncAfter(wallDeadline: .now() + max(0.001, time - now)) {
      if now >= time { work.run() } else if !work.isOver { scheduleByDate(work, at: time) }
    }
  }
}

/// What is done once, unless it is cancelled before.
///
/// `@unchecked Sendable`: everything is used with the lock held.
private final class ScheduledWork: Cancellable, @unchecked Sendable {
  private let lock = NSLock()
  private var action: (@Sendable () -> Void)?

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  var isOver: Bool { lock.withLock { action == nil } }

  func run() { take()?() }
  func cancel() { _ = take() }

  private func take() -> (@Sendable () -> Void)? {
    lock.withLock {
      defer { action = nil }
      return action
    }
  }
}
