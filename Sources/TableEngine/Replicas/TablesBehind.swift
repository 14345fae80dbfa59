/// The tables that others have moved and this replica has not taken over yet. A state machine without I/O; the clock is
/// given, in seconds that never go back.
///
/// Without the database nobody is ahead: what can't be heard is no reason to be avoided.
struct TablesBehind: Sendable {
  /// Since when.
  private var tables: [String: Double] = [:]
  /// How often a table was caught up with.
  private(set) var catchUps = 0
  /// So long may taking over take, in seconds.
  static let patience = 3.0

  /// Others have moved a table. The store says so again until it is taken over.
  mutating func moved(_ table: String, at now: Double) {
    if tables[table] == nil { tables[table] = now }
  }

  /// A table stands where the store has it.
  mutating func caughtUp(_ table: String) {
    if tables.removeValue(forKey: table) != nil { catchUps += 1 }
  }

  /// Tables that are behind are not known before the database is there again, which tells.
  mutating func lostDatabase() { tables = [:] }

  /// Returns the tables that are behind for too long, in order.
  func overdue(at now: Double) -> [String] {
    tables.filter { now - $0.value > Self.patience }.keys.sorted()
  }
}
