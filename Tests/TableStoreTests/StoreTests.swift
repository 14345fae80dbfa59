import Dispatch
import JSON
import Synchronization
import TableModel
import Testing

@testable import TableStore

/// What every store does, told of each.
@Suite struct StoreTests {
  @Test(arguments: StoreKind.allCases) func nothingIsStoredOfAnUnknownTable(kind: StoreKind) throws {
    try kind.withStore { store in
      let stored = try store.restored("new")
      #expect(stored.versions == nil && stored.items == nil && stored.objects.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func aCommitIsFoundWhole(kind: StoreKind) throws {
    try kind.withStore { store in
      let versions = TableVersions(initial: table())
      var items = try LocalItems(seed: [["a": 1], ["b": 2]])
      try items.move(ItemID(rawValue: 2), to: .index(0))
      var commit = Commit(table: "t", durability: .full)
      commit.version = versions.prepare(table([("s", [row("1")])], header: "h"))
      commit.items = items.takeChanges()
      commit.objects = [ObjectChange(row: "1", bytes: [1, 2]), ObjectChange(row: "2", bytes: [])]
      commit.toggles = [ToggleChange(row: "1", isToggled: true), ToggleChange(row: "2", isToggled: false)]
      let reply = StoredReply(
        key: "k",
        request: [9],
        status: 201,
        headers: [.init(name: "Location", value: "/x")],
        body: [7],
        expires: 10
      )
      commit.reply = reply
      try store.written(commit)
      let stored = try store.restored()
      #expect(stored.versions?.epoch == versions.epoch)
      #expect(stored.versions?.all.map(\.number) == [2])
      #expect(identical(try #require(stored.versions?.all.last?.table), table([("s", [row("1")])], header: "h")))
      #expect(stored.items?.map(\.id.rawValue) == [2, 1])
      #expect(stored.items?.map(\.body) == items.map(\.body))
      #expect(stored.objects == ["1": [1, 2], "2": []])
      #expect(stored.toggled == ["1"])
      #expect(try result { store.reply(table: "t", key: "k", completion: $0) } == reply)
      #expect(try result { store.reply(table: "u", key: "k", completion: $0) } == nil)
    }
  }

  /// Rows whose names differ only in spelling, which Swift's strings hold equal.
  @Test(arguments: StoreKind.allCases) func rowsAreToldApartByTheirBytes(kind: StoreKind) throws {
    try kind.withStore { store in
      let (composed, decomposed) = ("\u{E9}", "e\u{301}")
      let versions = TableVersions(initial: table())
      func write(_ title: String, _ objects: [ObjectChange], _ toggles: [ToggleChange]) throws {
        let rows = [row(composed, title), row(decomposed, title)]
        let version = try #require(versions.prepare(table([("s", rows)])))
        var commit = Commit(table: "t", durability: .full, version: version)
        (commit.objects, commit.toggles) = (objects, toggles)
        try store.written(commit)
        versions.publish(version)
      }
      // A store may look for them in the order of the rows first.
      let objects = [ObjectChange(row: decomposed, bytes: [2]), ObjectChange(row: composed, bytes: [1])]
      try write("one", objects, [composed, decomposed].map { ToggleChange(row: $0, isToggled: true) })
      var stored = try store.restored()
      #expect(stored.objects == ["\u{E9}": [1], "e\u{301}": [2]])
      #expect(stored.toggled == ["\u{E9}", "e\u{301}"])
      // The other one's object stays what it was, though its row is another one now.
      try write(
        "two",
        [ObjectChange(row: composed, bytes: [3])],
        [ToggleChange(row: composed, isToggled: false)]
      )
      stored = try store.restored()
      #expect(stored.objects == ["\u{E9}": [3], "e\u{301}": [2]])
      #expect(stored.toggled == ["e\u{301}"])
    }
  }

  @Test(arguments: StoreKind.allCases) func itemsThatWereAllDeletedAreNotSeededAgain(kind: StoreKind) throws {
    try kind.withStore { store in
      var items = try LocalItems(seed: [[:]])
      try store.written(Commit(table: "t", durability: .full, items: items.takeChanges()))
      try items.delete(ItemID(rawValue: 1))
      try store.written(Commit(table: "t", durability: .full, items: items.takeChanges()))
      var stored = try #require(try store.restored().items)
      #expect(stored.isEmpty)
      #expect(try stored.insert([:]).id.rawValue == 2)
    }
  }

  @Test(arguments: StoreKind.allCases) func repliesExpire(kind: StoreKind) throws {
    let clock = Mutex<Int64>(0)
    try kind.withStore(now: { clock.withLock { $0 } }) { store in
      var commit = Commit(table: "t", durability: .full)
      commit.reply = StoredReply(key: "k", request: [], status: 200, headers: [], body: [], expires: 100)
      try store.written(commit)
      for (time, isThere) in [(99, true), (100, false), (1000, false)] as [(Int64, Bool)] {
        clock.withLock { $0 = time }
        #expect((try result { store.reply(table: "t", key: "k", completion: $0) } != nil) == isThere)
      }
    }
  }

  @Test(arguments: StoreKind.allCases) func aVersionOutOfLineIsSupersededWithAllOfItsCommit(kind: StoreKind)
    throws
  {
    try kind.withStore { store in
      let versions = TableVersions(initial: table())
      let second = try #require(versions.prepare(table([("s", [row("1")])])))
      let third = try #require(versions.prepare(table([("s", [row("2")])])))
      let fourth = try #require(versions.prepare(table([("s", [row("3")])])))
      try store.written(Commit(table: "t", durability: .full, version: second))
      var commit = Commit(table: "t", durability: .full, version: fourth)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      #expect(throws: StoreError.superseded) { try store.written(commit) }
      #expect(try store.restored().objects.isEmpty)
      try store.written(Commit(table: "t", durability: .full, version: third))
      #expect(try store.restored().versions?.all.map(\.number) == [2, 3])
    }
  }

  @Test(arguments: StoreKind.allCases) func anotherEpochReplacesTheVersions(kind: StoreKind) throws {
    try kind.withStore { store in
      try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
      let versions = TableVersions(initial: table())
      try store.write(table([("s", [row("2")])]), to: versions)
      #expect(try store.restored().versions?.epoch == versions.epoch)
      #expect(try store.restored().versions?.all.count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases) func aRemovedTableIsForgotten(kind: StoreKind) throws {
    try kind.withStore { store in
      var items = try LocalItems(seed: [[:]])
      try store.written(Commit(table: "t", durability: .full, items: items.takeChanges()))
      try store.write(table([("s", [row("1")])]), to: TableVersions(initial: table()))
      try result { store.remove("t", completion: $0) } as Void
      #expect(try store.restored().versions == nil)
      #expect(try store.restored().items == nil)
    }
  }

  @Test(arguments: StoreKind.allCases) func callersThatMayBlockWriteBesideEachOther(kind: StoreKind) throws {
    try kind.withStore { store in
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { table in
        for number in 0..<50 {
          var commit = Commit(table: "t\(table)", durability: .full)
          commit.objects = [ObjectChange(row: "\(number)", bytes: [UInt8(number)])]
          let done = DispatchSemaphore(value: 0)
          store.commit(commit, mayBlock: table % 4 > 0) { result in
            if case .failure(let error) = result { failures.withLock { $0.append("\(table)/\(number): \(error)") } }
            done.signal()
          }
          done.wait()
        }
      }
      #expect(failures.withLock { $0 } == [])
      let kept = try (0..<8).map { try store.restored("t\($0)").objects.count }
      #expect(kept == Array(repeating: 50, count: 8))
    }
  }

  @Test(arguments: StoreKind.allCases) func completionsComeInOrderAndAfterCloseFail(kind: StoreKind) throws {
    try kind.withStore { store in
      let order = Mutex<[Int]>([])
      for number in 0..<200 {
        var commit = Commit(table: "t\(number % 3)", durability: number % 2 == 0 ? .full : .process)
        commit.objects = [ObjectChange(row: "1", bytes: [UInt8(number)])]
        store.commit(commit, mayBlock: number % 5 > 1) { _ in order.withLock { $0.append(number) } }
      }
      try result { store.flush(completion: $0) } as Void
      #expect(order.withLock { $0 } == Array(0..<200))
    }
    let store = MemoryStore()
    try store.closed()
    #expect(throws: StoreError.closed) { try store.restored() }
  }
}
