import TestSupport
import Testing

@testable import TableStore

/// The stores, so that what all of them promise is told of each.
enum StoreKind: CaseIterable {
  case memory, sqlite, postgres

  /// How many answers more than its bound a store may hold for a while.
  var slack: Int { self == .postgres ? 8 : 0 }

  /// Runs something with a new store of this kind, and closes it.
  func withStore(
    now: @escaping @Sendable () -> Int64 = { 0 },
    bounds: ReplyBounds = ReplyBounds(),
    _ body: (any Store) throws -> Void
  ) throws {
    switch self {
    case .memory: try body(MemoryStore(now: now, bounds: bounds))
    case .sqlite:
      let folder = try TemporaryFolder()
      let store = try SQLiteStore(path: folder.database, now: now, bounds: bounds)
      try body(store)
      try store.closed()
    case .postgres:
      let store = try PostgresStore(address: try PostgresServer.shared.get().newDatabase(), now: now, bounds: bounds)
      try body(store)
      try store.closed()
    }
  }
}
