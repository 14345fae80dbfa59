import Foundation
import GRDB
import JSON
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Databases as the release before this one has left them, or goes on writing them.
@Suite struct FormerSchemaTests {
  private func store(of fixture: String, in folder: TemporaryFolder) throws -> SQLiteStore {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../Fixtures/stores/\(fixture)"
    )
    if !FileManager.default.fileExists(atPath: folder.database) {
      try FileManager.default.createDirectory(atPath: folder.path + "/data", withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: file, to: URL(fileURLWithPath: folder.database))
    }
    return try SQLiteStore(path: folder.database)
  }

  /// `Tests/Fixtures/stores/schema-5.db` was written by the last release without chosen identities: two items of the
  /// configuration's, three added at one place, one of these deleted.
  @Test func aFileWithoutChosenIdentitiesIsMigrated() throws {
    let folder = try TemporaryFolder()
    let record = ItemRecord.of("$todo")
    let titles = ["E", "C", "A", "B"].map { "\"title\":\"\($0)\"" }
    for run in 0..<2 {
      let store = try store(of: "schema-5.db", in: folder)
      var items = try #require(try store.restored(record).items)
      #expect(items.map(\.identity) == ["5", "3", "1", "2"] + (run == 0 ? [] : ["chosen"]))
      for (item, title) in zip(items, titles) { #expect(String(decoding: item.body, as: UTF8.self).contains(title)) }
      let table = try store.restored("todo")
      #expect(table.versions?.all.last?.table.rowCount == 4 && table.items == nil)
      if run == 0 {
        try items.insert([:], named: "chosen")
        try store.written(Commit(table: record, durability: .full, items: items.takeChanges()))
      }
      try store.closed()
    }
  }

  /// `Tests/Fixtures/stores/schema-6.db` was written by the last release in which tables kept the items of what they show: those
  /// of `notes` by `all`, and since that shows `other` by `open`; those of `todo`'s own source by itself.
  @Test func aFileInWhichTablesKeptItemsIsMigrated() throws {
    let folder = try TemporaryFolder()
    for _ in 0..<2 {
      let store = try store(of: "schema-6.db", in: folder)
      let expected = [
        "notes": ["8 G", "4 D", "1 A", "3 C", "chosen E", "6 F"], "other": ["1 O", "8 P"], "$todo": ["1 U"],
      ]
      for (source, titles) in expected {
        let items = try #require(try store.restored(ItemRecord.of(source)).items)
        let found = items.map { item in
          let title = String(decoding: item.body, as: UTF8.self).split(separator: "\"")[3]
          return "\(item.identity) \(title)"
        }
        #expect(found == titles, "\(source)")
        #expect(items.nextID == (source == "$todo" ? 2 : 9), "no identity is given twice")
      }
      for (name, rows) in ["all": 2, "open": 6, "todo": 1] {
        let table = try store.restored(name)
        #expect(table.versions?.all.last?.table.rowCount == rows && table.items == nil)
        let source = ["all": "other", "open": "notes", "todo": "$todo"][name] ?? ""
        #expect(table.inputs.own == "@items.\(source)" && table.inputs["@items.\(source)"] == 0)
        #expect(table.objects["\u{1}"] == nil)
      }
      let places = try store.restored("@keepers")
      #expect(places.objects.isEmpty)
      try store.closed()
    }
  }

  /// Values of another type than a column's: that the file is damaged is said, and the process goes on.
  @Test func aDamagedFileIsNotMigrated() throws {
    let folder = try TemporaryFolder()
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../Fixtures/stores/schema-6.db"
    )
    try FileManager.default.createDirectory(atPath: folder.path + "/data", withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: file, to: URL(fileURLWithPath: folder.database))
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write { db in
      try db.execute(sql: "UPDATE feed SET next_item = 'many' WHERE next_item IS NOT NULL")
    }
    try queue.close()
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.database) }
    guard case .corrupt? = error else { return #expect(Bool(false), "\(error.map { "\($0)" } ?? "none")") }
  }

  /// The same of a database. A release before beside this one goes on storing what upstreams say; of the service's own items, which
  /// it doesn't find any more, it is told to be updated.
  @Test func aDatabaseInWhichTablesKeptItemsIsMigrated() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    var statements =
      [PostgresSchema.createSchema] + PostgresSchema.create + PostgresSchema.migrations.prefix(5).joined()
    statements.append("UPDATE tablecast.info SET value = '5' WHERE name = 'schema'")
    let records = [("@keepers", "null"), ("open", "9"), ("all", "7"), ("news", "null"), ("@items.notes", "3")]
    for (name, next) in records {
      statements.append("INSERT INTO tablecast.feed (name, next_item) VALUES ('\(name)', \(next))")
    }
    let record = { (name: String) in "(SELECT id FROM tablecast.feed WHERE name = '\(name)')" }
    let places = [("notes", "open"), ("gone", "nobody")].map { "(\(record("@keepers")), '\($0.0)', '\($0.1)')" }
    statements.append("INSERT INTO tablecast.object VALUES " + places.joined(separator: ", "))
    for (name, id, body) in [("open", 1, "new"), ("open", 8, "last"), ("all", 1, "old"), ("@items.notes", 1, "older")] {
      statements.append("INSERT INTO tablecast.item VALUES (\(record(name)), \(id), \(id), '{\"n\":\"\(body)\"}')")
    }
    try server.ask("BEGIN; " + statements.joined(separator: ";\n") + "; COMMIT", in: address)
    let store = try PostgresStore(address: address)
    var items = try #require(try store.restored(ItemRecord.of("notes")).items)
    #expect(items.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"n":"new"}"#, #"{"n":"last"}"#])
    #expect(items.nextID == 9)
    for name in ["open", "all"] { #expect(try store.restored(name).items == nil) }
    #expect(try store.restored("open").inputs["@items.notes"] == 0)
    /// What a release before sends to write.
    func write(_ name: String, nextItem: String = "null") throws {
      let move = "tablecast.move_on(id, revision, stamp, 77, null, \(nextItem), 0)"
      try server.ask("SELECT \(move) FROM tablecast.feed WHERE name = '\(name)'", in: address)
    }
    try write("news")
    for (name, nextItem) in [("news", "9"), ("open", "null"), ("all", "10")] {
      let error = #expect(throws: (any Error).self) { try write(name, nextItem: nextItem) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("update it"), "\(String(describing: error))")
    }
    var commit = Commit(table: ItemRecord.of("notes"), durability: .full)
    try items.insert([:], named: "a")
    commit.items = items.takeChanges()
    try store.written(commit)
    let other = try PostgresStore(address: address)
    #expect(try other.restored(ItemRecord.of("notes")).items?.map(\.identity) == ["1", "8", "a"])
    for store in [store, other] { try store.closed() }
  }
}
