import Foundation
import GRDB
import JSON
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Databases as the release before this one has left them, or goes on writing them.
@Suite struct FormerSchemaTests {
  /// `Tests/Fixtures/stores/schema-5.db` was written by the last release without chosen identities: two items of the
  /// configuration's, three added at one place, one of these deleted.
  @Test func aFileOfTheReleaseBeforeIsMigrated() throws {
    let folder = try TemporaryFolder()
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Fixtures/stores/schema-5.db")
    try FileManager.default.createDirectory(atPath: folder.path + "/data", withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.database))
    let titles = ["E", "C", "A", "B"].map { "\"title\":\"\($0)\"" }
    for run in 0..<2 {
      let store = try SQLiteStore(path: folder.database)
      let stored = try store.restored("todo")
      var items = try #require(stored.items)
      #expect(items.map(\.identity) == ["5", "3", "1", "2"] + (run == 0 ? [] : ["chosen"]))
      for (item, title) in zip(items, titles) { #expect(String(decoding: item.body, as: UTF8.self).contains(title)) }
      #expect(stored.feed?.versions.last?.table.rowCount == 4)
      if run == 0 {
        try items.insert([:], named: "chosen")
        try store.written(Commit(table: "todo", durability: .full, items: items.takeChanges()))
      }
      try store.closed()
    }
  }

  /// A release before chosen identities beside this one writes until there is the first such item; from then on it is told
  /// to be updated.
  @Test func theReleaseBeforeGoesOnUntilThereAreNames() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let store = try PostgresStore(address: address)
    var items = try LocalItems(seed: [["n": 0]])
    try store.written(Commit(table: "t", durability: .full, items: items.takeChanges()))
    /// What it sends to write an item: another body of the first one.
    func write(_ body: String) throws {
      let feed = "SELECT tablecast.advance(id, revision, stamp, 77, null, 9, 0) FROM tablecast.feed"
      let values = "unnest(ARRAY[1]::bigint[], ARRAY[0]::bigint[], ARRAY['\(body)']::bytea[]) AS new"
      let rows = "INSERT INTO tablecast.item SELECT feed.id, new.* FROM tablecast.feed, \(values)"
      let conflict = "ON CONFLICT (feed, id) DO UPDATE SET rank = excluded.rank, body = excluded.body"
      try server.ask("BEGIN; \(feed); \(rows) \(conflict); COMMIT", in: address)
    }
    try write("{\"n\":1}")
    let other = try PostgresStore(address: address)
    items = try #require(try other.restored().items)
    #expect(items.map(\.body) == [Array("{\"n\":1}".utf8)])
    try items.insert([:], named: "a")
    try other.written(Commit(table: "t", durability: .full, items: items.takeChanges()))
    let error = #expect(throws: (any Error).self) { try write("{\"n\":2}") }
    #expect("\(error.map { "\($0)" } ?? "")".contains("update it"), "\(String(describing: error))")
    let now = try #require(try PostgresStore(address: address).restored().items)
    #expect(now.map(\.identity) == ["1", "a"] && now.first?.body == Array("{\"n\":1}".utf8))
    for store in [store, other] { try store.closed() }
  }
}
