import TableModel
import TestSupport
import Testing

@testable import TableStore

/// A pooler between the service and its database.
@Suite(.serialized, .enabled(if: PgBouncer.isInstalled)) struct PgBouncerTests {
  /// Notifications are a session's, and settings too: without sessions the store would hear nothing, and say nothing of it.
  @Test(arguments: ["transaction", "statement"]) func whatGivesNoSessionsIsRefused(mode: String) throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let pooler = try PgBouncer(before: server, mode: mode)
    for _ in 0..<3 {
      let error = #expect(throws: StoreError.self) { _ = try PostgresStore(address: pooler.address(of: address)) }
      guard case .cannotOpen(_, let reason)? = error else { throw StoreError.closed }
      #expect(reason.contains("pool_mode=session"), "\(reason)")
      #expect(!reason.contains("PGRES"))
    }
    // It has made nothing.
    #expect(try server.ask("SELECT count(*) FROM pg_namespace WHERE nspname = 'tablecast'", in: address) == "0")
  }

  @Test func sessionsAreAsGoodAsTheServersOwn() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let pooler = try PgBouncer(before: server, mode: "session")
    let stores = try (0..<2).map { _ in try PostgresStore(address: pooler.address(of: address)) }
    #expect(stores[0].sharedSecret == stores[1].sharedSecret && stores[0].sharedSecret.count >= 32)
    let (own, events) = (PostgresStoreTests.Events(of: stores[0]), PostgresStoreTests.Events(of: stores[1]))
    try result { stores[0].signal("hello", "there", completion: $0) }
    try events.await { $0 == .signal(name: "hello", text: "there") }
    // One's own is no news: the server's processes have other numbers than the pooler says.
    try result { stores[1].signal("hello", "back", completion: $0) }
    try own.await { $0 == .signal(name: "hello", text: "back") }
    #expect(!own.have { $0 == .signal(name: "hello", text: "there") })
    for store in stores { try store.closed() }
  }
}
