import Synchronization
import TableModel

/// The views of all tables: made by the first tap, forgotten when idle or when there are too many.
///
/// A view that was never tapped is no record at all: it shows the table as it is, under the table's own
/// cursors. One that was costs at most 200 bytes and 16 for each toggled row, and whoever holds any some 300. Nothing here
/// walks over views: publishing a version does not touch them, and idleness is noticed when a view is next used, or when it
/// stands at the end of the queue while another is made.
///
/// A view is held by whoever tapped in it first. Where there are too many, the oldest one of whoever holds most goes.
///
/// Any thread; every call is O(toggled rows of one view).
final class Views: Sendable {
  private let maximum: Int
  /// How many that somebody waits with are passed over, before one of them has to go.
  private static let patience = 32
  /// Seconds.
  private let idle: Int64
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  /// The entries lie side by side in the queue's array; the dictionary, with its empty places, holds tickets only.
  private struct State {
    var tickets: [Key: RecencyQueue<Entry>.Ticket] = [:]
    var entries = RecencyQueue<Entry>()
    var holders = FairQueue<ViewHolder, RecencyQueue<Entry>.Ticket>()
    /// How many wait with a view of a name, be there one yet or not: as long as they do, it is in use. Of whatever table:
    /// its epoch may be another one when the wait is over.
    var followers: [Fingerprint: Int] = [:]
  }

  /// The name by its fingerprint, whose seed nobody knows: names that collide can't be made up.
  private struct Key: Hashable {
    var table: Epoch
    var name: Fingerprint
  }

  private struct Entry {
    let key: Key
    var view = ViewState()
    var place: FairQueue<ViewHolder, RecencyQueue<Entry>.Ticket>.Ticket?
    /// Replicas share it: the store says when it was idle for too long.
    var isShared = false
    var used: Int64
    /// When it was read, or the store was told of its use.
    var prolonged: Int64
  }

  /// - Parameters:
  ///   - maximum: How many are held.
  ///   - idle: After so long without use all rows have their defaults again, which a client is told that comes back; after
  ///     twice as long the next one that is made takes its place.
  ///   - now: Seconds on a clock that never goes back.
  init(maximum: Int, idle: Duration, now: @escaping @Sendable () -> Int64) {
    self.maximum = max(maximum, 1)
    self.idle = max(idle.components.seconds, 1)
    self.now = now
    state = Mutex(State())
  }

  /// How many views are held.
  var count: Int { state.withLock { $0.tickets.count } }

  /// A view as it is now; nil where it shows the table as it is. Counts as use.
  ///
  /// - Parameter table: The epoch of the table's versions.
  func state(of name: String, table: Epoch) -> ViewState? {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    return state.withLock { state in
      guard let ticket = touch(key, now: now, in: &state) else { return nil }
      return state.entries[ticket]?.view
    }
  }

  /// Toggles a row for one view, and makes the view if it is not there.
  ///
  /// - Parameters:
  ///   - row: The row's ``RowKey/identity``.
  ///   - holder: Who taps.
  /// - Returns: The view after the tap.
  func tap(_ name: String, table: Epoch, row: Fingerprint, by holder: ViewHolder) -> ViewState {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    return state.withLock { state in
      let ticket = touch(key, now: now, in: &state) ?? add(key, of: holder, now: now, in: &state)
      if state.entries[ticket]?.view.isUsedUp ?? false { state.entries[ticket]?.view = ViewState() }
      state.entries[ticket]?.view.tap(row)
      return state.entries[ticket]?.view ?? ViewState()
    }
  }

  /// Takes over a view as all replicas share it; one that is newer here stays.
  func take(_ view: ViewState, _ name: String, table: Epoch, of holder: ViewHolder) {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    state.withLock { state in
      let held = touch(key, now: now, in: &state)
      if let held, let known = state.entries[held]?.view, known.incarnation == view.incarnation, known.taps > view.taps
      {
        return
      }
      let ticket = held ?? add(key, of: holder, now: now, in: &state)
      state.entries[ticket]?.view = view
      state.entries[ticket]?.isShared = true
    }
  }

