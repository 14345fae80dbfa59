import Dispatch
import Foundation
import JSON
import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// What processes share beside tables: leases, answers, views.
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

  @Test func aTappedViewFollowsItsClientAndOfTwoTapsOneIsFirst() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      let table = Epoch(rawValue: 7)
      func keep(_ view: StoredView, after base: StoredView?, in store: PostgresStore) throws -> Bool {
        try result { store.keep(view, of: nil, after: base, for: .seconds(1800), answer: nil, completion: $0) }
      }
      func kept(_ store: PostgresStore, _ table: Epoch = Epoch(rawValue: 7)) throws -> KeptView? {
        try result { store.view("v", of: table, completion: $0) }
      }
      #expect(try kept(first) == nil)
      let toggle = StoredView.Toggle(row: "r\u{0}1", from: 1, until: .max)
      let one = StoredView(
        table: table,
        name: "v",
        holder: .max,
        incarnation: .max,
        taps: 1,
        oldestTap: 0,
        toggles: [toggle]
      )
      #expect(try keep(one, after: nil, in: first))
      let found = try #require(try kept(second))
      #expect(found.view == one && found.remaining > .seconds(1790) && found.remaining <= .seconds(1800))
      #expect(try kept(second, Epoch(rawValue: 8)) == nil)
      #expect(!(try keep(one, after: nil, in: second)))
      var two = one
      two.taps = 2
      #expect(try keep(two, after: one, in: second))
      #expect(!(try keep(two, after: one, in: first)))
      try result { first.prolong("v", of: table, for: .seconds(3600), completion: $0) }
      #expect(try #require(try kept(second)).remaining > .seconds(3590))
      #expect(try result { second.views(atMost: 10, completion: $0) } == [two])
      // After half an hour nobody knows it.
      try server.ask("UPDATE tablecast.view SET expires = clock_timestamp()", in: address)
      try result { first.prolong("v", of: table, for: .seconds(3600), completion: $0) }
      #expect(try kept(first) == nil)
      #expect(try result { second.views(atMost: 10, completion: $0) } == [])
      #expect(try keep(one, after: nil, in: first))
    }
  }

  /// An expired view that another caller begins anew is that one's. One that another release has written is forgotten.
  @Test func aViewIsBegunAnew() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.newDatabase()
    try withTwo(at: address) { first, second in
      var view = StoredView.tappedOnce(of: Epoch(rawValue: 7))
      func keep(_ view: StoredView, after base: StoredView?) throws -> Bool {
        try result { first.keep(view, of: nil, after: base, for: .seconds(1800), answer: nil, completion: $0) }
      }
      func kept() throws -> StoredView? {
        (try result { second.view("v", of: Epoch(rawValue: 7), completion: $0) } as KeptView?)?.view
      }
      #expect(try keep(view, after: nil))
      try server.ask("UPDATE tablecast.view SET expires = clock_timestamp()", in: address)
      view.holder = 5
      #expect(try keep(view, after: nil) && kept() == view)
      var tapped = view
      (tapped.taps, tapped.holder) = (2, 6)
      #expect(try keep(tapped, after: view) && kept()?.holder == 5)
      try server.ask("UPDATE tablecast.view SET state = '\\x03'::bytea || substr(state, 2)", in: address)
      #expect(try kept() == nil)
      #expect(try !keep(tapped, after: view))
      #expect(try keep(view, after: nil) && kept() == view)
    }
  }

  /// Who has not heard yet that a table has begun another epoch counts no tap in a view of the one before.
  @Test func aTapIsOfTheEpochInWhichTheTableStands() throws {
    try withTwo { first, second in
      let versions = TableVersions(initial: table(), history: 8, historyBytes: .max, restored: nil)
      try first.written(Commit(table: "t", durability: .full, version: versions.current))
      func keep(_ table: Epoch, of record: String, answered key: String?) throws -> Bool {
        let view = StoredView.tappedOnce(of: table)
        let answer = key.map { TapReply(table: "t", reply: reply(caller: "ann", key: $0, expires: .max)) }
        return try result {
          second.keep(view, of: record, after: nil, for: .seconds(1800), answer: answer, completion: $0)
        }
      }
      let other = Epoch(rawValue: versions.epoch.rawValue ^ 1)
      for key in [nil, "k"] {
        #expect(try !keep(other, of: "t", answered: key) && !keep(versions.epoch, of: "u", answered: key))
      }
      #expect(try keep(versions.epoch, of: "t", answered: "k"))
      #expect(try result { first.view("v", of: versions.epoch, completion: $0) } as KeptView? != nil)
      #expect(try result { first.view("v", of: other, completion: $0) } as KeptView? == nil)
    }
  }

  /// Of too many views the oldest of whoever holds most go, one after the other.
  @Test func viewsHaveABoundInTheStore() throws {
    try withTwo { first, second in
      let table = Epoch(rawValue: 7)
      func keep(_ name: String, of holder: UInt64, for lifetime: Duration = .seconds(1800)) throws {
        let toggle = StoredView.Toggle(row: "r", from: 1, until: .max)
        let view = StoredView(
          table: table,
          name: name,
          holder: holder,
          incarnation: 1,
          taps: 1,
          oldestTap: 0,
          toggles: [toggle]
        )
        #expect(try result { first.keep(view, of: nil, after: nil, for: lifetime, answer: nil, completion: $0) })
      }
      func names() throws -> Set<String> {
        Set(try result { second.views(atMost: 100, completion: $0) }.map(\.name))
      }
      for name in ["a", "b"] { try keep(name, of: 1) }
      for number in 0..<30 { try keep("g\(number)", of: .max) }
      try keep("c", of: 2)
      // Its oldest one is used meanwhile.
      try result { second.prolong("g0", of: table, for: .seconds(1800), completion: $0) } as Void
      try result { second.limitViews(to: 8, completion: $0) } as Void
      #expect(try names() == ["a", "b", "c", "g0", "g26", "g27", "g28", "g29"])
      #expect(try result { second.view("g0", of: table, completion: $0) }?.view.holder == .max)
      try result { second.limitViews(to: 5, completion: $0) } as Void
      #expect(try names() == ["a", "b", "c", "g0", "g29"])
      try result { second.limitViews(to: 8, completion: $0) } as Void
      #expect(try names().count == 5)
    }
  }

  /// A tap and its answer are one: who ends in between has done both, or neither, and a repeat toggles nothing.
  @Test func aTapIsKeptWithItsAnswerOrNotAtAll() throws {
    try withTwo { first, second in
      let table = Epoch(rawValue: 7)
      let key = ReplyKey(caller: "ann", table: "t", scope: "POST /tap", key: "k")
      func kept(_ key: String) throws -> StoredReply? {
        let key = ReplyKey(caller: "ann", table: "t", scope: "POST /tap", key: key)
        return try result { second.reply(key, completion: $0) }
      }
      func keep(_ view: StoredView, after base: StoredView?, _ key: String, _ body: Int) throws -> Bool {
        let answer = TapReply(
          table: "t",
          reply: reply(caller: "ann", scope: "POST /tap", key: key, body: body, expires: .max)
        )
        return try result {
          first.keep(view, of: nil, after: base, for: .seconds(1800), answer: answer, completion: $0)
        }
      }
      guard case .granted = try result({ first.claim(key, request: [1], for: .seconds(5), completion: $0) }) else {
        Issue.record("the key is free")
        return
      }
      let one = StoredView.tappedOnce(of: table)
      #expect(try keep(one, after: nil, "k", 1))
      // As whoever repeats it finds it, wherever: without another call.
      #expect(try kept("k")?.body == [7] && kept("k")?.status == 201)
      guard case .answered = try result({ second.claim(key, request: [1], for: .seconds(5), completion: $0) }) else {
        Issue.record("it is answered")
        return
      }
      // A tap that another one came before is neither kept nor answered.
      #expect(try !keep(one, after: nil, "l", 2))
      #expect(try kept("l") == nil)
      // An answer stays, and what it is of is not done once more.
      var two = one
      two.taps = 2
      #expect(throws: StoreError.superseded) { try keep(two, after: one, "k", 3) }
      #expect(try kept("k")?.body == [7])
      #expect(try result { first.view("v", of: table, completion: $0) }?.view == one)
      // So it is with what another process has in hand.
      let third = ReplyKey(caller: "ann", table: "t", scope: "POST /tap", key: "m")
      #expect(try result { second.claim(third, request: [1], for: .seconds(60), completion: $0) } == .granted)
      #expect(throws: StoreError.superseded) { try keep(two, after: one, "m", 4) }
      #expect(try kept("m") == nil)
      try result { second.disclaim(third, completion: $0) } as Void
      #expect(try keep(two, after: one, "m", 4) && kept("m")?.body == [7, 7, 7, 7])
    }
  }

  /// A claim is one process's: it gets it again, and nobody else gives it back or answers in its place.
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

extension StoredView {
  /// A view in which one row is open.
  fileprivate static func tappedOnce(of table: Epoch) -> StoredView {
    let toggle = Toggle(row: "r", from: 1, until: .max)
    return StoredView(
      table: table,
      name: "v",
      holder: .max,
      incarnation: 3,
      taps: 1,
      oldestTap: 0,
      toggles: [toggle]
    )
  }
}
