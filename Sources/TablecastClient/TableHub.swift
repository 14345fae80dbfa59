import Foundation

/// What one table is to this client: its observers, its edits, what it shows.
struct TableHub {
  let address: TableAddress
  var observers: [Int: @Sendable (TableChange) -> Void] = [:]
  var edits: EditQueue
  /// Nil until there is something to show.
  var snapshot: TableSnapshot?
  /// Edits lay over what is shown: the service's own stages don't lead on from it.
  var isOverlaid = false
  /// Changes are held back until then; nil where none are.
  var heldUntil: Double?
  /// When the state is to be kept.
  var savesAt: Double?
  /// Those who made the edits of this run of the program.
  var courses: [EditID: EditCourse] = [:]
  /// The outcomes to report once the edit is shown.
  var news: [(EditID, EditState)] = []
  /// The edit's request that is under way.
  var sending: (number: Int, request: any Cancellable)?

  init(_ address: TableAddress) {
    self.address = address
    edits = EditQueue(address)
  }
}

/// The states that are shown, for whoever asks.
///
/// `@unchecked Sendable`: the states are used with the lock held.
final class ShownTables: @unchecked Sendable {
  private let lock = NSLock()
  private var snapshots: [TableAddress: TableSnapshot] = [:]

  subscript(address: TableAddress) -> TableSnapshot? {
    get { lock.withLock { snapshots[address] } }
    set { lock.withLock { snapshots[address] = newValue } }
  }
}

/// Observes until it is cancelled or gone.
///
/// `@unchecked Sendable`: everything is used with the lock held.
public final class TableObservation: Cancellable, @unchecked Sendable {
  private let lock = NSLock()
  private var state: State = .waiting

  private enum State {
    case waiting
    case running(@Sendable () -> Void)
    case cancelled
  }

  init() {}
  deinit { cancel() }

  var isCancelled: Bool {
    lock.withLock { if case .cancelled = state { true } else { false } }
  }

  func onCancel(_ action: @escaping @Sendable () -> Void) {
    let isLate = lock.withLock {
      guard case .waiting = state else { return true }
      state = .running(action)
      return false
    }
    if isLate { action() }
  }

  public func cancel() {
    let action: (@Sendable () -> Void)? = lock.withLock {
      defer { state = .cancelled }
      if case .running(let action) = state { return action }
      return nil
    }
    action?()
  }
}
