import TableModel
import TestSupport
import Testing

@testable import TableStore

/// What somebody who shares the database writes into it by hand: a process that has the table open, and one that reads it for
/// the first time, say what is wrong or go on; none of them ends of it.
@Suite(.serialized) struct HostileDatabaseTests {
  /// `FEED` stands for the table's number.
  private static let statements = [
    "UPDATE tablecast.feed SET revision = -1 WHERE id = FEED",
    "UPDATE tablecast.feed SET revision = 9223372036854775807 WHERE id = FEED",
    "UPDATE tablecast.feed SET revision = revision + 1, stamp = -9 WHERE id = FEED",
    "UPDATE tablecast.feed SET revision = 0, stamp = 0 WHERE id = FEED",
    "UPDATE tablecast.feed SET epoch = -1 WHERE id = FEED",
    "UPDATE tablecast.feed SET epoch = NULL WHERE id = FEED",
    "UPDATE tablecast.feed SET next_row = -1 WHERE id = FEED",
    "UPDATE tablecast.feed SET next_row = 9223372036854775807, revision = revision + 1 WHERE id = FEED",
    "UPDATE tablecast.feed SET next_item = -1 WHERE id = FEED",
    "UPDATE tablecast.change SET number = -1 WHERE feed = FEED",
    "UPDATE tablecast.change SET number = 9223372036854775807 WHERE feed = FEED",
    "UPDATE tablecast.change SET number = number * 3 WHERE feed = FEED",
    "UPDATE tablecast.change SET number = NULL WHERE feed = FEED",
    "UPDATE tablecast.change SET next_row = -5, key_frame = NOT key_frame WHERE feed = FEED",
    "UPDATE tablecast.change SET record = sha256(record) WHERE feed = FEED",
    "UPDATE tablecast.change SET record = substr(record, 1, length(record) - 1) WHERE feed = FEED",
    "UPDATE tablecast.change SET record = ''::bytea WHERE feed = FEED",
    "UPDATE tablecast.change SET edits = sha256('x'::bytea) WHERE feed = FEED",
    "UPDATE tablecast.change SET gone = '{-1,0,1,2,9223372036854775807}' WHERE feed = FEED",
    "DELETE FROM tablecast.change WHERE feed = FEED AND revision = 2",
    "UPDATE tablecast.row SET number = -1 - number WHERE feed = FEED",
    "UPDATE tablecast.row SET record = sha256(record) WHERE feed = FEED",
    "UPDATE tablecast.row SET record = ''::bytea WHERE feed = FEED",
    "UPDATE tablecast.row SET record = (SELECT record FROM tablecast.row WHERE feed = FEED LIMIT 1) WHERE feed = FEED",
    "DELETE FROM tablecast.row WHERE feed = FEED",
    "INSERT INTO tablecast.row SELECT FEED, n, '\\x0000'::bytea FROM generate_series(1000, 1100) AS n",
    "INSERT INTO tablecast.item VALUES (FEED, -1, -9223372036854775808, '\\xff')",
    "INSERT INTO tablecast.item SELECT FEED, n, 7, '[]' FROM generate_series(100, 160) AS n",
    "INSERT INTO tablecast.object VALUES (FEED, '\\xff00fe', '\\xff')",
    "INSERT INTO tablecast.toggle VALUES (FEED, '\\xff00fe')",
    """
    INSERT INTO tablecast.change SELECT feed, revision + 1, 5, number + 1, false, next_row, gone, record, '\\x0101ff'
    FROM tablecast.change WHERE feed = FEED ORDER BY revision DESC LIMIT 1;
    UPDATE tablecast.feed SET revision = revision + 1, stamp = 5 WHERE id = FEED
    """,
    """
    UPDATE tablecast.feed SET revision = revision + 1, stamp = 6 WHERE id = FEED;
    INSERT INTO tablecast.change SELECT FEED, revision, 6, -1, true, -1, '{}', '\\x01', NULL
    FROM tablecast.feed WHERE id = FEED
    """,
  ]

  private func open(_ store: PostgresStore, _ name: String) throws -> (versions: TableVersions, revision: Revision) {
    let versions = TableVersions(initial: table())
    var revision = Revision.none
    for number in 0..<3 {
      let shown = table([("s", (0...number).map { row("r\($0)") })])
      let version = try #require(versions.prepare(shown))
      var commit = Commit(table: name, durability: .full, version: version)
      var items = ItemChanges(nextID: 9)
      items.stored = [StoredItem(item: Item(id: ItemID(rawValue: 1), body: Array("{}".utf8)), rank: Int64(number))]
      (commit.items, commit.base) = (items, revision)
      try store.written(commit)
      revision = try #require(commit.revision)
      versions.publish(version)
    }
    return (versions, revision)
  }

