public import Dispatch
internal import Foundation
internal import Synchronization

/// The maker of the queues of an engine, of its store and of its sources: Dispatch's queues, in the service. A test may
/// give others, so that all of them run on one thread, in an order of its choice.
public struct QueueFactory: Sendable {
  private let source: (any QueueSource)?

  public static let dispatch = QueueFactory(nil)

  public init(_ source: any QueueSource) { self.source = source }

  private init(_ source: (any QueueSource)?) { self.source = source }

  /// True if other queues than Dispatch's are made: work that would come to a thread in another way is then done on
  /// these.
  public var isGiven: Bool { source != nil }

  /// A serial queue that has a thread of its own while it has work.
  public func serial(_ label: String) -> WorkQueue {
    source.map { .given($0.makeQueue(label, isSerial: true)) } ?? .dispatch(DispatchQueue(label: label))
  }

  /// A pool whose serial queues share so many threads.
  public func pool(_ label: String, threads: Int) -> QueuePool { QueuePool(label, threads: threads, source) }

  /// A queue that does all of its work at once.
  public func concurrent(_ label: String) -> WorkQueue {
    if let source { return .given(source.makeQueue(label, isSerial: false)) }
    return .dispatch(DispatchQueue(label: label, attributes: .concurrent))
  }

  // MARK: Waiting: while a configuration is loaded, and never else

  /// Waits for a value that comes on another thread.
  @discardableResult
  public func waiting<Value: Sendable>(_ begin: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
    let arrival = Arrival<Value>()
    begin { arrival.come($0) }
    if let source { source.wait { arrival.hasCome } }
    return arrival.wait()
  }

  /// Waits until all that has entered a group has left.
  public func wait(for group: DispatchGroup) {
    if let source { source.wait { group.wait(timeout: .now()) == .success } }
    group.wait()
  }

  public func sleep(for seconds: Double) {
    if let source { source.sleep(for: seconds) } else { Thread.sleep(forTimeInterval: seconds) }
  }
}

/// A maker of queues whose work is done when somebody else decides so.
public protocol QueueSource: AnyObject, Sendable {
  func makeQueue(_ label: String, isSerial: Bool) -> any GivenQueue
  /// Has other queues' work done until a condition holds.
  func wait(until isDone: @escaping @Sendable () -> Bool)
  func sleep(for seconds: Double)
}

/// A value that arrives on another thread, once.
private final class Arrival<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  var hasCome: Bool { value.withLock { $0 != nil } }

  func come(_ value: Value) {
    self.value.withLock { $0 = value }
    semaphore.signal()
  }

  func wait() -> Value {
    while true {
      semaphore.wait()
      if let value = value.withLock({ $0 }) { return value }
    }
  }
}
