import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Tables that readers make, and that go again.
@Suite(.serialized) struct PostgresMemberTests {
  private let name = "t;q=a"

  private func commit(_ versions: TableVersions, _ title: String, on base: Revision, under lease: Lease?) throws
    -> Commit
  {
    let version = try #require(versions.prepare(table([("a", [row("r", title)])])))
    var commit = Commit(table: name, durability: .process, version: version)
    (commit.base, commit.fence) = (base, lease)
    return commit
  }

  private func lease(_ store: PostgresStore) throws -> Lease {
    try #require(try result { store.acquire("s", holder: "a", for: .seconds(60), completion: $0) })
  }

  private func members(_ store: PostgresStore) throws -> [String] { try result { store.members(completion: $0) } }

  @Test func readingMakesNothing() throws {
    let store = try PostgresStore(address: PostgresServer.shared.get().newDatabase())
    #expect(try store.restored(name).versions == nil)
    guard case .changes(let changes) = try result({ store.changes(of: name, since: .none, completion: $0) }) else {
      throw StoreError.closed
    }
    #expect(try changes.isEmpty && members(store) == [])
    try store.closed()
  }

  @Test func whatWasRemovedIsNotMadeAgainByWhoFollowedIt() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let (first, second) = (try PostgresStore(address: address), try PostgresStore(address: address))
    let held = try lease(first)
    let versions = TableVersions(initial: table())
    let made = try commit(versions, "1", on: .none, under: held)
    try first.written(made)
    // A table that always lives is no member.
    try first.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    let revision = Revision(number: 1, stamp: made.stamp)
    let follower = try second.restored(name)
    #expect(try follower.revision == revision && members(second) == [name])
    let heard = Monitor<[StoreEvent]>([])
    let observation = second.observe { event in heard.change { $0.append(event) } }
    // By whoever holds the lease alone.
    let other = Lease(name: "s", holder: "b", term: 1)
    #expect(throws: StoreError.fenced) { try result { second.remove([name], fence: other, completion: $0) } as Void }
    #expect(try members(second) == [name])
    try result { first.remove([name], fence: held, completion: $0) } as Void
    #expect(try members(second) == [])
    try heard.wait(for: "word of the removal") { $0.contains(.removed(table: name)) ? true : nil }
    withExtendedLifetime(observation) {}
    let late = try commit(TableVersions(initial: table(), restored: follower.versions), "2", on: revision, under: nil)
    #expect(throws: StoreError.superseded) { try second.written(late) }
    #expect(throws: StoreError.superseded) { try first.written(late) }
    #expect(try members(second) == [])
    // Whoever begins it begins anew.
    let again = TableVersions(initial: table())
    try first.written(commit(again, "3", on: .none, under: held))
    #expect(try second.restored(name).versions?.epoch == again.epoch)
    try first.closed()
    try second.closed()
  }

  @Test func whatIsLeftBesideAMemberIsForTheHolderOfTheLeaseToWrite() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let (first, second) = (try PostgresStore(address: address), try PostgresStore(address: address))
    func left() throws -> [UInt8]? {
      let found = try result { second.handover(of: name, completion: $0) } as Lease.Handover?
      #expect(found.map { $0.age >= .zero && $0.age < .seconds(60) } ?? true)
      return found?.bytes
    }
    func leave(_ bytes: [UInt8], under lease: Lease) throws {
      try result { first.leave([name: bytes, "t;q=nowhere": bytes], under: lease, completion: $0) } as Void
    }
    let held = try lease(first)
    // Of what is not stored nothing is left.
    try leave([1], under: held)
    #expect(try left() == nil)
    try first.written(commit(TableVersions(initial: table()), "1", on: .none, under: held))
    #expect(try left() == nil)
    for bytes in [[1], [2, 3]] as [[UInt8]] {
      try leave(bytes, under: held)
      #expect(try left() == bytes)
    }
    // By the database's clock.
    let server = try PostgresServer.shared.get()
    try server.ask("UPDATE tablecast.handover SET handed = handed - interval '1 hour'", in: address)
    let old = try result { second.handover(of: name, completion: $0) } as Lease.Handover?
    #expect(old.map { $0.age >= .seconds(3600) && $0.age < .seconds(3660) } == true)
    try server.ask("UPDATE tablecast.handover SET handed = clock_timestamp()", in: address)
    for other in [Lease(name: "s", holder: "b", term: held.term), Lease(name: "s", holder: "a", term: held.term + 1)] {
      try leave([4], under: other)
      #expect(try left() == [2, 3])
    }
    // It goes with the member.
    try result { first.remove([name], fence: held, completion: $0) } as Void
    try first.written(commit(TableVersions(initial: table()), "2", on: .none, under: held))
    #expect(try left() == nil)
    let count = try server.ask("SELECT count(*) FROM tablecast.handover", in: address)
    #expect(count.hasPrefix("0"))
    try first.closed()
    try second.closed()
  }
}
