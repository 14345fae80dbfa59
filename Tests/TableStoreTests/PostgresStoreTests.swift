import Dispatch
import FieldValues
import Foundation
import JSON
import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// What processes that share a database see of each other, and what is left when it goes away.
@Suite(.serialized) struct PostgresStoreTests {
  func withTwo(at address: String? = nil, _ body: (PostgresStore, PostgresStore) throws -> Void) throws {
    let address = try address ?? PostgresServer.shared.get().newDatabase()
    let first = try PostgresStore(address: address, history: 8)
    let second = try PostgresStore(address: address, history: 8)
    try body(first, second)
    try first.closed()
    try second.closed()
  }

  /// Waits for an event that a store tells of.
  final class Events: Sendable {
    private let heard = Mutex<[StoreEvent]>([])
    private let arrival = DispatchSemaphore(value: 0)
    private let observation = Mutex<StoreObservation?>(nil)

    init(of store: any Store) {
      let observation = store.observe { [weak self] event in
        self?.heard.withLock { $0.append(event) }
        self?.arrival.signal()
      }
      self.observation.withLock { $0 = observation }
    }

    func await(_ isWanted: (StoreEvent) -> Bool) throws {
      let deadline = DispatchTime.now() + .seconds(60)
      while !heard.withLock({ $0.contains(where: isWanted) }) {
        guard arrival.wait(timeout: deadline) == .success else { throw PostgresServer.Failure(text: "no such event") }
      }
    }

    func have(_ isWanted: (StoreEvent) -> Bool) -> Bool { heard.withLock { $0.contains(where: isWanted) } }
  }

  @Test func theSecondIsToldAndReadsTheSameBytes() throws {
    try withTwo { first, second in
      let events = Events(of: second)
      var revision = try second.restored().revision
      var follower = TableVersions(initial: table()).current.table
      let versions = TableVersions(initial: table())
      var sections: [(String, [TableModel.Row])] = [("a", (0..<30).map { row("r\($0)") })]
      for step in 0..<30 {
        sections[0].1.swapAt(step % 7, 20)
        sections[0].1[3] = row("r3", "v\(step)")
        if step == 10 { sections.append(("b", [row("x\(step)")])) }
        try first.write(table(sections, header: "h\(step / 9)"), to: versions)
        let made = try first.restored().revision
        try events.await { $0 == .moved(table: "t", revision: made) }
        guard case .changes(let changes) = try second.changes(since: revision) else { throw StoreError.closed }
        #expect(changes.versions.map(\.number) == [versions.current.number])
        revision = changes.revision
        follower = try #require(changes.versions.last).table
        #expect(identical(follower, versions.current.table), "step \(step)")
      }
      // The one that followed goes on writing.
      let stored = try #require(try second.restored().versions)
      let other = TableVersions(initial: table(), history: 8, restored: stored)
      try second.write(table([("a", [row("last")])]), to: other)
      guard case .changes(let changes) = try first.changes(since: revision) else { throw StoreError.closed }
      #expect(identical(try #require(changes.versions.last?.table), other.current.table))
      #expect(try first.restored().versions?.all.count == 8)
    }
  }

