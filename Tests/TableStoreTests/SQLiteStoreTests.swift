import Foundation
import GRDB
import JSON
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// What a store in a file does beyond that: comes back, and refuses what it must not touch.
@Suite struct SQLiteStoreTests {
  /// A random walk over tables: what is restored after each reopening is what was published, to the byte.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func versionsComeBackToTheByte(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let history = 8
    var published: [UInt64: TableModel.Table] = [:]
    var sections: [(String, [TableModel.Row])] = [("a", (0..<30).map { row("r\($0)") })]
    var store = try SQLiteStore(path: folder.database, history: history)
    var versions = TableVersions(initial: table(), history: history)
    let epoch = versions.epoch
    for step in 0..<150 {
      edit(&sections, step: step, &generator)
      let header = Bool.random(using: &generator) ? "h\(step / 5)" : nil
      try store.write(
        table(sections.filter { !$0.1.isEmpty }, header: header),
        to: versions,
        step % 2 == 0 ? .full : .process
      )
      published[versions.current.number] = versions.current.table
      guard step % 11 == 10 else { continue }
      try store.closed()
      store = try SQLiteStore(path: folder.database, history: history)
      let stored = try #require(try store.restored().versions)
      #expect(stored.epoch == epoch)
      #expect(stored.all.last?.number == versions.current.number)
      #expect(stored.all.count == min(history, Int(versions.current.number) - 1))
      for version in stored.all {
        let expected = try #require(published[version.number])
        #expect(identical(version.table, expected), "seed \(seed), version \(version.number)")
      }
      versions = TableVersions(initial: table(), history: history, restored: stored)
    }
    // Rows that no held version has are not kept.
    let rows = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM row") ?? 0 }
    let records = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM version") ?? 0 }
    #expect(records <= 2 * history)
    #expect(rows <= sections.reduce(0) { $0 + $1.1.count } + 2 * history * 8)
    try store.closed()
  }

  private func edit(
    _ sections: inout [(String, [TableModel.Row])],
    step: Int,
    _ generator: inout SeededGenerator
  ) {
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let section = Int.random(in: 0..<sections.count, using: &generator)
      let count = sections[section].1.count
      switch Int.random(in: 0..<7, using: &generator) {
      case 0:
        sections[section].1.insert(
          row("n\(step)-\(generator.next())"),
          at: Int.random(in: 0...count, using: &generator)
        )
      case 1 where count > 0: sections[section].1.remove(at: Int.random(in: 0..<count, using: &generator))
      case 2 where count > 0:
        let index = Int.random(in: 0..<count, using: &generator)
        sections[section].1[index] = row(sections[section].1[index].id, "v\(step)")
      case 3 where count > 0:
        let moved = sections[section].1.remove(at: Int.random(in: 0..<count, using: &generator))
        let target = Int.random(in: 0..<sections.count, using: &generator)
        sections[target].1.insert(moved, at: Int.random(in: 0...sections[target].1.count, using: &generator))
      case 4: sections.shuffle(using: &generator)
      case 5 where sections.count < 6: sections.append(("s\(generator.next())", []))
      default: sections[section].1.shuffle(using: &generator)
      }
    }
  }

  /// Moves in a long list: of what stands between two places nothing is looked for, and all comes back.
  @Test(arguments: [1, 2, 3] as [UInt64]) func longMovesComeBackToTheByte(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    var (rows, other) = (RowList((0..<6000).map { row("r\($0)") }), RowList((0..<10).map { row("o\($0)") }))
    var published: [UInt64: TableModel.Table] = [:]
    for step in 0..<40 {
      let before = [Section(id: "s", rows: rows), Section(id: "o", rows: other)]
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let from = Int.random(in: 0..<rows.count, using: &generator)
        let moved = rows[from]
        rows = rows.removing(at: from)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: other = other.inserting(moved, at: 0)
        case 1: rows = rows.inserting(row("n\(step)-\(generator.next())"), at: from)
        default: rows = rows.inserting(moved, at: Int.random(in: 0...rows.count, using: &generator))
        }
      }
      let sections = [Section(id: "s", rows: rows), Section(id: "o", rows: other)]
      var (old, new) = (table(), table())
      (old.sections, new.sections) = (before, step % 3 == 2 ? sections.reversed() : sections)
      let found = try #require(SectionContinuity(new, old).matches[step % 3 == 2 ? 1 : 0])
      let kept = found.kept.reduce(0) { $0 + $1.new.count }
      #expect(kept > rows.count - 800, "seed \(seed), step \(step)")
      try store.write(new, to: versions, .process)
      published[versions.current.number] = versions.current.table
    }
    try store.closed()
    store = try SQLiteStore(path: folder.database)
    let stored = try #require(try store.restored().versions)
    #expect(stored.all.last?.number == versions.current.number && stored.all.count > 5)
    for version in stored.all {
      let expected = try #require(published[version.number])
      #expect(identical(version.table, expected), "seed \(seed), version \(version.number)")
    }
    try store.closed()
  }

  @Test func aVersionCostsWhatChanged() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    var rows = (0..<10_000).map { row("r\($0)") }
    let versions = TableVersions(initial: table())
    for step in 0..<20 {
      rows.swapAt(step * 3, 9_000 - step * 7)
      rows[5_000] = row("r5000", "v\(step)")
      try store.write(table([("s", rows)]), to: versions)
    }
    let sizes = try store.pool.read {
      try Int.fetchAll($0, sql: "SELECT length(record) FROM version WHERE NOT key_frame")
    }
    #expect(sizes.count == 19)
    #expect(sizes.allSatisfy { $0 < 120 }, "\(sizes)")
    try store.closed()
  }

  @Test func aPowerLossGivesNewEpochsOnlyToTablesAtRisk() throws {
    // (same boot, closed, durability) → the epoch goes on
    let cases: [(boot: String?, closed: Bool, durability: Commit.Durability, goesOn: Bool)] = [
      ("1", false, .process, true), ("1", false, .full, true), ("2", false, .process, false),
      ("2", false, .full, true), ("2", true, .process, true), (nil, false, .process, false),
    ]
    for entry in cases {
      let folder = try TemporaryFolder()
      let versions = TableVersions(initial: table())
      var store: SQLiteStore? = try SQLiteStore(path: folder.database, boot: "1")
      try store?.write(table([("s", [row("1")])]), to: versions, .full)
      try store?.write(table([("s", [row("2")])]), to: versions, entry.durability)
      if entry.closed { try store?.closed() } else { try store?.killed() }
      store = nil
      let again = try SQLiteStore(path: folder.database, boot: entry.boot)
      let stored = try #require(try again.restored().versions)
      #expect((stored.epoch == versions.epoch) == entry.goesOn, "\(entry)")
      #expect(stored.all.count == 2)
      try again.closed()
    }
  }

  /// What an earlier release has kept for repeats is found as it was: under a key that is nobody's.
  @Test func answersFromBeforeCallersAreKept() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/data", withIntermediateDirectories: true)
    let queue = try DatabaseQueue(path: folder.database)
    try StoreSchema.migrator.migrate(queue, upTo: "2")
    try queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO info VALUES ('closed', 'cleanly');
          INSERT INTO feed (id, name) VALUES (1, 't');
          INSERT INTO reply VALUES (1, 'k', x'01', 201, x'', x'07', 100);
          """
      )
    }
    try queue.close()
    let store = try SQLiteStore(path: folder.database, now: { 0 })
    let found = try result { store.reply(table: "t", key: "k", completion: $0) }
    #expect(found?.status == 201 && found?.body == [7])
    try store.closed()
  }

  @Test func aFullDiskFailsTheEditAloneAndLaterOnesGoOn() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database, history: 64, now: { 0 }, boot: "1", maximumPages: 60)
    func commit(_ row: String, _ size: Int) -> Commit {
      var commit = Commit(table: "t", durability: .full)
      commit.objects = [ObjectChange(row: row, bytes: size == 0 ? nil : [UInt8](repeating: 1, count: size))]
      return commit
    }
    try store.written(commit("small", 1000))
    // In one group or alone, only the large ones fail.
    let group = [("a", 100), ("large", 1_000_000), ("b", 100)]
    let outcomes = try outcomes(of: group.map { commit($0, $1) }, in: store)
    #expect(outcomes == [nil, .full, nil])
    #expect(throws: StoreError.full) { try store.written(commit("again", 1_000_000)) }
    #expect(try store.restored().objects.keys.sorted() == ["a", "b", "small"])
    try store.written(commit("small", 0))
    try store.written(commit("c", 500))
    #expect(try store.restored().objects.keys.sorted() == ["a", "b", "c"])
    try store.closed()
  }

  /// Queued while the writer is held up, so that they form one group.
  private func outcomes(of commits: [Commit], in store: SQLiteStore) throws -> [StoreError?] {
    let outcomes = Outcomes()
    store.pool.writeWithoutTransaction { _ in
      for commit in commits { store.commit(commit) { outcomes.add($0) } }
    }
    try result { store.flush(completion: $0) } as Void
    return outcomes.all
  }

  /// The log cut anywhere: what is left is a beginning of what was written, each commit whole or not there.
  @Test func aTruncatedLogLeavesWholeCommits() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    for step in 0..<40 {
      let version = try #require(versions.prepare(table([("s", [row("1", "v\(step)")])])))
      var commit = Commit(table: "t", durability: .full, version: version)
      commit.objects = [ObjectChange(row: "1", bytes: Array("v\(step)".utf8))]
      try store.written(commit)
      versions.publish(version)
    }
    let wal = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
    let main = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    try store.closed()
    var seen: Set<Int> = []
    for cut in stride(from: wal.count, through: 40_000, by: -7919) {
      let copy = try TemporaryFolder()
      let path = copy.path + "/copy.sqlite"
      try main.write(to: URL(fileURLWithPath: path))
      try wal.prefix(cut).write(to: URL(fileURLWithPath: path + "-wal"))
      let again = try SQLiteStore(path: path)
      let stored = try again.restored()
      if let kept = stored.versions {
        let last = try #require(kept.all.last)
        seen.insert(kept.all.count)
        let title = String(decoding: stored.objects["1"] ?? [], as: UTF8.self)
        #expect(last.number == UInt64(kept.all.count) + 1)
        #expect(title == "v\(last.number - 2)")
        #expect(identical(last.table, table([("s", [row("1", title)])])))
      }
      try again.closed()
    }
    #expect(seen.contains(40) && seen.count > 3, "\(seen.sorted())")
  }
}

final class Outcomes: @unchecked Sendable {
  // Invariant: only touched under the lock.
  private var results: [StoreError?] = []
  private let lock = NSLock()

  func add(_ result: Result<Void, StoreError>) {
    lock.withLock {
      switch result {
      case .success: results.append(nil)
      case .failure(let error): results.append(error)
      }
    }
  }

  var all: [StoreError?] { lock.withLock { results } }
}