  /// Counts a tap that another replica has counted. False where it does not come after what is known here: the view has
  /// to be read.
  func follow(_ tap: ViewTap) -> Bool {
    let key = Key(table: tap.table, name: Fingerprint(of: tap.view))
    let now = now()
    return state.withLock { state in
      let held = touch(key, now: now, in: &state)
      // Before its first tap a view was none at all, here as there.
      let known = held.flatMap { state.entries[$0]?.view } ?? ViewState(incarnation: tap.incarnation)
      guard known.incarnation == tap.incarnation else { return false }
      guard known.taps < tap.taps else { return true }
      guard known.taps + 1 == tap.taps else { return false }
      var view = known
      view.tap(Fingerprint(of: tap.row))
      let ticket = held ?? add(key, of: tap.holder, now: now, in: &state)
      state.entries[ticket]?.view = view
      state.entries[ticket]?.isShared = true
      return true
    }
  }

  /// All replicas have dropped it.
  func drop(_ name: String, table: Epoch) {
    let key = Key(table: table, name: Fingerprint(of: name))
    state.withLock { state in
      if let ticket = state.tickets[key] { forget(key, ticket, in: &state) }
    }
  }

  // MARK: Who waits with it

  /// A waiter with a view uses it until the wait is over.
  func beginFollowing(_ name: String, table: Epoch) {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    state.withLock { state in
      // A view that was idle until now has its defaults again before it is in use.
      _ = touch(key, now: now, in: &state)
      state.followers[key.name, default: 0] += 1
    }
  }

  func endFollowing(_ name: String, table: Epoch) {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    state.withLock { state in
      _ = touch(key, now: now, in: &state)
      guard let count = state.followers[key.name] else { return }
      state.followers[key.name] = count > 1 ? count - 1 : nil
    }
  }

  /// Returns whether a shared view has been in use here for a while since the others were told so last: true once.
  func isToBeProlonged(_ name: String, table: Epoch) -> Bool {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    return state.withLock { state in
      guard let ticket = state.tickets[key], let entry = state.entries[ticket], entry.isShared,
        now - entry.prolonged >= idle / 4
      else { return false }
      state.entries[ticket]?.prolonged = now
      return true
    }
  }

  /// Notes the use of a view; nil where there is none.
  private func touch(_ key: Key, now: Int64, in state: inout State) -> RecencyQueue<Entry>.Ticket? {
    guard let ticket = state.tickets[key], let entry = state.entries[ticket] else { return nil }
    let pause = state.followers[key.name] == nil ? now - entry.used : 0
    if entry.isShared, pause >= idle {
      forget(key, ticket, in: &state)
      return nil
    }
    if pause >= idle {
      if entry.view.isUsedUp { state.entries[ticket]?.view = ViewState() } else { state.entries[ticket]?.view.reset() }
    }
    use(ticket, now: now, in: &state)
    return ticket
  }

  private func use(_ ticket: RecencyQueue<Entry>.Ticket, now: Int64, in state: inout State) {
    state.entries[ticket]?.used = now
    state.entries.refresh(ticket)
    if let place = state.entries[ticket]?.place { state.holders.refresh(place) }
  }

  /// Makes a view; forgets what has been idle for too long, and where no place is left the least recently used of whoever
  /// holds most.
  private func add(_ key: Key, of holder: ViewHolder, now: Int64, in state: inout State) -> RecencyQueue<Entry>.Ticket {
    var patience = Self.patience
    while let ticket = goingNext(now: now, in: state), let entry = state.entries[ticket] {
      if patience > 0, state.followers[entry.key.name] != nil {
        patience -= 1
        use(ticket, now: now, in: &state)
      } else {
        forget(entry.key, ticket, in: &state)
      }
    }
    let ticket = state.entries.append(Entry(key: key, used: now, prolonged: now))
    state.entries[ticket]?.place = state.holders.append(ticket, of: holder)
    state.tickets[key] = ticket
    return ticket
  }

  /// The view that has to go before another is made; nil where none has.
  private func goingNext(now: Int64, in state: State) -> RecencyQueue<Entry>.Ticket? {
    if let oldest = state.entries.first, now - oldest.used >= 2 * idle { return state.tickets[oldest.key] }
    return state.tickets.count >= maximum ? state.holders.first : nil
  }

  private func forget(_ key: Key, _ ticket: RecencyQueue<Entry>.Ticket, in state: inout State) {
    state.tickets[key] = nil
    if let place = state.entries[ticket]?.place { state.holders.remove(place) }
    state.entries.remove(ticket)
  }
}
