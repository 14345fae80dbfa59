import Dispatch
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Locks that others keep, and the end.
extension PostgresStoreTests {
  private func commit(_ table: String) -> Commit {
    var commit = Commit(table: table, durability: .full)
    commit.objects = [ObjectChange(row: "1", bytes: [1])]
    return commit
  }

  /// A commit waits for some seconds, and no other one of its group waits for the same record once more.
  @Test(arguments: [
    ("known", "UPDATE tablecast.feed SET next_row = next_row WHERE name = 'known'"),
    ("new", "INSERT INTO tablecast.feed (name) VALUES ('new')"),
  ]) func aLockedRecordHoldsUpItsOwnCommits(name: String, lock: String) throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let store = try PostgresStore(address: address)
    try store.written(commit("known"))
    let holder = try server.session(in: address)
    try holder.ask("BEGIN; \(lock)")
    let outcomes = Monitor<[StoreError?]>([])
    // All but the first form one group.
    for record in ["a", name, name, "b"] {
      store.commit(commit(record)) { result in
        outcomes.change { outcomes in
          if case .failure(let error) = result { outcomes.append(error) } else { outcomes.append(nil) }
        }
      }
    }
    try outcomes.wait(for: "the commit that waited") { $0.count >= 2 ? true : nil }
    // Whoever waits from now on gets it.
    try holder.ask("ROLLBACK")
    let all = try outcomes.wait(for: "all commits") { $0.count == 4 ? $0 : nil }
    #expect(all[0] == nil && all[3] == nil)
    for error in all[1...2] {
      guard case .busy? = error else {
        Issue.record("\(all)")
        return
      }
    }
    try store.closed()
  }

  @Test func whoHasNotTheLeaseMakesNoRecord() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    let store = try PostgresStore(address: address)
    var fenced = commit("t")
    fenced.fence = Lease(name: "s", holder: "a", term: 1)
    #expect(throws: StoreError.fenced) { try store.written(fenced) }
    #expect(try server.ask("SELECT count(*) FROM tablecast.feed", in: address) == "0")
    // The others of its group are not concerned.
    let outcomes = Outcomes()
    for each in [commit("a"), fenced, commit("b")] { store.commit(each) { outcomes.add($0) } }
    try result { store.flush(completion: $0) } as Void
    #expect(outcomes.all == [nil, .fenced, nil])
    try store.closed()
  }

  /// Whole messages alone count as signs of life: one that comes slowly is known to its sender.
  @Test func whoSendsSlowlyDoesNotEndItself() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, _ in
      let slow = try server.session(in: "\(address) application_name=tablecast")
      let text = try slow.ask("BEGIN; LOCK tablecast.toggle IN ROW EXCLUSIVE MODE; SELECT pg_backend_pid()")
      let process = try #require(Int32(text))
      try slow.begin("COPY tablecast.toggle FROM STDIN")
      func ended(but own: [Int32]) throws -> Int? {
        try result { completion in
          first.queue.async {
            first.side.run([PostgresStore.endingSilentRuns(but: own, after: 0)]) { result in
              completion(result.map { $0.first?.count }.mapError(StoreError.init))
            }
          }
        }
      }
      let waits = """
        SELECT count(*) FROM pg_stat_activity
        WHERE pid = \(process) AND state = 'active' AND wait_event = 'ClientRead'
        """
      let deadline = ContinuousClock.now + .seconds(60)
      while try server.ask(waits, in: address) != "1" {
        guard ContinuousClock.now < deadline else { throw TimeOut("the session that waits for its client") }
      }
      #expect(try ended(but: [process]) == 0)
      #expect(try ended(but: [process + 1]) == 1)
      withExtendedLifetime(slow) {}
    }
  }

  @Test func whatIsUnderWayAtTheEndIsAnswered() throws {
    let store = try PostgresStore(address: PostgresServer.shared.get().newDatabase())
    let answered = Monitor(0)
    for _ in 0..<20 {
      store.revision(of: "t") { _ in answered.change { $0 += 1 } }
      store.signal("a", "b") { _ in answered.change { $0 += 1 } }
    }
    try store.closed()
    try answered.wait(for: "all answers") { $0 == 40 ? true : nil }
    #expect(throws: StoreError.closed) { try result { store.members(completion: $0) } as [String] }
    #expect(throws: StoreError.closed) { try result { store.revision(of: "t", completion: $0) } as Revision? }
    let key = ReplyKey(caller: "ann", table: "t", scope: "", key: "k")
    #expect(throws: StoreError.closed) { try result { store.disclaim(key, completion: $0) } as Void }
    #expect(throws: StoreError.closed) { try store.restored() }
  }
}