  /// Rows of versions that nobody holds any more go after the commit, and what a process has left of them goes with the next ones.
  @Test func rowsOfForgottenVersionsGoBetweenCommits() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      let versions = TableVersions(initial: table())
      func write(_ steps: Range<Int>) throws {
        for step in steps {
          try first.write(table([("s", (0..<5).map { row("r\($0)", "v\(step)") })]), to: versions)
        }
      }
      func count(_ what: String) throws -> Int {
        Int(try server.ask("SELECT count(*) FROM tablecast.\(what)", in: address)) ?? -1
      }
      func awaitClearing() throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try count("change WHERE revision < 0") > 0 {
          guard ContinuousClock.now < deadline else { throw TimeOut("rows of forgotten versions go") }
        }
      }
      try write(0..<40)
      try awaitClearing()
      #expect(try (40...120).contains(count("row")) && count("change") <= 24)
      // As of a process that ended before it was through.
      try server.ask(
        """
        INSERT INTO tablecast.change (feed, revision, stamp, number, key_frame, next_row, gone)
        SELECT feed, -1, stamp, 1, true, 5, '{100000, 100001}' FROM tablecast.change LIMIT 1;
        INSERT INTO tablecast.row SELECT feed, 100000, record FROM tablecast.row LIMIT 1
        """,
        in: address
      )
      let (stored, written) = (try second.restored(), try first.restored())
      #expect(stored.versions?.all.count == 8 && stored.revision == written.revision)
      #expect(identical(try #require(stored.versions?.all.last?.table), versions.current.table))
      try write(40..<60)
      try awaitClearing()
      #expect(try count("row WHERE number = 100000") == 0 && count("row") <= 120)
      guard case .replaced(let later) = try second.changes(since: stored.revision) else { throw StoreError.closed }
      #expect(later.versions?.all.count == 8)
      #expect(identical(try #require(later.versions?.all.last?.table), versions.current.table))
    }
  }

  @Test func ofAllWhoWriteOneWinsAndTheOthersRebase() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let stores = try (0..<3).map { _ in try PostgresStore(address: address) }
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { index in
      do { try Self.addItems(15, by: stores[index]) } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    let items = try #require(try stores[0].restored().items)
    #expect(items.count == 45 && Set(items.map(\.id)).count == 45)
    #expect(try stores[0].restored().revision.number == 45)
    for store in stores { try store.closed() }
  }

  /// As an engine does it: superseded, it reads what the others have done and adds its item on that.
  private static func addItems(_ count: Int, by store: PostgresStore) throws {
    let stored = try store.restored()
    var (items, revision) = (stored.items ?? .empty, stored.revision)
    for _ in 0..<count {
      while true {
        let before = items
        try items.insert(["a": 1])
        var commit = Commit(table: "t", durability: .full, items: items.takeChanges())
        commit.base = revision
        do {
          try store.written(commit)
          revision = try #require(commit.revision)
          break
        } catch StoreError.superseded {
          items = before
          switch try store.changes(since: revision) {
          case .changes(let changes):
            if let others = changes.items { items.apply(others) }
            revision = changes.revision
          case .replaced(let stored): (items, revision) = (stored.items ?? .empty, stored.revision)
          }
        }
      }
    }
  }

  /// Whoever comes to a table only looks at it: it neither waits for the writer whose transaction is open, nor fails
  /// because that one has committed since.
  @Test func aTableIsReadWhileAnotherOneWritesIt() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      try first.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
      let writer = try server.session(in: address)
      try writer.ask("BEGIN; UPDATE tablecast.feed SET next_row = next_row WHERE name = 't'")
      #expect(try second.restored().versions?.all.count == 1)
      try writer.ask("ROLLBACK")
    }
  }

  @Test func aGroupThatIsPartlySupersededKeepsTheRest() throws {
    try withTwo { first, second in
      let revision = try first.restored("x").revision
      func commit(_ table: String, base: Revision?) -> Commit {
        var commit = Commit(table: table, durability: .full)
        commit.objects = [ObjectChange(row: "1", bytes: [1])]
        commit.base = base
        return commit
      }
      try second.written(commit("x", base: revision))
      let outcomes = Outcomes()
      // Queued while the first is on its way, so that they form one group.
      for entry in [("a", nil), ("x", revision), ("b", nil)] as [(String, Revision?)] {
        first.commit(commit(entry.0, base: entry.1)) { outcomes.add($0) }
      }
      try result { first.flush(completion: $0) } as Void
      #expect(outcomes.all == [nil, .superseded, nil])
    }
  }

  @Test func whereATableStandsIsKnownAtOnce() throws {
    try withTwo { first, second in
      func revision(_ store: PostgresStore) throws -> Revision? {
        try result { store.revision(of: "t", completion: $0) }
      }
      #expect(try revision(second) == nil)
      let versions = TableVersions(initial: table())
      for text in ["a", "b"] {
        try first.write(table([("s", [row("r", text)])]), to: versions)
        #expect(try revision(second) == first.restored().revision)
      }
    }
  }

  /// Connections are cut, as by a balancer or an administrator, while the database stands: that tells nobody that it is away.
  @Test func whereATableStandsIsKnownThoughConnectionsAreCut() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    try withTwo(at: address) { first, second in
      let versions = TableVersions(initial: table())
      try first.write(table([("s", [row("1")])]), to: versions)
      let revision = try second.restored().revision
      try first.write(table([("s", [row("2")])]), to: versions)
      let made = try first.restored().revision
      let cut =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      for _ in 0..<5 {
        try PostgresServer.shared.get().ask(cut, in: address)
        #expect(try result { second.revision(of: "t", completion: $0) } == made)
        guard case .changes(let changes) = try second.changes(since: revision) else { throw StoreError.closed }
        #expect(changes.revision == made)
      }
    }
  }

  @Test func whatNamesMayHoldIsKept() throws {
    try withTwo { first, second in
      let name = "t;q=\u{0}'\\\u{1F600}" + String(repeating: "x", count: 9000)
      var commit = Commit(table: name, durability: .full)
      commit.objects = [ObjectChange(row: name, bytes: [0, 1])]
      commit.toggles = [ToggleChange(row: name, isToggled: true)]
      try first.written(commit)
      let stored = try second.restored(name)
      #expect(stored.objects == [ByteText(name): [0, 1]] && stored.toggled == [ByteText(name)])
    }
  }

  @Test func ofManyWhoComeFirstOneMakesTheSchema() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let failures = Mutex<[String]>([])
    // Threads of their own: opening blocks, and takes others' turns where few threads are left.
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<4 {
      Thread.detachNewThread {
        do { try PostgresStore(address: address).closed() } catch { failures.withLock { $0.append("\(error)") } }
        done.signal()
      }
    }
    for _ in 0..<4 { done.wait() }
    #expect(failures.withLock { $0 } == [])
  }

  /// A database whose transactions begin with another isolation, as an operator may have set it.
  @Test func theIsolationIsTheStoresOwn() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try server.ask(
      """
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation TO serializable', current_database());
      END $$
      """,
      in: address
    )
    try withTwo(at: address) { first, second in
      func isolation(_ link: PostgresLink) throws -> String {
        let question = PostgresStatement("SELECT current_setting('transaction_isolation')")
        return try result { completion in
          first.queue.async {
            link.run([question]) { completion($0.map { $0.first?.text(0, 0) ?? "" }.mapError(StoreError.init)) }
          }
        }
      }
      #expect(try isolation(first.main) == "repeatable read" && isolation(first.side) == "read committed")
      let lease = try #require(try result { first.acquire("s", holder: "a", for: .seconds(60), completion: $0) })
      #expect(try result { second.acquire("s", holder: "b", for: .seconds(60), completion: $0) } as Lease? == nil)
      #expect(try result { first.renew(lease, for: .seconds(60), precedence: [], handover: nil, completion: $0) })
    }
  }

  @Test func aNewerSchemaIsRefusedByName() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try PostgresStore(address: address).closed()
    try server.ask("UPDATE tablecast.info SET value = '99' WHERE name = 'schema'", in: address)
    let error = #expect(throws: StoreError.self) { try PostgresStore(address: address) }
    guard case .newerSchema(let database, 99, PostgresSchema.migrations.count)? = error else { throw error ?? .closed }
    #expect(database.contains(server.folder))
  }

  /// With what can be done about it in a database, which is no file.
  @Test func aDamagedRecordIsRefusedByName() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let store = try PostgresStore(address: address)
    try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    try store.closed()
    let cut = "SET record = substring(record FROM 1 FOR length(record) / 2)"
    try server.ask("UPDATE tablecast.change \(cut)", in: address)
    let again = try PostgresStore(address: address)
    let error = #expect(throws: StoreError.self) { try again.restored() }
    guard case .damaged(let database, _)? = error else { throw error ?? .closed }
    #expect(database.contains(server.folder) && error?.description.contains("sqlite") == false)
    try again.closed()
  }

  /// The owner of the one schema, who may do nothing else.
  @Test func theLeastRightsAreEnough() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try server.ask("DROP ROLE IF EXISTS tablecast", in: address)
    try server.ask("CREATE ROLE tablecast LOGIN; CREATE SCHEMA tablecast AUTHORIZATION tablecast", in: address)
    let store = try PostgresStore(address: address.replacingOccurrences(of: "user=tests", with: "user=tablecast"))
    try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
    #expect(try store.restored().versions?.all.count == 1)
    try store.closed()
  }

  @Test func addressesThatCanNotBeAreSaidWithoutTheirPasswords() throws {
    for address in ["postgres://u:secret@127.0.0.1:1/db", "password=secret =", "host=/nowhere password=secret"] {
      let error = #expect(throws: StoreError.self) { try PostgresStore(address: address) }
      guard case .cannotOpen? = error else { throw error ?? .closed }
      #expect(!"\(error ?? .closed)".contains("secret"), "\(address)")
    }
  }

  @Test func pausesGrowToALimitAndDiffer() {
    var backoff = Backoff()
    let pauses = (0..<10).map { backoff.next(random: Double($0 % 2)) }
    #expect(pauses == [50, 200, 200, 800, 800, 3200, 2500, 5000, 2500, 5000])
  }
}
