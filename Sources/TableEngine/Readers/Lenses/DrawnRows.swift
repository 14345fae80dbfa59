import Synchronization
import TableFinding
import TableModel

/// Rows in other cells than their own or without edits, each made once for all who are shown it so: a row has twice as many as
/// it has fallbacks, however many sets of cells clients make up. Any thread.
///
/// Bounded by itself, and with what the searches of all tables keep; what was used least recently goes first.
final class DrawnRows: Sendable {
  /// A row, and the place in its chain of the cell that it is shown in; nil: the table's default cell.
  private struct Key: Hashable {
    var row: ObjectIdentifier
    var place: Int?
    var isReadOnly: Bool
  }

  private struct Drawn {
    /// Held, so that its place in memory names no other one.
    var plain: Row
    var shown: Row
  }

  /// The rows that were used since the others were left behind.
  private struct Generation {
    var rows: [Key: Drawn] = [:]
    var bytes = 0

    mutating func insert(_ drawn: Drawn, for key: Key) {
      guard rows.updateValue(drawn, forKey: key) == nil else { return }
      // With its places in the table, and what it was drawn from, which its version may have let go.
      bytes += drawn.shown.footprint + drawn.plain.footprint + 100
    }
  }

  private struct State {
    var recent = Generation()
    var older = Generation()
  }

  private let state = Mutex(State())
  private let sets = Mutex<[AcceptedCells: RowAppearance?]>([:])
  private let memory: FindMemory

  /// The most bytes of each generation.
  static let maximumBytes = 32 << 20
  /// Sets of cells are the clients' to choose.
  private static let maximumSets = 4_096

  /// - Parameter memory: what this is counted with.
  init(_ memory: FindMemory) { self.memory = memory }

  /// With rows of its own, counted with the same.
  convenience init(sharing other: DrawnRows) { self.init(other.memory) }

  deinit { memory.forget(all: ObjectIdentifier(self)) }

  /// About how many bytes are held.
  var byteCount: Int { state.withLock { $0.recent.bytes + $0.older.bytes } }

  func removeAll() {
    state.withLock { $0 = State() }
    memory.forget(all: ObjectIdentifier(self))
  }

  /// A row in a cell of its chain. O(1) where it is known, else what `draw` takes.
  ///
  /// - Parameter isReadOnly: without edits.
  func row(_ row: Row, at place: Int?, isReadOnly: Bool, _ draw: () -> Row) -> Row {
    let key = Key(row: ObjectIdentifier(row), place: place, isReadOnly: isReadOnly)
    let known = state.withLock { state -> Row? in
      if let known = state.recent.rows[key] { return known.shown }
      guard let known = state.older.rows[key] else { return nil }
      state.recent.insert(known, for: key)
      return known.shown
    }
    if let known { return known }
    let drawn = Drawn(plain: row, shown: draw())
    state.withLock { state in
      state.recent.insert(drawn, for: key)
      if state.recent.bytes > Self.maximumBytes { (state.older, state.recent) = (state.recent, Generation()) }
    }
    return drawn.shown
  }

  /// Another version is shown: rows that no version has any more go, if not at once.
  ///
  /// - Parameter rows: how many it has.
  func retire(rows: Int) {
    state.withLock { state in
      guard state.recent.rows.count > 4 * rows + 1_024 else { return }
      (state.older, state.recent) = (state.recent, Generation())
    }
  }

  /// Counts what is held. Where all tables together hold too much, those go that were used least recently.
  func charge() {
    let bytes = byteCount
    guard bytes > 0 else { return }
    memory.charge(ObjectIdentifier(self), FindSearch(), bytes) { [weak self] in self?.state.withLock { $0 = State() } }
  }

  /// Returns the cells that a client accepts, among a registry's: found out once.
  func appearance(_ accepted: AcceptedCells, _ find: () -> RowAppearance?) -> RowAppearance? {
    if let known = sets.withLock({ $0[accepted] }) { return known }
    let found = find()
    sets.withLock { sets in
      if sets.count >= Self.maximumSets { sets = [:] }
      sets[accepted] = .some(found)
    }
    return found
  }
}
