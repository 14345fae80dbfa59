import Foundation
import GRDB
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Tables whose rows and items are so many that they are read in parts, over several connections.
@Suite struct LongRestoreTests {
  /// Some parts of each, with gaps between the numbers and items that stand in another order than they came.
  @Test(arguments: [UInt64(1), 2, 3]) func allIsThereInItsOrder(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    var rows = (0..<Int.random(in: 40_000...60_000, using: &generator)).map { row("r\($0)", "one") }
    try store.write(table([("a", rows)]), to: versions)
    // Whole parts are gone, and single ones; what is new is numbered behind them.
    rows.removeSubrange(16_000..<36_000)
    for _ in 0..<100 { rows.remove(at: Int.random(in: 0..<rows.count, using: &generator)) }
    for place in 0..<100 { rows[place * 7] = row("r\(place * 7)", "two") }
    rows.shuffle(using: &generator)
    try store.write(table([("a", Array(rows.prefix(999))), ("b", Array(rows.dropFirst(999)))]), to: versions)
    var changes = ItemChanges(nextID: 50_000)
    var ranks = (1..<50_000).filter { $0 < 17_000 || $0 > 40_000 }.map { Int64($0) << 32 }
    ranks.shuffle(using: &generator)
    for (place, rank) in ranks.enumerated() {
      let id = ItemID(rawValue: UInt64(place < 16_999 ? place + 1 : place + 20_000))
      changes.stored.append(StoredItem(item: Item(id: id, body: Array("{\"n\":\(place)}".utf8)), rank: rank))
    }
    try store.written(Commit(table: "t", durability: .full, items: changes))
    for _ in 0..<2 {
      let stored = try store.restored()
      let kept = try #require(stored.versions?.all)
      #expect(kept.map(\.number) == [2, 3], "seed \(seed)")
      #expect(identical(kept[1].table, versions.current.table), "seed \(seed)")
      #expect(kept[0].table.rowCount == versions.version(2)?.table.rowCount, "seed \(seed)")
      let expected = changes.stored.sorted { $0.rank < $1.rank }
      let items = try #require(stored.items?.stored)
      #expect(items.map(\.rank) == expected.map(\.rank), "seed \(seed)")
      #expect(items.map(\.item.id) == expected.map(\.item.id), "seed \(seed)")
      #expect(items.map(\.item.body) == expected.map(\.item.body), "seed \(seed)")
      #expect(stored.items?.nextID == 50_000, "seed \(seed)")
      try store.closed()
      store = try SQLiteStore(path: folder.database)
    }
    // Numbers go on behind those that are there.
    _ = try store.restored()
    try store.write(table([("a", rows + [row("new")])]), to: versions)
    #expect(try store.restored().versions?.all.last.map { identical($0.table, versions.current.table) } == true)
    try store.closed()
  }

  /// Wherever it stands, it is a reason not to go on, and the one that is told.
  @Test(
    arguments: [("a record ends too early", "X'00'"), ("points outside", "X'000001014300ff0f0131027b7d'")],
    [1, 25_000]
  )
  func aRecordThatCanNotBeRead(as damage: (words: String, bytes: String), at number: Int) throws {
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    try store.write(table([("a", (0..<40_000).map { row("r\($0)") })]), to: TableVersions(initial: table()))
    try store.closed()
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write {
      try $0.execute(sql: "UPDATE row SET record = \(damage.bytes) WHERE key & 0xffffffffff = \(number)")
    }
    try queue.close()
    store = try SQLiteStore(path: folder.database)
    let error = #expect(throws: StoreError.self) { try store.restored() }
    let words = error.map { "\($0)" } ?? ""
    #expect(words.contains(damage.words), "\(words)")
    try store.closed()
  }

  /// What a version was laid out by stands and falls with it.
  @Test func whatTheVersionWasLaidOutBy() throws {
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    /// What a commit has, and what is known then.
    let steps: [(hasVersion: Bool, layout: String?, known: String?)] = [
      (true, "one", "one"), (false, nil, "one"), (true, "one", "one"), (true, nil, nil), (false, nil, nil),
      (false, "two", "two"), (true, "three", "three"), (false, "four", "four"),
    ]
    for (number, step) in steps.enumerated() {
      var commit = Commit(table: "t", durability: .full, items: ItemChanges(nextID: UInt64(number + 2)))
      if step.hasVersion {
        commit.version = versions.prepare(table([("a", [row("\(number)")])]))
      }
      commit.layout = step.layout
      try store.written(commit)
      if let version = commit.version { versions.publish(version) }
      #expect(try store.restored().layout == step.known, "step \(number)")
      try store.closed()
      store = try SQLiteStore(path: folder.database)
      #expect(try store.restored().layout == step.known, "step \(number), opened again")
    }
    // One that is refused says nothing.
    var late = Commit(table: "t", durability: .full, version: versions.current)
    late.layout = "five"
    #expect(throws: StoreError.superseded) { try store.written(late) }
    #expect(try store.restored().layout == "four")
    try store.closed()
  }
}
