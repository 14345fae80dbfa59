import Foundation
import GRDB
import Synchronization
import TableModel
import Testing

@testable import TableStore

/// Versions with so many new rows that these are written ahead, in slices.
@Suite struct AheadTests {
  private let count = StoreWriter.fewestAhead + 1_234

  private func rows(_ count: Int, _ title: String) -> [TableModel.Row] { (0..<count).map { row("r\($0)", title) } }

  private func commit(_ version: Version, _ table: String = "t", saying text: String, objects: Int) -> Commit {
    var commit = Commit(table: table, durability: .process, version: version)
    commit.objects = (0..<objects).map { ObjectChange(row: "r\($0)", bytes: Array("\(text) \($0)".utf8)) }
    return commit
  }

  /// An edit of items waits for the version that it is stored with, and another table's edit of the same items is built on it.
  @Test func whatIsBuiltOnACommitThatWaitsDoesNotOvertakeIt() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    let long = try #require(versions.prepare(table([("a", rows(count, "one"))])))
    versions.publish(long)
    let next = try #require(versions.prepare(table([("a", rows(count, "one")), ("b", [row("last")])])))
    let order = Mutex<[String]>([])
    let note: @Sendable (String) -> @Sendable (Result<Void, StoreError>) -> Void = { name in
      { result in order.withLock { $0.append((try? result.get()) == nil ? "\(name) failed" : name) } }
    }
    let begun = try store.restored("log").revision
    store.pool.writeWithoutTransaction { _ in
      store.commit(commit(long, saying: "one", objects: 0), completion: note("long"))
      var items = Commit(table: "log", durability: .full, items: ItemChanges(nextID: 1))
      items.base = begun
      var first = commit(next, saying: "two", objects: 0)
      first.beside = [items]
      store.commit(first, completion: note("edit"))
      var second = Commit(table: "log", durability: .full, items: ItemChanges(nextID: 2))
      second.base = items.revision
      store.commit(second, completion: note("another"))
    }
    try result { store.flush(completion: $0) } as Void
    #expect(order.withLock { $0 } == ["long", "edit", "another"])
  }

  /// Other tables' commits come in between; its own, and what is about any table, come behind.
  @Test func othersDoNotWait() throws {
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    let other = TableVersions(initial: table())
    let order = Mutex<[String]>([])
    let note: @Sendable (String) -> @Sendable (Result<Void, StoreError>) -> Void = { name in
      { result in order.withLock { $0.append((try? result.get()) == nil ? "\(name) failed" : name) } }
    }
    let long = try #require(versions.prepare(table([("a", rows(count, "one")), ("b", [row("last")])])))
    versions.publish(long)
    var edited = rows(count, "one")
    edited[77] = row("r77", "two")
    let next = try #require(versions.prepare(table([("a", edited), ("b", [row("last")])])))
    versions.publish(next)
    let small = try #require(other.prepare(table([("a", [row("1")])])))
    let kept = Mutex<StoredTable?>(nil)
    // Queued while the writer is held up, so that they come at once.
    store.pool.writeWithoutTransaction { _ in
      var first = commit(long, saying: "one", objects: count)
      first.objects.append(ObjectChange(row: "elsewhere", bytes: [1]))
      store.commit(first, completion: note("long"))
      var second = commit(next, saying: "two", objects: 0)
      second.objects = [ObjectChange(row: "r77", bytes: [2])]
      store.commit(second, completion: note("edit"))
      store.commit(Commit(table: "u", durability: .full, version: small), completion: note("other"))
      store.restore("t") { result in
        kept.withLock { $0 = try? result.get() }
        note("restored")(.success(()))
      }
    }
    try result { store.flush(completion: $0) } as Void
    #expect(order.withLock { $0 } == ["other", "long", "edit", "restored"])
    for isAgain in [false, true] {
      if isAgain {
        try store.closed()
        store = try SQLiteStore(path: folder.database)
      }
      let stored = isAgain ? try store.restored() : try #require(kept.withLock { $0 })
      #expect(stored.versions?.all.map(\.number) == [2, 3])
      for (version, expected) in zip(stored.versions?.all ?? [], [long, next]) {
        #expect(identical(version.table, expected.table))
      }
      #expect(stored.objects.count == count + 1)
      #expect(stored.objects["r77"] == [2] && stored.objects["elsewhere"] == [1])
      #expect(stored.objects["r78"] == Array("one 78".utf8))
    }
    try store.closed()
  }

  /// Who reads another table does not wait either.
  @Test func anotherTableIsReadMeanwhile() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let long = try #require(TableVersions(initial: table()).prepare(table([("a", rows(count, "one"))])))
    let small = try #require(TableVersions(initial: table()).prepare(table([("a", [row("1")])])))
    try store.written(Commit(table: "u", durability: .full, version: small))
    let order = Mutex<[String]>([])
    let note: @Sendable (String) -> Void = { name in order.withLock { $0.append(name) } }
    store.pool.writeWithoutTransaction { _ in
      store.commit(commit(long, saying: "one", objects: 0)) { _ in note("long") }
      store.restore("t") { note((try? $0.get())?.versions?.all.count == 1 ? "t" : "t too early") }
      store.restore("u") { note((try? $0.get())?.versions?.all.count == 1 ? "u" : "nothing of u") }
    }
    try result { store.flush(completion: $0) } as Void
    #expect(order.withLock { $0 } == ["u", "long", "t"])
    try store.closed()
  }

  /// A refresh in which all rows are others; one that makes the same rows anew writes none of them.
  @Test(arguments: [true, false]) func othersDoNotWaitForARefresh(isOther: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    let first = try #require(versions.prepare(table([("a", rows(count, "one"))])))
    try store.written(commit(first, saying: "one", objects: count))
    versions.publish(first)
    // A row more, so that there is a version to be written.
    let title = isOther ? "two" : "one"
    let refreshed = try #require(versions.prepare(table([("a", rows(count, title) + [row("last")])])))
    versions.publish(refreshed)
    let small = try #require(TableVersions(initial: table()).prepare(table([("a", [row("1")])])))
    let order = Mutex<[String]>([])
    let note: @Sendable (String) -> @Sendable (Result<Void, StoreError>) -> Void = { name in
      { result in order.withLock { $0.append((try? result.get()) == nil ? "\(name) failed" : name) } }
    }
    store.pool.writeWithoutTransaction { _ in
      store.commit(commit(refreshed, saying: "two", objects: isOther ? count : 0), completion: note("long"))
      store.commit(Commit(table: "u", durability: .full, version: small), completion: note("other"))
    }
    try result { store.flush(completion: $0) } as Void
    #expect(order.withLock { $0 } == ["other", "long"])
    let stored = try store.restored()
    #expect(stored.versions?.all.map(\.number) == [2, 3])
    for (version, expected) in zip(stored.versions?.all ?? [], [first, refreshed]) {
      #expect(identical(version.table, expected.table))
    }
    #expect(stored.objects.count == count && stored.objects["r78"] == Array("\(title) 78".utf8))
    let kept = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM row") ?? 0 }
    #expect(kept == (isOther ? 2 * count : count) + 2)
    try store.closed()
  }

  /// Of two rows whose names differ only in spelling, the second one has an object.
  @Test func anObjectIsWrittenForItsOwnRow() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    let all = [row("\u{E9}"), row("e\u{301}")] + rows(count, "one")
    let version = try #require(versions.prepare(table([("a", all)])))
    var commit = commit(version, saying: "one", objects: 0)
    commit.objects = [ObjectChange(row: "e\u{301}", bytes: [1])]
    try store.written(commit)
    #expect(try store.restored().objects == ["e\u{301}": [1]])
    try store.closed()
  }

  /// Also where most rows of a table are new that has some; objects in another order than their rows are as good.
  @Test func aTableThatBecomesLong() throws {
    let folder = try TemporaryFolder()
    var store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    var all = rows(500, "one")
    for (step, count) in [500, count, count * 3].enumerated() {
      all = Array(all.prefix(300)) + rows(count, "step \(step)").dropFirst(300)
      let version = try #require(versions.prepare(table([("a", all.reversed())])))
      var commit = commit(version, saying: "step \(step)", objects: count)
      commit.objects.reverse()
      commit.objects.swapAt(400, 20)
      try store.written(commit)
      versions.publish(version)
    }
    for _ in 0..<2 {
      let stored = try store.restored()
      #expect(stored.versions?.all.count == 3)
      #expect(identical(try #require(stored.versions?.all.last?.table), table([("a", all.reversed())])))
      #expect(stored.objects.count == count * 3 && stored.objects["r299"] == Array("step 2 299".utf8))
      try store.closed()
      store = try SQLiteStore(path: folder.database)
    }
    try store.closed()
  }

  /// Killed in between: what was written ahead is no version's, goes, and is in nobody's way.
  @Test(arguments: [false, true]) func anEndInBetweenLeavesNothing(isKnown: Bool) throws {
    let folder = try TemporaryFolder()
    var store: SQLiteStore? = try SQLiteStore(path: folder.database, boot: "1")
    let versions = TableVersions(initial: table())
    if isKnown { try store?.write(table([("a", rows(3, "zero"))]), to: versions) }
    let version = try #require(versions.prepare(table([("a", rows(count, "one"))])))
    try store?.pool.writeWithoutTransaction { [writer = store?.writer] db in
      let commit = commit(version, saying: "one", objects: count)
      let plan = try #require(try writer?.value.planAhead(commit, in: db))
      var maker = SliceMaker(commit, version, plan)
      for _ in 0..<4 {
        if let slice = maker.slice() { try writer?.value.write(slice, in: db) }
      }
    }
    try store?.pool.close()
    store = nil
    let again = try SQLiteStore(path: folder.database, boot: "1")
    let stored = try again.restored()
    #expect(stored.objects.isEmpty && stored.versions?.all.count == (isKnown ? 1 : nil))
    let next = isKnown ? TableVersions(initial: table(), restored: stored.versions) : TableVersions(initial: table())
    try again.write(table([("a", rows(50, "two"))]), to: next)
    #expect(try again.restored().objects.isEmpty)
    #expect(identical(try #require(try again.restored().versions?.all.last?.table), table([("a", rows(50, "two"))])))
    let kept = try again.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM row") ?? 0 }
    #expect(kept == (isKnown ? 53 : 50))
    try again.closed()
  }

  /// What was written ahead of a commit that failed is nobody's: the rows that get its numbers don't get its objects.
  @Test(arguments: [50, 12_000]) func aFailureInBetweenLeavesNothing(next: Int) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database)
    let versions = TableVersions(initial: table())
    try store.write(table([("a", rows(3, "zero"))]), to: versions)
    let version = try #require(versions.prepare(table([("a", rows(count, "one"))])))
    try store.pool.writeWithoutTransaction { [writer = store.writer] db in
      let commit = commit(version, saying: "one", objects: count)
      let planned = try writer.value.planAhead(commit, in: db)
      var maker = SliceMaker(commit, version, try #require(planned))
      while let slice = maker.slice() { try writer.value.write(slice, in: db) }
    }
    versions.withdraw()
    try store.write(table([("a", rows(next, "two"))]), to: versions)
    let kept = try store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM row") ?? 0 }
    #expect(kept == 3 + next)
    let stored = try store.restored()
    #expect(stored.objects.isEmpty)
    #expect(identical(try #require(stored.versions?.all.last?.table), table([("a", rows(next, "two"))])))
    try store.closed()
  }

  /// A slice that can't be written: the commit fails as any other does, and leaves nothing.
  @Test func aFullDiskFailsTheCommitAlone() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.database, history: 64, now: { 0 }, boot: "1", maximumPages: 200)
    let versions = TableVersions(initial: table())
    let version = try #require(versions.prepare(table([("a", rows(count, "one"))])))
    #expect(throws: StoreError.full) { try store.written(commit(version, saying: "one", objects: count)) }
    versions.withdraw()
    try store.write(table([("a", rows(20, "two"))]), to: versions)
    #expect(identical(try #require(try store.restored().versions?.all.last?.table), table([("a", rows(20, "two"))])))
    try store.closed()
  }
}
