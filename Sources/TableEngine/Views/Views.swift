import Synchronization
import TableModel

/// The views of all tables: made by the first tap, forgotten when idle or when there are too many.
///
/// A view that was never tapped is no record at all: it shows the table as it is, under the table's own
/// cursors. One that was costs at most 200 bytes and 16 for each toggled row. Nothing here walks over views:
/// publishing a version does not touch them, and idleness is noticed when a view is next used, or when it
/// stands at the end of the queue while another is made.
///
/// Any thread; every call is O(toggled rows of one view).
final class Views: Sendable {
  private let maximum: Int
  /// Seconds.
  private let idle: Int64
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  /// The entries lie side by side in the queue's array; the dictionary, with its empty places, holds tickets only.
  private struct State {
    var tickets: [Key: RecencyQueue<Entry>.Ticket] = [:]
    var entries = RecencyQueue<Entry>()
  }

  /// The name by its fingerprint, whose seed nobody knows: names that collide can't be made up.
  private struct Key: Hashable {
    var table: Epoch
    var name: Fingerprint
  }

  private struct Entry {
    let key: Key
    var view = ViewState()
    var used: Int64
  }

  /// - Parameters:
  ///   - maximum: How many are held; the least recently used goes first.
  ///   - idle: After so long without use all rows have their defaults again; after twice as long nothing is known.
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
  /// - Parameter table: The epoch of the table's feed.
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
  /// - Parameter row: The row's ``RowKey/identity``.
  /// - Returns: The view after the tap.
  func tap(_ name: String, table: Epoch, row: Fingerprint) -> ViewState {
    let key = Key(table: table, name: Fingerprint(of: name))
    let now = now()
    return state.withLock { state in
      let ticket = touch(key, now: now, in: &state) ?? add(key, now: now, in: &state)
      if state.entries[ticket]?.view.isUsedUp ?? false { state.entries[ticket]?.view = ViewState() }
      state.entries[ticket]?.view.tap(row)
      return state.entries[ticket]?.view ?? ViewState()
    }
  }

  /// Takes over what another replica has counted.
  func follow(_ tap: ViewTap, table: Epoch) {
    let key = Key(table: table, name: Fingerprint(of: tap.view))
    let now = now()
    state.withLock { state in
      let held = touch(key, now: now, in: &state).flatMap { state.entries[$0]?.view }
      // Before its first tap a view was none at all, here as there.
      let known = held ?? (tap.taps == 1 ? ViewState(incarnation: tap.incarnation) : nil)
      let row = Fingerprint(of: tap.row)
      let view: ViewState
      if var own = known, own.incarnation == tap.incarnation, own.taps + 1 >= tap.taps {
        if own.taps + 1 == tap.taps { own.tap(row) } else { own = own.merging(row) }
        view = own
      } else {
        // What can't be told whole begins anew here.
        guard let toggled = tap.toggled else { return }
        view = ViewState(incarnation: tap.incarnation, taps: tap.taps, toggled: toggled.map { Fingerprint(of: $0) })
      }
      let ticket = state.tickets[key] ?? add(key, now: now, in: &state)
      state.entries[ticket]?.view = view
    }
  }

  /// Notes the use of a view; nil where there is none.
  private func touch(_ key: Key, now: Int64, in state: inout State) -> RecencyQueue<Entry>.Ticket? {
    guard let ticket = state.tickets[key], let entry = state.entries[ticket] else { return nil }
    let pause = now - entry.used
    if pause >= 2 * idle {
      forget(key, ticket, in: &state)
      return nil
    }
    if pause >= idle {
      if entry.view.isUsedUp { state.entries[ticket]?.view = ViewState() } else { state.entries[ticket]?.view.reset() }
    }
    state.entries[ticket]?.used = now
    state.entries.refresh(ticket)
    return ticket
  }

  /// Makes a view; forgets what has been idle for too long, and the least recently used where no place is left.
  private func add(_ key: Key, now: Int64, in state: inout State) -> RecencyQueue<Entry>.Ticket {
    while let oldest = state.entries.first, let ticket = state.tickets[oldest.key],
      state.tickets.count >= maximum || now - oldest.used >= 2 * idle
    {
      forget(oldest.key, ticket, in: &state)
    }
    let ticket = state.entries.append(Entry(key: key, used: now))
    state.tickets[key] = ticket
    return ticket
  }

  private func forget(_ key: Key, _ ticket: RecencyQueue<Entry>.Ticket, in state: inout State) {
    state.tickets[key] = nil
    state.entries.remove(ticket)
  }
}
