import FieldValues
import Foundation
import GRDB
import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Old kept of tables of which so much changes that they are forgotten in slices.
@Suite struct ForgettingTests {
  private let history = 4
  private let count = 3_000
  /// Of the rows, so many are others with each version.
  private let changing = 400

  private func rows(_ step: Int) -> [TableModel.Row] {
    (0..<count).map { place in row("r\(place)", (place + step) % count < changing ? "step \(step)" : "one") }
  }

  /// Writes kept with objects, as a refresh does.
  private func write(_ step: Int, to versions: TableVersions, in store: SQLiteStore) throws {
    let version = try #require(versions.prepare(table([("a", rows(step))])))
    var commit = Commit(table: "t", durability: .process, version: version)
    commit.objects = (0..<count).filter { ($0 + step) % count < changing }.map {
      ObjectChange(row: "r\($0)", bytes: Array("\(step)".utf8))
    }
    try store.written(commit)
    versions.publish(version)
  }

  private func counts(_ store: SQLiteStore) throws -> [String: Int] {
    try store.pool.read { db in
      var counts: [String: Int] = [:]
      for name in ["row", "row_object", "version"] {
        counts[name] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)")
      }
      return counts
    }
  }

  /// Waits until nothing is left to be forgotten.
  private func settle(_ store: SQLiteStore) {
    while store.pool.writeWithoutTransaction({ _ in store.writer.value.isForgetting }) {
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  private func check(_ store: SQLiteStore, _ versions: TableVersions, _ what: Comment) throws {
    let stored = try store.restored()
    let kept = try #require(stored.versions?.all, what)
    #expect(kept.map(\.number) == Array(kept[0].number...versions.current.number), what)
    #expect(kept.count == min(history, Int(versions.current.number) - 1), what)
    for version in kept {
      let expected = try #require(versions.version(version.number), what)
      #expect(identical(version.table, expected.table), what)
    }
    #expect(stored.objects.count == count, what)
  }

  /// What is there is what is held, whenever the store is opened again: also in the middle.
  @Test(arguments: [UInt64(1), 2, 3]) func versionsComeBack(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database, history: history)
    let versions = TableVersions(initial: table(), history: history + 1)
    var first = Commit(table: "t", durability: .process, version: versions.prepare(table([("a", rows(0))])))
    first.objects = (0..<count).map { ObjectChange(row: "r\($0)", bytes: [0]) }
    try store.written(first)
    versions.publish(try #require(first.version))
    for step in 1..<40 {
      try write(step * 7, to: versions, in: store)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: settle(store)
      case 1:
        // Closed while slices are done.
        try store.closed()
        store = try SQLiteStore(path: folder.database, history: history)
        try check(store, versions, "seed \(seed), step \(step)")
      default: break
      }
    }
    settle(store)
    try check(store, versions, "seed \(seed)")
    // Whatever no version from the last key frame but one has is gone.
    let kept = try counts(store)
    #expect(try #require(kept["version"]) <= 2 * history, "seed \(seed)")
    #expect(try #require(kept["row"]) <= count + 2 * history * 2 * changing, "seed \(seed)")
    #expect(try #require(kept["row_object"]) <= count + 2 * history * 2 * changing, "seed \(seed)")
    try store.closed()
  }

  /// No slice is long; and whoever comes after a crash in the midst of them finds what is held, and goes on with the rest in
  /// slices.
  @Test(arguments: [0, 1, 3, 100]) func aCrashBetweenSlices(slices: Int) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database, history: history)
    let versions = TableVersions(initial: table(), history: history + 1)
    let readers = StoreReaders(store.pool)
    try store.pool.writeWithoutTransaction { db in
      var writer = StoreWriter(path: folder.database, history: history, bounds: ReplyBounds())
      var crashes = 0
      for step in 0..<24 {
        let version = try #require(versions.prepare(table([("a", rows(step * 7))])))
        var commit = Commit(table: "t", durability: .process, version: version)
        commit.objects = rows(step * 7).map { ObjectChange(row: $0.id, bytes: Array("\(step)".utf8)) }
        _ = try #require(writer.write([QueuedCommit(commit) { _ in }], now: 0, in: db).first).get()
        versions.publish(version)
        guard writer.isForgetting else { continue }
        crashes += 1
        for _ in 0..<slices {
          let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM row") ?? 0
          let goesOn = try writer.forgetSome(in: db)
          let after = try Int.fetchOne(db, sql: "SELECT count(*) FROM row") ?? 0
          #expect((0...256).contains(before - after) && goesOn == writer.isForgetting)
          guard goesOn else { break }
        }
        writer = StoreWriter(path: folder.database, history: history, bounds: ReplyBounds())
        let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM row")
        let stored = try writer.restore("t", in: db, readers)
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM row") == before)
        let kept = try #require(stored.versions?.all)
        #expect(kept.map(\.number).last == versions.current.number)
        for version in kept {
          #expect(versions.version(version.number).map { identical(version.table, $0.table) } == true)
        }
        let expected = rows(0).map { (ByteText($0.id), Array("\(step)".utf8)) }
        #expect(stored.objects == Dictionary(uniqueKeysWithValues: expected))
        // Every other time it crashes again before it is done.
        guard crashes.isMultiple(of: 2) else { continue }
        while try writer.forgetSome(in: db) {}
        // Each row is one that a version has.
        let held = Set(kept.flatMap { $0.table.sections[0].rows.map { ObjectIdentifier($0) } }).count
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM row") ?? 0 <= held + history * 2 * changing)
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM version") ?? 0 <= 2 * history)
      }
      #expect(crashes >= 3)
    }
    try store.closed()
  }

  /// Rows that are to be forgotten may have the highest numbers of all: new ones get others, also after a crash.
  @Test(arguments: 0...3) func numbersAreNotGivenAgainBeforeTheirRowsAreForgotten(slices: Int) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database, history: history)
    let versions = TableVersions(initial: table(), history: history + 1)
    let readers = StoreReaders(store.pool)
    try store.pool.writeWithoutTransaction { db in
      var writer = StoreWriter(path: folder.database, history: history, bounds: ReplyBounds())
      func write(_ table: TableModel.Table) throws {
        let version = try #require(versions.prepare(table))
        let commit = Commit(table: "t", durability: .process, version: version)
        _ = try #require(writer.write([QueuedCommit(commit) { _ in }], now: 0, in: db).first).get()
        versions.publish(version)
      }
      try write(table([("a", [row("kept")] + rows(0).prefix(changing))]))
      // No row is new in these.
      for step in 0..<100 where !writer.isForgetting { try write(table([("a", [row("kept")])], header: "\(step)")) }
      #expect(writer.isForgetting)
      // Two for the rows, and one for the records that name them.
      for _ in 0..<slices { _ = try writer.forgetSome(in: db) }
      writer = StoreWriter(path: folder.database, history: history, bounds: ReplyBounds())
      _ = try writer.restore("t", in: db, readers)
      #expect(writer.isForgetting == (slices < 3))
      try write(table([("a", [row("kept")] + (0..<changing).map { row("new\($0)") })]))
      while try writer.forgetSome(in: db) {}
      writer = StoreWriter(path: folder.database, history: history, bounds: ReplyBounds())
      let kept = try #require(try writer.restore("t", in: db, readers).versions?.all)
      #expect(kept.count == history && kept.last?.number == versions.current.number)
      for version in kept {
        #expect(versions.version(version.number).map { identical(version.table, $0.table) } == true)
      }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM row") == changing + 1)
    }
    try store.closed()
  }

  /// A restored table's rest is forgotten without anything being written to it.
  @Test func whoRestoresATableGoesOn() throws {
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database, history: history)
    let versions = TableVersions(initial: table(), history: history + 1)
    try store.pool.writeWithoutTransaction { db in
      var writer = StoreWriter(path: folder.database, history: history, bounds: ReplyBounds())
      for step in 0..<100 where !writer.isForgetting {
        let version = try #require(versions.prepare(table([("a", rows(step * 7))])))
        let commit = Commit(table: "t", durability: .process, version: version)
        _ = try #require(writer.write([QueuedCommit(commit) { _ in }], now: 0, in: db).first).get()
        versions.publish(version)
      }
      #expect(writer.isForgetting)
    }
    try store.closed()
    store = try SQLiteStore(path: folder.database, history: history)
    let before = try counts(store)
    _ = try store.restored()
    settle(store)
    let after = try counts(store)
    #expect(try #require(after["row"]) < #require(before["row"]))
    #expect(try #require(after["version"]) < #require(before["version"]))
    try store.closed()
  }

  /// A table that begins anew has numbers that it had before: none of them goes with what was to be forgotten.
  @Test(arguments: [false, true]) func aTableThatBeginsAnew(isRemoved: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database, history: history)
    try store.pool.writeWithoutTransaction { db in
      var writer = StoreWriter(path: folder.database, history: history, bounds: ReplyBounds())
      var versions = TableVersions(initial: table(), history: history + 1)
      func write(_ step: Int) throws {
        let version = try #require(versions.prepare(table([("a", rows(step * 7))])))
        let commit = Commit(table: "t", durability: .process, version: version)
        _ = try #require(writer.write([QueuedCommit(commit) { _ in }], now: 0, in: db).first).get()
        versions.publish(version)
      }
      for step in 0..<100 where !writer.isForgetting { try write(step) }
      #expect(writer.isForgetting)
      if isRemoved { try writer.remove("t", in: db) }
      versions = TableVersions(initial: table(), history: history + 1)
      try write(1)
      while try writer.forgetSome(in: db) {}
      let stored = try #require(try writer.restore("t", in: db, StoreReaders(store.pool)).versions?.all)
      #expect(stored.count == 1 && identical(stored[0].table, versions.current.table))
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM row") == count)
    }
    try store.closed()
  }

  /// Records of which none can be read by itself are damage, and not what is to be forgotten.
  @Test func withoutAKeyFrame() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database, history: history)
    try store.write(table([("a", [row("1")])]), to: TableVersions(initial: table()))
    try store.pool.writeWithoutTransaction { try $0.execute(sql: "UPDATE version SET key_frame = 0") }
    let error = #expect(throws: StoreError.self) { try store.restored() }
    let words = error.map { "\($0)" } ?? ""
    #expect(words.contains("no version of table t can be read by itself"), "\(words)")
    try store.closed()
  }
}
