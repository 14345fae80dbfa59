public import Dispatch

/// A queue that work is done on: one of Dispatch, or one that was given. Serial, unless its factory was asked for
/// another one.
public enum WorkQueue: Sendable {
  case dispatch(DispatchQueue)
  case given(any GivenQueue)

  /// A block as it stands: a closure that is written at the call is passed on without a wrapping of its own.
  public typealias Work = @Sendable @convention(block) () -> Void

  @inlinable
  public func async(execute work: @escaping Work) {
    switch self {
    case .dispatch(let queue): queue.async(execute: work)
    case .given(let queue): queue.async(work)
    }
  }

  @inlinable
  public func asyncAfter(deadline: DispatchTime, execute work: @escaping Work) {
    switch self {
    case .dispatch(let queue): queue.asyncAfter(deadline: deadline, execute: work)
    case .given(let queue): queue.async(at: deadline, work)
    }
  }

  /// Traps where the caller is no work of this queue.
  @inlinable
  public func check() {
    switch self {
    case .dispatch(let queue): dispatchPrecondition(condition: .onQueue(queue))
    case .given(let queue): precondition(queue.isCurrent, "this is to be touched on a queue of its own")
    }
  }
}

extension DispatchGroup {
  /// Has work done once all that has entered has left.
  public func notify(queue: WorkQueue, execute work: @escaping WorkQueue.Work) {
    switch queue {
    case .dispatch(let queue): notify(queue: queue, execute: work)
    case .given(let queue): queue.async(after: self, work)
    }
  }
}

/// A queue whose work is done when somebody else decides so: a test, by a seed.
public protocol GivenQueue: AnyObject, Sendable {
  func async(_ work: @escaping @Sendable () -> Void)
  /// Not before an instant.
  func async(at deadline: DispatchTime, _ work: @escaping @Sendable () -> Void)
  /// Once all that has entered a group has left.
  func async(after group: DispatchGroup, _ work: @escaping @Sendable () -> Void)
  /// The caller is work of this queue.
  var isCurrent: Bool { get }
}
