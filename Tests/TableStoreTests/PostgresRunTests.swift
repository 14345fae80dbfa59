import Dispatch
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Runs of statements that are long, or take long.
@Suite(.serialized) struct PostgresRunTests {
  private func ask(_ statements: [PostgresStatement], of store: PostgresStore) throws -> [PostgresRows] {
    try result { completion in
      store.queue.async { store.main.run(statements) { completion($0.mapError(StoreError.init)) } }
    }
  }

  private func rows(_ count: Int, of bytes: Int) -> [(String, [TableModel.Row])] {
    [("s", (0..<count).map { row("r\($0)", String(repeating: "x", count: bytes)) })]
  }

  @Test(
    arguments: [
      ([], []), ([1], [1]), ([1, 2, 3], [3]), ([2_000_000, 1, 1], [1, 2]), ([1, 2_000_000, 2_000_000], [2, 1]),
      ([600_000, 600_000, 600_000, 600_000], [2, 2]),
    ] as [([Int], [Int])]
  ) func whatIsLongIsCutIntoParts(sizes: [Int], counts: [Int]) {
    let parts = PostgresStatement.parts(of: sizes) { $0 }
    #expect(parts.map(\.count) == counts && Array(parts.joined()) == sizes)
  }

  @Test(
    arguments: [
      .null, .int(Int64(-1)), .bool(true), .bytes([1, 2, 3]), .text("é"), .ints([1, 2]),
      .byteStrings([[1], [], [2, 3]]),
    ] as [PostgresValue]
  ) func aValueKnowsItsSize(value: PostgresValue) {
    #expect(value.size == value.encoded?.count ?? 0)
  }

  /// Rows and items of a commit stand in several statements: none is longer than the server takes.
  @Test func aLongCommitHasSeveralStatements() throws {
    let versions = TableVersions(initial: table())
    let version = try #require(versions.prepare(table(rows(50, of: 100_000))))
    var items = ItemChanges(nextID: 100)
    items.stored = (1...50).map { number in
      StoredItem(
        item: Item(id: ItemID(rawValue: UInt64(number)), body: [UInt8](repeating: 1, count: 100_000)),
        rank: Int64(number)
      )
    }
    var known = PostgresTable(id: 1, name: "t", revision: .none, history: 8)
    let commit = Commit(table: "t", durability: .full, version: version, items: items)
    let statements = known.statements(for: commit, history: 8)
    for part in ["row", "item"] {
      let insertions = statements.filter { $0.text.hasPrefix("INSERT INTO tablecast.\(part) ") }
      #expect(insertions.count >= 4 && insertions.allSatisfy { $0.size < 2 * PostgresStatement.partSize })
    }
  }

  @Test func aLongTableIsStored() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let (first, second) = (try PostgresStore(address: address), try PostgresStore(address: address))
    let versions = TableVersions(initial: table())
    try first.write(table(rows(100, of: 100_000)), to: versions)
    let stored = try #require(try second.restored().versions?.all.last)
    #expect(identical(stored.table, versions.current.table))
    try first.closed()
    try second.closed()
  }

  /// The server says so before all of the run is sent.
  @Test func aLongRunFailsAtItsBeginning() throws {
    let store = try PostgresStore(address: PostgresServer.shared.get().newDatabase())
    let long = PostgresStatement("SELECT length($1::bytea)", .bytes([UInt8](repeating: 1, count: 1 << 20)))
    let statements = [PostgresStatement("SELECT 1 / $1::bigint", .int(Int64(0)))] + Array(repeating: long, count: 24)
    for _ in 0..<3 {
      let error = #expect(throws: StoreError.self) { try ask(statements, of: store) }
      guard case .failed(let reason)? = error else { throw error ?? .closed }
      #expect(reason.contains("22012"))
      let answers = try ask(Array(statements.dropFirst()), of: store)
      #expect(answers.map { $0.int(0, 0) } == Array(repeating: 1 << 20, count: 24))
    }
    try store.closed()
  }

  /// The server would end the connection over it, each time that it is tried.
  @Test func whatIsTooLongIsRefusedBeforeItIsSent() throws {
    let store = try PostgresStore(address: PostgresServer.shared.get().newDatabase())
    let events = PostgresStoreTests.Events(of: store)
    let part = [UInt8](repeating: 1, count: 1 << 20)
    let statement = PostgresStatement("SELECT $1::bytea[]", .byteStrings(Array(repeating: part, count: 1100)))
    let error = #expect(throws: StoreError.self) { try ask([statement], of: store) }
    guard case .failed(let reason)? = error else { throw error ?? .closed }
    #expect(reason.contains("54000"))
    #expect(try ask([PostgresStatement("SELECT $1::bigint", .int(Int64(7)))], of: store).first?.int(0, 0) == 7)
    #expect(!events.have { $0 == .reachable(false) })
    try store.closed()
  }

  /// The server's time for a statement is over before it has sent the rows, as where there are very many.
  @Test func aTableIsReadHoweverLongThatTakes() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let (first, second) = (try PostgresStore(address: address), try PostgresStore(address: address))
    let versions = TableVersions(initial: table())
    try first.write(table([("s", [row("1")])]), to: versions)
    let revision = try second.restored().revision
    try first.write(table([("s", [row("2")])]), to: versions)
    try server.ask(
      """
      ALTER TABLE tablecast.row RENAME TO kept;
      CREATE VIEW tablecast.row AS SELECT feed, number, record FROM tablecast.kept CROSS JOIN pg_sleep(0.5)
      """,
      in: address
    )
    _ = try ask([PostgresStatement("SELECT set_config('statement_timeout', '100ms', false)")], of: second)
    guard case .replaced(let stored) = try second.changes(since: revision) else { throw StoreError.closed }
    #expect(stored.versions?.all.last?.number == versions.current.number)
    #expect(try second.restored().revision == stored.revision)
    // The limit is that of the others again.
    #expect(throws: StoreError.self) { try ask([PostgresStatement("SELECT pg_sleep(5)")], of: second) }
    try first.closed()
    try second.closed()
  }
}
