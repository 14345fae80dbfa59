import Dispatch
import FieldValues
import Foundation
import JSON
import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Servers that go away, that take no writes any more, and that lack what others had.
extension PostgresStoreTests {
  @Test func theServerIsKilledAndComesBack() throws {
    // A server of its own, as others use the shared one meanwhile.
    let server = try PostgresServer()
    try withTwo(at: server.newDatabase()) { first, second in
      let versions = TableVersions(initial: table())
      try first.write(table([("s", [row("1")])]), to: versions)
      let revision = try second.restored().revision
      let (events, others) = (Events(of: first), Events(of: second))
      server.kill()
      try events.await { $0 == .reachable(false) }
      var commit = Commit(table: "t", durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      for _ in 0..<3 {
        do {
          try first.written(commit)
          Issue.record("a commit without a server")
        } catch StoreError.unavailable {}
      }
      try server.start()
      try events.await { $0 == .reachable(true) }
      try others.await { $0 == .reachable(true) }
      // Nothing acknowledged is lost, and both go on.
      #expect(try first.restored().versions?.all.last?.number == versions.current.number)
      try first.write(table([("s", [row("2")])]), to: versions)
      let made = try first.restored().revision
      try others.await { $0 == .moved(table: "t", revision: made) }
      guard case .changes(let changes) = try second.changes(since: revision) else { throw StoreError.closed }
      #expect(changes.versions.map(\.number) == [versions.current.number])
    }
  }

  /// As a primary that was demoted and keeps its connections: where they are made anew the one that takes writes is found.
  @Test func aServerThatTakesNoWritesAnyMoreIsLeft() throws {
    // A server of its own, as others use the shared one meanwhile.
    let server = try PostgresServer()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      let versions = TableVersions(initial: table())
      try first.write(table([("s", [row("1")])]), to: versions)
      let (events, others) = (Events(of: first), Events(of: second))
      try server.ask("ALTER SYSTEM SET default_transaction_read_only = on", in: address)
      try server.ask("SELECT pg_reload_conf()", in: address)
      var commit = Commit(table: "u", durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      for store in [first, second] {
        // Its processes hear of it one by one.
        while true { do { try store.written(commit) } catch StoreError.unavailable { break } }
      }
      try events.await { $0 == .reachable(false) }
      try others.await { $0 == .reachable(false) }
      try server.ask("ALTER SYSTEM RESET default_transaction_read_only", in: address)
      try server.ask("SELECT pg_reload_conf()", in: address)
      try events.await { $0 == .reachable(true) }
      try others.await { $0 == .reachable(true) }
      try first.write(table([("s", [row("2")])]), to: versions)
      let made = try first.restored().revision
      try others.await { $0 == .moved(table: "t", revision: made) }
    }
  }

  /// Told by the table's own stamp: somebody wrote who had not seen what this process has.
  @Test func aDatabaseThatLostItsEndBeginsANewEpoch() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let store = try PostgresStore(address: address)
    let versions = TableVersions(initial: table())
    for step in 0..<3 { try store.write(table([("s", [row("1", "\(step)")])]), to: versions) }
    let revision = try store.restored().revision
    try server.ask(
      """
      UPDATE tablecast.feed SET revision = 2,
        stamp = (SELECT stamp FROM tablecast.change WHERE change.revision = 2);
      DELETE FROM tablecast.change WHERE revision = 3
      """,
      in: address
    )
    guard case .replaced(let stored) = try store.changes(since: revision) else { throw StoreError.closed }
    #expect(stored.versions?.epoch != versions.epoch)
    #expect(stored.versions?.all.count == 2 && stored.revision.number > revision.number)
    try store.closed()
  }

  @Test func aPromotedServerThatNobodyWaitedForBeginsNewEpochs() throws {
    let server = try PostgresServer.shared.get()
    for isSynchronous in [false, true] {
      let address = try server.newDatabase()
      let store = try PostgresStore(address: address)
      let versions = TableVersions(initial: table())
      try store.write(table([("s", [row("1")])]), to: versions)
      try store.closed()
      try server.ask(
        """
        UPDATE tablecast.info SET value = '\(isSynchronous)' WHERE name = 'synchronous';
        UPDATE tablecast.info SET value = '000000FF' WHERE name = 'timeline'
        """,
        in: address
      )
      let again = try PostgresStore(address: address)
      #expect((try again.restored().versions?.epoch == versions.epoch) == isSynchronous)
      #expect(try again.restored().versions?.all.count == 1)
      try again.closed()
    }
  }

  /// Another epoch has begun, at the revision that this process knows: what it lays out in the epoch before is refused.
  @Test func aVersionOfTheEpochBeforeIsRefused() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let store = try PostgresStore(address: address)
    let versions = TableVersions(initial: table())
    try store.write(table([("s", [row("1")])]), to: versions)
    let base = try store.restored().revision
    try server.ask("UPDATE tablecast.feed SET epoch = epoch # 1", in: address)
    let version = try #require(versions.prepare(table([("s", [row("1"), row("2")])])))
    var commit = Commit(table: "t", durability: .full, version: version)
    commit.base = base
    #expect(throws: StoreError.superseded) { try store.written(commit) }
    let stored = try store.restored()
    #expect(stored.versions?.epoch != versions.epoch && stored.versions?.all.count == 1)
    try store.closed()
  }
}
