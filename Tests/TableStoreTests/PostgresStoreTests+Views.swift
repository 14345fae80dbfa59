import Dispatch
import Foundation
import JSON
import Synchronization
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Views that follow their clients from process to process.
extension PostgresStoreTests {
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
