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
    let item = DispatchWorkItem(block: action)
    queue.asyncAfter(deadline: .now() + max(0, time - now), execute: item)
    return CancellableWork(item)
  }
}

/// `@unchecked Sendable`: `DispatchWorkItem.cancel` may be called on any thread, and nothing else is.
private struct CancellableWork: Cancellable, @unchecked Sendable {
  private let item: DispatchWorkItem

  init(_ item: DispatchWorkItem) { self.item = item }

  func cancel() { item.cancel() }
}
