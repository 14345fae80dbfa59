internal import Dispatch

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
}

/// A maker of queues whose work is done when somebody else decides so.
public protocol QueueSource: AnyObject, Sendable {
  func makeQueue(_ label: String, isSerial: Bool) -> any GivenQueue
}
