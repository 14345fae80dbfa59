import Foundation

/// What one screen's look at a table is to this client: its observers, what it shows.
struct TableHub {
  let address: TableAddress
  var observers: [Int: @Sendable (TableChange) -> Void] = [:]
  /// Nil until there is something to show.
  var snapshot: TableSnapshot?
  /// Edits lay over what is shown: the service's own stages don't lead on from it.
  var isOverlaid = false
  /// Changes are held back until then; nil where none are.
  var heldUntil: Double?
  /// When the state is to be kept.
  var savesAt: Double?

  init(_ address: TableAddress) { self.address = address }
}

/// The edits of one table, whichever screen they were made on, and those who wait for them.
struct EditDesk {
  var edits: EditQueue
  /// Kept edits that this release can't read.
  var unreadable: [JSONText] = []
  /// Those who made the edits of this run of the program.
  var courses: [EditID: EditCourse] = [:]
  /// The outcomes to report once the edit is shown.
  var news: [(EditID, EditState)] = []
  /// The edit's request that is under way.
  var sending: (number: Int, request: any Cancellable)?
  /// Screens that have not shown an answered edit yet, and how the others have seen it.
  var sights: [EditID: (missing: Set<TableAddress>, seen: AwaitedEdit.Sight)] = [:]

  init(_ table: TableAddress) { edits = EditQueue(table) }

  /// No edit is open, nor in front of the person, nor to be kept.
  var isIdle: Bool {
    edits.entries.isEmpty && unreadable.isEmpty && courses.isEmpty && news.isEmpty && sending == nil
  }

  /// A screen has seen an answered edit, or never will. Returns how it is seen once all have.
  mutating func note(_ id: EditID, _ sight: AwaitedEdit.Sight, on screen: TableAddress) -> AwaitedEdit.Sight? {
    guard var sights = sights[id] else { return sight }
    sights.missing.remove(screen)
    if sights.seen == .never || sight == .otherEpoch { sights.seen = sight }
    self.sights[id] = sights.missing.isEmpty ? nil : sights
    return sights.missing.isEmpty ? sights.seen : nil
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

/// An observation of a table. It ends when it is cancelled or released.
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
