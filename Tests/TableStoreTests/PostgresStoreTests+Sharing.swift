import Dispatch
import Foundation
import JSON
import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// What processes share beside tables and views: leases, answers, names, claims.
extension PostgresStoreTests {
  @Test func whoWasAwayWhileItsLeaseExpiredWritesNothing() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      let minute = Duration.seconds(60)
      let lease = try #require(try result { first.acquire("s", holder: "a", for: minute, completion: $0) })
      #expect(try result { second.acquire("s", holder: "b", for: minute, completion: $0) } == nil)
      #expect(try result { first.renew(lease, for: minute, precedence: [7], handover: [8], completion: $0) })
      var commit = Commit(table: "t", durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      commit.fence = lease
      try first.written(commit)
      // The holder is paused, and the minute goes by.
      try server.ask("UPDATE tablecast.lease SET expires = clock_timestamp()", in: address)
      #expect(throws: StoreError.fenced) { try first.written(commit) }
      let taken = try result { second.acquire("s", holder: "b", for: minute, completion: $0) }
      #expect(taken?.term == lease.term + 1 && taken?.precedence == [7] && taken?.handover?.bytes == [8])
      #expect(throws: StoreError.fenced) { try first.written(commit) }
      #expect(!(try result { first.renew(lease, for: minute, precedence: [], handover: nil, completion: $0) }))
      commit.fence = taken
      try second.written(commit)
      // Whoever asks for it has stopped asking the sources: what was done before is of another term.
      let again = try result { second.acquire("s", holder: "b", for: minute, completion: $0) }
      #expect(again?.term == lease.term + 2)
      #expect(throws: StoreError.fenced) { try second.written(commit) }
    }
  }

  @Test func aReleasedLeaseIsFreeAtOnceAndSaidToBe() throws {
    try withTwo { first, second in
      let events = Events(of: second)
      let lease = try #require(try result { first.acquire("s", holder: "a", for: .seconds(60), completion: $0) })
      try result { first.release(lease, precedence: [1, 2], handover: nil, completion: $0) } as Void
      try events.await { $0 == .leaseFree("s") }
      let next = try result { second.acquire("s", holder: "b", for: .seconds(60), completion: $0) }
      #expect(next?.precedence == [1, 2] && next?.term == lease.term + 1)
      try result { first.signal("refresh", "source 1", completion: $0) } as Void
      try events.await { $0 == .signal(name: "refresh", text: "source 1") }
    }
  }

  /// As a process that was stopped, or lost its network, with a part of a run sent: the server awaits the rest, and would for hours.
  @Test func whoSendsAPartOfARunKeepsItsLocksForSeconds() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      let lease = try #require(try result { first.acquire("s", holder: "a", for: .seconds(1), completion: $0) })
      var commit = Commit(table: "t", durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      try first.written(commit)
      // Somebody else's work is let be, however long it takes.
      let (silent, other) = (
        try server.session(in: "\(address) application_name=tablecast"), try server.session(in: address)
      )
      try other.ask("BEGIN; UPDATE tablecast.info SET value = value WHERE name = 'schema'")
      try other.begin("COPY tablecast.toggle FROM STDIN")
      try silent.ask("BEGIN; SELECT 1 FROM tablecast.lease FOR SHARE; SELECT 1 FROM tablecast.feed FOR UPDATE")
      try silent.begin("COPY tablecast.toggle FROM STDIN")
      let deadline = ContinuousClock.now + .seconds(60)
      var taken: Lease?
      while taken == nil {
        guard ContinuousClock.now < deadline else { throw TimeOut("the lease") }
        do {
          taken = try result { second.acquire("s", holder: "b", for: .seconds(60), completion: $0) }
        } catch StoreError.busy {}
      }
      #expect(taken?.term == lease.term + 1)
      try second.written(commit)
      let left = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'psql' AND state = 'active' AND wait_event = 'ClientRead'
        """
      #expect(try server.ask(left, in: address) == "1")
      withExtendedLifetime((silent, other)) {}
    }
  }

  /// Who has read a record finds it no more under the name that it had, and goes on from there under its new one. Who has read that
  /// there is none of the former name finds that taken.
  @Test func aRecordThatAnotherProcessRenames() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      var items = try LocalItems(seed: [["a": 1]]).unwritten(over: nil)
      try first.written(Commit(table: "@items.old", durability: .full, items: items.takeChanges()))
      let known = try second.restored("@items.old").revision
      var planned = try LocalItems(seed: [["c": 1]])
      var edit = Commit(table: "@items.old", durability: .full, items: planned.takeChanges())
      edit.base = known
      var late = try LocalItems(seed: [["b": 1]]).unwritten(over: nil)
      var commit = Commit(table: "@items.old", durability: .full, items: late.takeChanges())
      commit.base = Revision.none
      // Another process has begun a record of the name, and failed.
      try server.ask("INSERT INTO tablecast.feed (name) VALUES ('@items.new')", in: address)
      try result { first.rename("@items.old", to: "@items.new", completion: $0) } as Void
      #expect(throws: StoreError.superseded) { try second.written(edit) }
      #expect(try second.restored("@items.old").items == nil)
      let former = try result { second.changes(of: "@items.old", since: known, completion: $0) } as CatchUp
      guard case .replaced(let nothing) = former else { throw TimeOut("what became of the former name") }
      #expect(nothing.items == nil && nothing.revision.number == 1 && nothing.newName == "@items.new")
      #expect(try result { second.revision(of: "@items.old", completion: $0) } as Revision? == nothing.revision)
      let present = try second.restored("@items.new")
      #expect(present.revision == known && present.items?.count == 1)
      #expect(throws: StoreError.superseded) { try second.written(commit) }
      // Every former name leads to the present one.
      try result { second.rename("@items.new", to: "@items.newer", completion: $0) } as Void
      for name in ["@items.old", "@items.new"] {
        #expect(try first.restored(name).newName == "@items.newer", "\(name)")
      }
      // It can be given back, and taken by whoever has read that it is free.
      try result { second.rename("@items.newer", to: "@items.old", completion: $0) } as Void
      let back = try first.restored("@items.old")
      #expect(back.revision == known && back.newName == nil)
      #expect(try first.restored("@items.new").newName == "@items.old")
      commit.table = "@items.new"
      commit.base = try first.restored("@items.new").revision
      try first.written(commit)
      #expect(try second.restored("@items.new").items?.count == 1)
    }
  }

  @Test func anAnswerIsTheClustersAndNotWrittenWhereItsCommitFails() throws {
    try withTwo { first, second in
      let base = try first.restored().revision
      var commit = Commit(table: "t", durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      commit.base = base
      commit.reply = reply(caller: "ann", key: "k", expires: .max)
      try first.written(commit)
      let key = ReplyKey(caller: "ann", table: "t", scope: "", key: "k")
      #expect(try result { second.reply(key, completion: $0) } == commit.reply)
      commit.reply = reply(caller: "ann", key: "l", expires: .max)
      #expect(throws: StoreError.superseded) { try second.written(commit) }
      let other = ReplyKey(caller: "ann", table: "t", scope: "", key: "l")
      #expect(try result { second.reply(other, completion: $0) } == nil)
    }
  }

  @Test func aClaimBelongsToItsProcess() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      func claim(_ store: PostgresStore, _ request: UInt8 = 1) throws -> ReplyClaim {
        let key = ReplyKey(caller: "ann", table: "t", scope: "", key: "k")
        return try result { store.claim(key, request: [request], for: .seconds(120), completion: $0) }
      }
      func disclaim(_ store: PostgresStore) throws {
        let key = ReplyKey(caller: "ann", table: "t", scope: "", key: "k")
        try result { store.disclaim(key, completion: $0) }
      }
      #expect(try claim(first) == .granted && claim(second) == .underWay(request: [1]))
      // Whether the first has heard that it has it or not.
      #expect(try claim(first) == .granted && claim(first, 2) == .underWay(request: [1]))
      // Connections are cut, as by a balancer: that is known already, or it is asked once more.
      let cut = """
        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
      for _ in 0..<5 {
        try server.ask(cut, in: address)
        do {
          let outcome = try claim(first)
          #expect(outcome == .granted)
        } catch StoreError.unavailable {}
        for store in [first, second] { _ = try result { store.revision(of: "t", completion: $0) } as Revision? }
      }
      for store in [first, second] { while (try? store.restored()) == nil || (try? claim(store)) == nil {} }
      try disclaim(second)
      #expect(try claim(second) == .underWay(request: [1]))
      // So long as its time is not over, by the database's clock, after which it is another's.
      var answer = Commit(table: "t", durability: .full)
      answer.reply = reply(caller: "ann", key: "k", expires: .max)
      #expect(throws: StoreError.superseded) { try second.written(answer) }
      try server.ask("UPDATE tablecast.answer SET expires = floor(extract(epoch FROM clock_timestamp()))", in: address)
      #expect(try claim(second) == .granted)
      #expect(throws: StoreError.superseded) { try first.written(answer) }
      try disclaim(first)
      #expect(try claim(first) == .underWay(request: [1]))
      try second.written(answer)
      #expect(try claim(first) == .answered(answer.reply ?? reply(key: "")))
      // What a commit does is done with its answer, or not at all, so it needs no claim.
      answer.objects = [ObjectChange(row: "1", bytes: [1])]
      #expect(throws: StoreError.superseded) { try first.written(answer) }
      try server.ask("DELETE FROM tablecast.answer", in: address)
      #expect(try claim(second) == .granted)
      try first.written(answer)
    }
  }

  /// What it stands for is under way: it makes no room for answers.
  @Test func aClaimStaysWhereAnswersGo() throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let bounds = ReplyBounds(caller: .init(count: 8, bytes: 1 << 20), store: .init(count: 8, bytes: 1 << 20))
    let (first, second) = (try PostgresStore(address: address, bounds: bounds), try PostgresStore(address: address))
    let key = ReplyKey(caller: "ann", table: "t", scope: "", key: "k")
    #expect(try result { first.claim(key, request: [1], for: .seconds(120), completion: $0) } == .granted)
    for number in 0..<40 {
      var commit = Commit(table: "t", durability: .full)
      // Her own, and all.
      commit.reply = reply(caller: number < 20 ? "ann" : "c\(number)", key: "\(number)", expires: .max)
      try first.written(commit)
    }
    let claim = try result { second.claim(key, request: [1], for: .seconds(120), completion: $0) } as ReplyClaim
    #expect(claim == .underWay(request: [1]))
    try first.closed()
    try second.closed()
  }

  /// As the release before claims: without a stamp.
  @Test func aClaimOfTheReleaseBeforeIsNobodysHere() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      let key = ReplyKey(caller: "ann", table: "t", scope: "", key: "k")
      #expect(try result { first.claim(key, request: [1], for: .seconds(120), completion: $0) } == .granted)
      try server.ask("UPDATE tablecast.answer SET body = ''", in: address)
      for store in [first, second] {
        try result { store.disclaim(key, completion: $0) } as Void
        let claim = try result { store.claim(key, request: [1], for: .seconds(120), completion: $0) } as ReplyClaim
        #expect(claim == .underWay(request: [1]))
      }
    }
  }
}
