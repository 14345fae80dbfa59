import FieldValues
import Foundation
import GRDB
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Represented objects in a file: they lie beside their rows, and are found by the rows' names.
@Suite struct ObjectTests {
  /// A random walk: rows come, change, go and are laid out anew, epochs begin, the store is opened anew; what is restored
  /// is what was last said of each row.
  @Test(arguments: 1...12 as ClosedRange<UInt64>) func objectsComeBackAsTheyWereSaid(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let history = Int.random(in: 1...5, using: &generator)
    var store = try SQLiteStore(path: folder.database, history: history)
    var versions = TableVersions(initial: table(), history: history)
    var rows: [TableModel.Row] = []
    var expected: [ByteText: [UInt8]] = [:]
    for step in 0..<120 {
      var changes: [ObjectChange] = []
      func say(_ id: String, _ bytes: [UInt8]?) {
        changes.append(ObjectChange(row: id, bytes: bytes))
        expected[ByteText(id)] = bytes
      }
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        let place = rows.isEmpty ? 0 : Int.random(in: 0..<rows.count, using: &generator)
        let bytes = Array("\(step)-\(generator.next() % 100)".utf8)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1, 2:
          let id = "r\(generator.next() % 40)"
          guard !rows.contains(where: { $0.id == id }) else { continue }
          rows.insert(row(id, "v\(step)"), at: place)
          say(id, Bool.random(using: &generator) ? bytes : [])
        case 3 where !rows.isEmpty:
          rows[place] = row(rows[place].id, "v\(step)")
          say(rows[place].id, bytes)
        // The row is another one, as after another configuration; the item is not.
        case 4 where !rows.isEmpty: rows[place] = row(rows[place].id, "w\(step)")
        // The item is another one, the row is not.
        case 5 where !rows.isEmpty: say(rows[place].id, bytes)
        case 6 where !rows.isEmpty: say(rows.remove(at: place).id, nil)
        default: say("word \(generator.next() % 3)", Bool.random(using: &generator) ? bytes : nil)
        }
      }
      if step % 29 == 28 { versions = TableVersions(initial: table(), history: history) }
      guard let version = versions.prepare(table([("a", Array(rows.prefix(7))), ("b", Array(rows.dropFirst(7)))]))
      else {
        var commit = Commit(table: "t", durability: .process)
        commit.objects = changes
        try store.written(commit)
        continue
      }
      var commit = Commit(table: "t", durability: .process, version: version)
      // Of a row, what is said last counts.
      commit.objects = changes.shuffledRows(&generator)
      try store.written(commit)
      versions.publish(version)
      guard step % 7 == 6 else { continue }
      try store.closed()
      store = try SQLiteStore(path: folder.database, history: history)
      // What is written before anything is restored goes on from what there is.
      if step % 2 == 0 { continue }
      let stored = try store.restored()
      #expect(stored.objects == expected, "seed \(seed), step \(step)")
      if let kept = stored.versions { versions = TableVersions(initial: table(), history: history, restored: kept) }
    }
    #expect(try store.restored().objects == expected, "seed \(seed)")
    let kept = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM row_object") ?? 0 }
    let written = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM row") ?? 0 }
    #expect(kept <= written, "seed \(seed): objects go with their rows")
    try store.written(Commit(table: "t", durability: .process))
    try result { store.remove("t", completion: $0) } as Void
    #expect(try store.restored().objects.isEmpty)
    try store.closed()
  }

  /// What an earlier release has stored is there, changes, and goes.
  @Test func objectsFromBeforeAreKept() throws {
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    try store.write(table([("s", [row("1"), row("2"), row("3")])]), to: versions)
    try store.pool.write { db in
      for id in ["1", "2", "3"] {
        try db.execute(sql: "INSERT INTO object SELECT id, ?, ? FROM feed", arguments: [id, Data("old \(id)".utf8)])
      }
    }
    try store.closed()
    store = try SQLiteStore(path: folder.database)
    #expect(
      try store.restored().objects == ["1": Array("old 1".utf8), "2": Array("old 2".utf8), "3": Array("old 3".utf8)]
    )
    let version = try #require(versions.prepare(table([("s", [row("1", "new"), row("2")])])))
    var commit = Commit(table: "t", durability: .full, version: version)
    commit.objects = [ObjectChange(row: "1", bytes: [1]), ObjectChange(row: "3", bytes: nil)]
    try store.written(commit)
    #expect(try store.restored().objects == ["1": [1], "2": Array("old 2".utf8)])
    try store.closed()
  }

  /// A refresh of rows that stand far from each other writes what is new at the end, and not a page for each.
  @Test func objectsOfARefreshAreWrittenTogether() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    var rows = (0..<20_000).map { row("r\($0)") }
    func write(_ changed: [Int], _ text: String) throws {
      for place in changed { rows[place] = row("r\(place)", text) }
      let version = try #require(versions.prepare(table([("s", rows)])))
      var commit = Commit(table: "t", durability: .process, version: version)
      commit.objects = changed.map { ObjectChange(row: "r\($0)", bytes: Array(repeating: 7, count: 100)) }
      try store.written(commit)
      versions.publish(version)
    }
    try write(Array(0..<20_000), "first")
    let pages = try store.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
    try write(stride(from: 0, to: 20_000, by: 50).map { $0 }, "second")
    let grown = try store.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 } - pages
    let named = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM object") ?? 0 }
    // 400 rows and objects fill some 30 pages; one each were 400.
    #expect((1...80).contains(grown), "\(grown) pages")
    #expect(named == 0)
    try store.closed()
  }
}

extension [ObjectChange] {
  /// In another order, but for what is said of one row.
  fileprivate func shuffledRows(_ generator: inout SeededGenerator) -> [ObjectChange] {
    let byRow = Dictionary(grouping: self) { $0.row }
    return byRow.keys.sorted().shuffled(using: &generator).flatMap { byRow[$0] ?? [] }
  }
}
