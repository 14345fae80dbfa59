import Synchronization

/// A message of a store to its observers. A hint: it may come late, twice, or for a change that is known already.
public enum StoreEvent: Equatable, Sendable {
  /// The present revision of a table. A process with an older one asks for ``Store/changes(of:since:completion:)``.
  case moved(table: String, revision: Revision)
  case removed(table: String)
  /// The holder has let go of a lease: who wants it need not wait until it expires.
  case leaseFree(String)
  /// A message that another process has sent by ``Store/signal(_:_:completion:)``.
  case signal(name: String, text: String)
  /// The database can be reached, or not. After a pause the tables' revisions follow.
  case reachable(Bool)
}

/// Ends with its value.
public final class StoreObservation: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

/// The observers of a store.
final class StoreObservers: Sendable {
  private let state = Mutex(State())

  private struct State {
    var observers: [UInt64: @Sendable (StoreEvent) -> Void] = [:]
    var next: UInt64 = 0
  }

  func add(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
    let number = state.withLock { state in
      state.next += 1
      state.observers[state.next] = observer
      return state.next
    }
    return StoreObservation { [weak self] in self?.state.withLock { _ = $0.observers.removeValue(forKey: number) } }
  }

  func tell(_ event: StoreEvent) {
    for observer in state.withLock({ Array($0.observers.values) }) { observer(event) }
  }
}
