import JSON
import Synchronization
import Testing

@testable import TableStore

func reply(caller: String = "", scope: String = "", key: String, body: Int = 1, expires: Int64 = 100) -> StoredReply {
  StoredReply(
    caller: caller,
    scope: scope,
    key: key,
    request: [1],
    status: 201,
    headers: [.init(name: "Location", value: "/\(key)")],
    body: [UInt8](repeating: 7, count: body),
    expires: expires
  )
}

/// Answers to idempotent requests: whose they are, and how many.
@Suite struct ReplyTests {
  private func keep(_ reply: StoredReply, table: String = "t", in store: any Store) throws {
    var commit = Commit(table: table, durability: .full)
    commit.reply = reply
    try store.written(commit)
  }

  private func find(_ key: ReplyKey, in store: any Store) throws -> StoredReply? {
    try result { store.reply(key, completion: $0) }
  }

  @Test(arguments: StoreKind.allCases) func aKeyIsItsCallersItsTablesAndItsRoutes(kind: StoreKind) throws {
    try kind.withStore { store in
      let mine = reply(caller: "ann", scope: "POST /items", key: "k")
      try keep(mine, in: store)
      let key = ReplyKey(caller: "ann", table: "t", scope: "POST /items", key: "k")
      #expect(try find(key, in: store) == mine)
      let others = [
        ReplyKey(caller: "bob", table: "t", scope: "POST /items", key: "k"),
        ReplyKey(caller: "ann", table: "u", scope: "POST /items", key: "k"),
        ReplyKey(caller: "ann", table: "t", scope: "PATCH /items/1", key: "k"),
        ReplyKey(caller: "ann", table: "t", scope: "POST /items", key: "l"),
        ReplyKey(caller: "", table: "t", scope: "", key: "k"),
      ]
      for other in others { #expect(try find(other, in: store) == nil, "\(other)") }
      try keep(reply(caller: "bob", scope: "POST /items", key: "k", body: 2), in: store)
      #expect(try find(key, in: store) == mine)
      try result { store.remove("t", completion: $0) } as Void
      #expect(try find(key, in: store) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func aCallersOldestMakeRoomForItsOwnAlone(kind: StoreKind) throws {
    let bounds = ReplyBounds(caller: .init(count: 8, bytes: 100_000))
    try kind.withStore(bounds: bounds) { store in
      try keep(reply(caller: "bob", key: "0"), in: store)
      for number in 0..<200 { try keep(reply(caller: "ann", key: "\(number)"), in: store) }
      let kept = try (0..<200).filter {
        try find(ReplyKey(caller: "ann", table: "t", scope: "", key: "\($0)"), in: store) != nil
      }
      #expect(kept.count <= 8 + kind.slack && kept.count >= 7)
      #expect(kept == Array((200 - kept.count)..<200))
      #expect(try find(ReplyKey(caller: "bob", table: "t", scope: "", key: "0"), in: store) != nil)
    }
  }

  /// Of who shows no credentials there may be many.
  @Test(arguments: StoreKind.allCases) func nobodysHaveTheirOwnBound(kind: StoreKind) throws {
    let bounds = ReplyBounds(caller: .init(count: 8, bytes: 100_000), nobody: .init(count: 64, bytes: 100_000))
    try kind.withStore(bounds: bounds) { store in
      for number in 0..<200 { try keep(reply(caller: "", key: "\(number)"), in: store) }
      let kept = try (0..<200).filter {
        try find(ReplyKey(caller: "", table: "t", scope: "", key: "\($0)"), in: store) != nil
      }
      #expect(kept.count <= 64 + kind.slack && kept.count >= 56 && kept.last == 199)
    }
  }

  @Test(arguments: StoreKind.allCases) func bytesAreBoundedAndTheNewestStays(kind: StoreKind) throws {
    let bounds = ReplyBounds(caller: .init(count: 1000, bytes: 10_000))
    try kind.withStore(bounds: bounds) { store in
      for number in 0..<200 { try keep(reply(caller: "ann", key: "\(number)", body: 1000), in: store) }
      let kept = try (0..<200).filter {
        try find(ReplyKey(caller: "ann", table: "t", scope: "", key: "\($0)"), in: store) != nil
      }
      #expect(kept.count <= 9 + kind.slack && kept.count >= 7 && kept.last == 199)
      try keep(reply(caller: "ann", key: "large", body: 50_000), in: store)
      #expect(try find(ReplyKey(caller: "ann", table: "t", scope: "", key: "large"), in: store) != nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func allCallersTogetherAreBounded(kind: StoreKind) throws {
    let bounds = ReplyBounds(store: .init(count: 50, bytes: 1 << 20))
    try kind.withStore(bounds: bounds) { store in
      for number in 0..<400 { try keep(reply(caller: "c\(number)", key: "k"), in: store) }
      let kept = try (0..<400).filter {
        try find(ReplyKey(caller: "c\($0)", table: "t", scope: "", key: "k"), in: store) != nil
      }
      #expect(kept.count <= 50 + kind.slack && kept.count >= 40 && kept.last == 399)
    }
  }

  /// However many answers strangers ask for, half of the store's bound is left to callers with credentials.
  @Test(arguments: StoreKind.allCases) func strangersDoNotDisplaceCallers(kind: StoreKind) throws {
    let bounds = ReplyBounds(nobody: .init(count: 1_000, bytes: 1 << 20), store: .init(count: 64, bytes: 1 << 20))
    try kind.withStore(bounds: bounds) { store in
      for number in 0..<16 { try keep(reply(caller: "c\(number)", key: "k"), in: store) }
      for number in 0..<300 { try keep(reply(caller: "", key: "\(number)"), in: store) }
      for number in 0..<16 {
        let key = ReplyKey(caller: "c\(number)", table: "t", scope: "", key: "k")
        #expect(try find(key, in: store) != nil, "\(number)")
      }
      let strangers = try (0..<300).filter {
        try find(ReplyKey(caller: "", table: "t", scope: "", key: "\($0)"), in: store) != nil
      }
      #expect(strangers.count <= 32 + kind.slack && strangers.count >= 28 && strangers.last == 299)
    }
  }

  /// The bounds that are used where nobody says others: what the documentation promises.
  @Test func theUsualBounds() {
    let bounds = ReplyBounds()
    #expect(bounds.bound(of: "ann").count == 10_000 && bounds.bound(of: "ann").bytes == 16 << 20)
    #expect(bounds.bound(of: "").count == 100_000 && bounds.bound(of: "").bytes == 64 << 20)
    #expect(bounds.store.count == 200_000 && bounds.store.bytes == 256 << 20)
  }

  /// The table whose name is kept counts: the one that was asked, which need not be the commit's.
  @Test func aSizeHasTheNameThatIsKept() {
    var kept = reply(key: "k")
    let size = kept.size(table: "t")
    kept.table = "longer"
    #expect(kept.size(table: "t") == size + 5)
  }

  @Test func whatExpiresIsGone() {
    var ledger = ReplyLedger(bounds: ReplyBounds())
    for number in 0..<10 { ledger.store(reply(key: "\(number)", expires: 100 + Int64(number)), table: "t", now: 0) }
    ledger.store(reply(key: "0", expires: 200), table: "t", now: 0)
    #expect(ledger.sum.count == 10)
    ledger.store(reply(key: "x", expires: 300), table: "t", now: 105)
    #expect(ledger.sum.count == 6)
  }
}
