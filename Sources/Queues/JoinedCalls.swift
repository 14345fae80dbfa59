public import Dispatch
import Synchronization

/// Several calls that are under way at once, and what their results come to together.
///
/// ```
/// let areRead = JoinedCalls(true) { $0 = $0 && $1 }
/// for record in records { record.look(areRead.begin()) }
/// areRead.notify(on: queue) { areRead in … }
/// ```
public final class JoinedCalls<Result: Sendable, Joined: Sendable>: Sendable {
  private let group = DispatchGroup()
  private let joined: Mutex<Joined>
  private let join: @Sendable (inout Joined, Result) -> Void

  /// - Parameters:
  ///   - initial: what no call comes to.
  ///   - join: adds a result, in whichever order they come.
  public init(_ initial: Joined, _ join: @escaping @Sendable (inout Joined, Result) -> Void) {
    joined = Mutex(initial)
    self.join = join
  }

  /// Begins a call. Returns the function that ends it, which is to be called once.
  public func begin() -> @Sendable (Result) -> Void {
    group.enter()
    return { [self] result in
      joined.withLock { join(&$0, result) }
      group.leave()
    }
  }

  /// Calls back when all calls that were begun have ended.
  public func notify(on queue: WorkQueue, _ completion: @escaping @Sendable (Joined) -> Void) {
    group.notify(queue: queue) { [self] in completion(joined.withLock { $0 }) }
  }

  /// Waits until all calls that were begun have ended.
  public func all(on queue: WorkQueue) async -> Joined { await withCallback { notify(on: queue, $0) } }
}

extension DispatchGroup {
  /// Enters, and returns the function that leaves, which is to be called once.
  public func entered() -> @Sendable () -> Void {
    enter()
    return { self.leave() }
  }
}
