import Synchronization
public import TableModel

/// The views of all tables: made by the first tap, forgotten when idle or when there are too many.
///
/// A view that was never tapped is no record at all: it shows the table as it is, under the table's own
/// cursors. One that was costs about 100 bytes and 16 for each toggled row. Nothing here walks over views:
/// publishing a version does not touch them, and idleness is noticed when a view is next used, or when it
/// stands at the end of the queue while another is made.
///
/// Any thread; every call is O(toggled rows of one view).
public final class Views: Sendable {
  private let maximum: Int
  /// Seconds.
  private let idle: Int64
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  private struct State {
    var views: [Key: Entry] = [:]
    var recency = RecencyQueue<Key>()
  }

  /// The name by its fingerprint, whose seed nobody knows: names that collide can't be made up.
  private struct Key: Hashable {
    var table: Epoch
    var name: Fingerprint
  }

  private struct Entry {
    var view: ViewState
    var used: Int64
    /// In the recency queue.
    var ticket: RecencyQueue<Key>.Ticket
  }

  /// - Parameters:
  ///   - maximum: How many are held; the least recently used goes first.
  ///   - idle: After so long without use all rows have their defaults again; after twice as long nothing is known.
  ///   - now: Seconds on a clock that never goes back.
  public init(maximum: Int, idle: Duration, now: @escaping @Sendable () -> Int64) {
    self.maximum = max(maximum, 1)
    self.idle = max(idle.components.seconds, 1)
    self.now = now
    state = Mutex(State())
  }

  /// How many views are held.
  public var count: Int { state.withLock { $0.views.count } }

  /// A view as it is now; nil where it shows the table as it is. Counts as use.
  ///
  /// - Parameter table: The epoch of the table's feed.
  public func state(of name: String, table: Epoch) -> ViewState? {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    return state.withLock { state in
      guard touch(key, now: now, in: &state) else { return nil }
      return state.views[key]?.view
    }
  }

  /// Toggles a row for one view, and makes the view if it is not there.
  ///
  /// - Parameter row: The row's ``RowKey/identity``.
  /// - Returns: The view after the tap.
  public func tap(_ name: String, table: Epoch, row: Fingerprint) -> ViewState {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    return state.withLock { state in
      if !touch(key, now: now, in: &state) {
        makeRoom(now: now, in: &state)
        state.views[key] = Entry(view: ViewState(), used: now, ticket: state.recency.append(key))
      }
      guard var entry = state.views[key] else { return ViewState() }
      // Not held twice while it changes, so that its toggles are not copied.
      state.views[key]?.view = ViewState(epoch: entry.view.epoch)
      if entry.view.isUsedUp { entry.view = ViewState() }
      entry.view.tap(row)
      state.views[key] = entry
      return entry.view
    }
  }

  /// Notes the use of a view; false where there is none.
  private func touch(_ key: Key, now: Int64, in state: inout State) -> Bool {
    guard let entry = state.views[key] else { return false }
    let pause = now - entry.used
    if pause >= 2 * idle {
      forget(key, entry, in: &state)
      return false
    }
    if pause >= idle {
      if entry.view.isUsedUp { state.views[key]?.view = ViewState() } else { state.views[key]?.view.reset() }
    }
    state.views[key]?.used = now
    state.recency.refresh(entry.ticket)
    return true
  }

  /// Forgets what has been idle for too long, and the least recently used where no place is left.
  private func makeRoom(now: Int64, in state: inout State) {
    while let oldest = state.recency.first, let entry = state.views[oldest],
      state.views.count >= maximum || now - entry.used >= 2 * idle
    {
      forget(oldest, entry, in: &state)
    }
  }

  private func forget(_ key: Key, _ entry: Entry, in state: inout State) {
    state.views[key] = nil
    state.recency.remove(entry.ticket)
  }
}