  @Test func whatOthersWriteIntoTheDatabaseEndsNoProcess() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let (writer, follower) = (try PostgresStore(address: address), try PostgresStore(address: address))
    for (number, statement) in Self.statements.enumerated() {
      let name = "t\(number)"
      let (versions, revision) = try open(writer, name)
      _ = try follower.restored(name)
      let id = try server.ask("SELECT id FROM tablecast.feed ORDER BY id DESC LIMIT 1", in: address).filter(\.isNumber)
      try server.ask(statement.replacing("FEED", with: id), in: address)
      // Who follows, who writes on, who comes now: each of them twice, as the first answer changes what is known.
      for attempt in 0..<2 {
        follow(follower, name, revision)
        let shown = table([("s", [row("w\(number) \(attempt)")])])
        if let version = versions.prepare(shown) {
          var commit = Commit(table: name, durability: .full, version: version)
          commit.base = attempt == 0 ? revision : nil
          do {
            try writer.written(commit)
            versions.publish(version)
          } catch { versions.withdraw() }
        }
        let late = try PostgresStore(address: address)
        _ = try? late.restored(name)
        try late.closed()
        follow(writer, name, revision)
      }
      // Another table is as it should be.
      let fine = try open(writer, "fine \(number)")
      #expect(try follower.restored("fine \(number)").revision == fine.revision, "\(statement)")
    }
    try writer.closed()
    try follower.closed()
  }

  private func follow(_ store: PostgresStore, _ name: String, _ revision: Revision) {
    _ = try? result { store.changes(of: name, since: revision, completion: $0) } as CatchUp
    _ = try? store.restored(name)
  }

  @Test func damageIsSaidInWords() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let store = try PostgresStore(address: address)
    _ = try open(store, "t")
    try server.ask("UPDATE tablecast.feed SET revision = -3", in: address)
    do {
      _ = try store.restored()
      Issue.record("a negative revision was read")
    } catch StoreError.damaged(_, let detail) {
      #expect(detail.contains("-3"))
    }
    try store.closed()
  }

  /// Commits of several tables are written together, and the others' are none of its business.
  @Test func aDamagedRecordFailsItsOwnCommitsAlone() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let before = try PostgresStore(address: address)
    func commit(_ table: String) -> Commit {
      var commit = Commit(table: table, durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      return commit
    }
    for name in ["a", "b", "c", "d"] { try before.written(commit(name)) }
    try before.closed()
    try server.ask("UPDATE tablecast.feed SET revision = -3 WHERE name = 'c'", in: address)
    let store = try PostgresStore(address: address)
    let outcomes = Outcomes()
    // Queued while the first is on its way, so that they form one group.
    for name in ["a", "b", "c", "d"] { store.commit(commit(name)) { outcomes.add($0) } }
    try result { store.flush(completion: $0) } as Void
    let all = outcomes.all
    try #require(all.count == 4)
    #expect(all[0] == nil && all[1] == nil && all[3] == nil)
    guard case .damaged? = all[2] else { throw all[2] ?? .closed }
    try store.closed()
  }

  /// Leases, answers, views and what processes say to each other.
  @Test func whatStandsBesideTables() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let (store, other) = (try PostgresStore(address: address), try PostgresStore(address: address))
    let table = Epoch(rawValue: 7)
    let view = StoredView(table: table, name: "v", holder: 1, incarnation: 1, taps: 1, oldestTap: 0, toggles: [])
    #expect(try result { store.keep(view, of: nil, after: nil, for: .seconds(60), answer: nil, completion: $0) })
    let lease = try #require(try result { store.acquire("s", holder: "a", for: .seconds(60), completion: $0) })
    var commit = Commit(table: "t", durability: .full)
    commit.reply = reply(caller: "ann", key: "k", expires: .max)
    try store.written(commit)
    let key = ReplyKey(caller: "ann", table: "t", scope: "", key: "k")
    for bytes in ["''", "'\\x02'", "sha256('a')", "'\\x02ffffffffffffffffff01'", "'\\xffff'"] {
      try server.ask(
        "UPDATE tablecast.view SET state = \(bytes)::bytea, taps = -1, expires = '9999-01-01'",
        in: address
      )
      _ = try? result { other.view("v", of: table, completion: $0) } as KeptView?
      _ = try? result { other.views(atMost: .max, completion: $0) } as [StoredView]
      try server.ask("UPDATE tablecast.answer SET headers = \(bytes)::bytea, status = -7, expires = -1", in: address)
      _ = try? result { other.reply(key, completion: $0) } as StoredReply?
      try server.ask(
        "UPDATE tablecast.answer SET status = 9000000000000000000, expires = 9000000000000000000",
        in: address
      )
      _ = try? result { other.reply(key, completion: $0) } as StoredReply?
      try server.ask(
        "UPDATE tablecast.lease SET legacy = \(bytes)::bytea, handover = \(bytes)::bytea, handed = '4713-01-01 BC'",
        in: address
      )
      _ = try? result { other.precedence("s", completion: $0) } as Lease.Precedence?
      _ = try? result { store.renew(lease, for: .seconds(60), precedence: [], handover: nil, completion: $0) } as Bool
    }
    let heard = Monitor<[StoreEvent]>([])
    let observation = other.observe { event in heard.change { $0.append(event) } }
    for payload in [
      "", " ", "m", "m 1 2", "m -1 -1 zz", "m 18446744073709551615 18446744073709551615 74", "m 1 1 7", "r", "r 7g",
      "r ff",
      "l +f", "s 74", "s 74 ", "s ffff 74", "s 7461 0000", "x 1", String(repeating: "s ", count: 3000), "s 656e64 31",
    ] {
      try server.ask("SELECT pg_notify('tablecast', '\(payload)')", in: address)
    }
    try heard.wait(for: "the last signal") { $0.contains(.signal(name: "end", text: "1")) ? true : nil }
    withExtendedLifetime(observation) {}
    try store.closed()
    try other.closed()
  }
}
