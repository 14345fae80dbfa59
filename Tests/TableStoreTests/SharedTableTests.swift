import JSON
import Synchronization
import TableModel
import Testing

@testable import TableStore

/// Two who write one table: who comes second is told, reads what the first has done, and does it again on that.
@Suite struct SharedTableTests {
  private func commit(_ row: String, _ content: String, base: Revision) -> Commit {
    var commit = Commit(table: "t", durability: .full)
    commit.objects = [ObjectChange(row: row, bytes: Array(content.utf8))]
    commit.base = base
    return commit
  }

  /// Commits, each built on the one before.
  private func chain(_ rows: [String], base: Revision) -> [Commit] {
    var base = base
    return rows.map { row in
      let commit = commit(row, row, base: base)
      base = commit.revision ?? base
      return commit
    }
  }

  @Test(arguments: StoreKind.allCases) func whoIsBuiltOnSomethingElseIsSuperseded(kind: StoreKind) throws {
    try kind.withStore { store in
      let base = try store.restored().revision
      let first = commit("1", "first", base: base)
      try store.written(first)
      let revision = try #require(first.revision)
      #expect(throws: StoreError.superseded) { try store.written(commit("1", "second", base: base)) }
      let elsewhere = Revision(number: revision.number, stamp: revision.stamp ^ 1)
      #expect(throws: StoreError.superseded) { try store.written(commit("1", "third", base: elsewhere)) }
      #expect(try store.restored().objects == ["1": Array("first".utf8)])
      let second = commit("2", "second", base: revision)
      try store.written(second)
      #expect(try store.restored().revision == second.revision)
    }
  }

  @Test(arguments: StoreKind.allCases) func whatFailsTakesWithItWhatIsBuiltOnIt(kind: StoreKind) throws {
    try kind.withStore { store in
      let base = try store.restored().revision
      try store.written(commit("0", "theirs", base: base))
      let outcomes = Outcomes()
      for commit in chain(["1", "2", "3"], base: base) { store.commit(commit) { outcomes.add($0) } }
      try result { store.flush(completion: $0) } as Void
      #expect(outcomes.all == [.superseded, .superseded, .superseded])
      #expect(try store.restored().objects.keys.sorted() == ["0"])
    }
  }

  /// A version and the items that it shows are of two records: either both are written or nothing is, the answer too.
  @Test(arguments: StoreKind.allCases) func whatIsWrittenAsOneIsSupersededAsOne(kind: StoreKind) throws {
    try kind.withStore { store in
      var items = try LocalItems(seed: [["a": 1]])
      var seed = Commit(table: "@items.x", durability: .full, items: items.takeChanges())
      seed.base = try store.restored("@items.x").revision
      try store.written(seed)
      func edit(_ key: String, on base: Revision?, items revision: Revision?) throws -> Commit {
        var edited = items
        try edited.insert(["key": .string(key)])
        var commit = commit(key, key, base: try #require(base))
        commit.reply = reply(key: key)
        var part = Commit(table: "@items.x", durability: .full, items: edited.takeChanges())
        part.base = revision
        commit.beside = [part]
        return commit
      }
      let base = try store.restored().revision
      let first = try edit("1", on: base, items: seed.revision)
      let moved = try #require(first.beside.first?.revision)
      try store.written(first)
      #expect(try store.restored().revision == first.revision && store.restored("@items.x").revision == moved)
      for late in [
        try edit("2", on: first.revision, items: seed.revision), try edit("3", on: base, items: moved),
        try edit("4", on: base, items: seed.revision),
      ] {
        #expect(throws: StoreError.superseded) { try store.written(late) }
      }
      #expect(try store.restored().revision == first.revision && store.restored("@items.x").revision == moved)
      #expect(try store.restored("@items.x").items?.count == 2 && store.restored().objects.count == 1)
      for key in ["2", "3", "4"] {
        #expect(try result { store.reply(table: "t", key: key, completion: $0) } as StoredReply? == nil)
      }
      // In a group of commits each on those before it, and one that fails among them.
      let (second, late) = (try edit("5", on: first.revision, items: moved), try edit("6", on: base, items: moved))
      let third = try edit("7", on: second.revision, items: second.beside.first?.revision)
      let outcomes = Outcomes()
      for commit in [second, late, third] { store.commit(commit) { outcomes.add($0) } }
      try result { store.flush(completion: $0) } as Void
      #expect(outcomes.all == [nil, .superseded, nil])
      guard
        case .changes(let changes) = try result({
          store.changes(of: "@items.x", since: moved, completion: $0)
        }) as CatchUp
      else { return #expect(Bool(false), "what was committed lately is known") }
      #expect(changes.revision == third.beside.first?.revision && changes.versions.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func aRecordGetsAnotherName(kind: StoreKind) throws {
    try kind.withStore { store in
      var items = try LocalItems(seed: [["a": 1]])
      for name in ["@items.old", "@items.taken"] {
        try store.written(Commit(table: name, durability: .full, items: items.unwritten(over: nil).takingChanges()))
      }
      let revision = try store.restored("@items.old").revision
      for (old, new) in [("@items.none", "@items.new"), ("@items.old", "@items.taken"), ("@items.old", "@items.new")] {
        try result { store.rename(old, to: new, completion: $0) } as Void
      }
      #expect(try store.restored("@items.old").items == nil && store.restored("@items.taken").items?.count == 1)
      let renamed = try store.restored("@items.new")
      #expect(renamed.items?.count == 1 && renamed.revision == revision)
      items = try #require(renamed.items)
      try items.insert([:])
      var commit = Commit(table: "@items.new", durability: .full, items: items.takeChanges())
      commit.base = revision
      try store.written(commit)
      #expect(try store.restored("@items.new").items?.count == 2)
    }
  }

  /// A table that is made of a record which isn't kept stands where it stood.
  @Test(arguments: StoreKind.allCases) func whatIsNotKeptGetsNoOtherName(kind: StoreKind) throws {
    try kind.withStore { store in
      _ = try store.restored("@items.none")
      let revision = try store.restored("@items.new").revision
      try result { store.rename("@items.none", to: "@items.new", completion: $0) } as Void
      #expect(try store.restored("@items.new").revision == revision)
    }
  }

  /// Who catches up is told the names that records have now.
  @Test(arguments: [StoreKind.memory, .sqlite]) func whoCatchesUpHearsTheNewName(kind: StoreKind) throws {
    try kind.withStore { store in
      let items = try LocalItems(seed: [["a": 1]])
      let seed = items.unwritten(over: nil).takingChanges()
      try store.written(Commit(table: "@items.old", durability: .full, items: seed))
      let base = try store.restored().revision
      var commit = Commit(table: "t", durability: .full)
      commit.base = base
      commit.inputs = InputRevisions(newName: "@items.old")
      try store.written(commit)
      try result { store.rename("@items.old", to: "@items.new", completion: $0) } as Void
      guard case .changes(let changes) = try store.changes(since: base) else {
        return #expect(Bool(false), "what was committed lately is known")
      }
      #expect(changes.inputs == InputRevisions(newName: "@items.new"))
    }
  }

  @Test(arguments: StoreKind.allCases) func anAnswerAloneChangesNoTable(kind: StoreKind) throws {
    try kind.withStore { store in
      let base = try store.restored().revision
      var answer = Commit(table: "t", durability: .full)
      answer.reply = reply(key: "k")
      try store.written(answer)
      try store.written(commit("1", "a", base: base))
      #expect(try store.restored().revision.number == base.number + 1)
    }
  }

  @Test(arguments: StoreKind.allCases) func changesAreWhatWasCommittedSince(kind: StoreKind) throws {
    try kind.withStore { store in
      let versions = TableVersions(initial: table())
      var items = try LocalItems(seed: [["a": 1], ["b": 2]])
      try store.written(Commit(table: "t", durability: .full, items: items.takeChanges()))
      let base = try store.restored().revision
      let follower = items
      try store.write(table([("s", [row("1")])]), to: versions)
      try items.delete(ItemID(rawValue: 1))
      try items.insert(["c": 3], at: .index(0))
      try store.written(Commit(table: "t", durability: .full, items: items.takeChanges()))
      try store.write(table([("s", [row("1"), row("2")])]), to: versions)
      var commit = Commit(table: "t", durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1]), ObjectChange(row: "2", bytes: nil)]
      commit.toggles = [ToggleChange(row: "1", isToggled: true)]
      try store.written(commit)

      guard case .changes(let changes) = try store.changes(since: base) else { throw StoreError.closed }
      #expect(changes.revision == (try store.restored().revision) && changes.revision.number == base.number + 4)
      #expect(changes.versions.map(\.number) == [2, 3])
      #expect(identical(try #require(changes.versions.last?.table), versions.current.table))
      var followed = follower
      followed.apply(try #require(changes.items))
      #expect(followed.map(\.id) == items.map(\.id) && followed.map(\.body) == items.map(\.body))
      #expect(followed.nextID == items.nextID)
      #expect(changes.objects.map(\.row) == ["1", "2"] && changes.toggles.map(\.isToggled) == [true])
      guard case .changes(let none) = try store.changes(since: changes.revision) else { throw StoreError.closed }
      #expect(none.isEmpty && none.revision == changes.revision)
    }
  }

  @Test(arguments: StoreKind.allCases) func whoIsTooFarBehindReadsTheTableAnew(kind: StoreKind) throws {
    try kind.withStore { store in
      let versions = TableVersions(initial: table())
      let base = try store.restored().revision
      for step in 0..<100 { try store.write(table([("s", [row("1", "\(step)")])]), to: versions) }
      guard case .replaced(let stored) = try store.changes(since: base) else { throw StoreError.closed }
      #expect(stored.revision.number == base.number + 100)
      #expect(stored.versions?.all.last?.number == versions.current.number)
      // Where the table never stood there is nothing to go on from.
      for other in [Revision(number: base.number + 101, stamp: 1), Revision(number: base.number + 100, stamp: 1)] {
        guard case .replaced = try store.changes(since: other) else { throw StoreError.closed }
      }
    }
  }

  @Test(arguments: StoreKind.allCases) func aTableThatCameAgainIsNotTakenForTheOneBefore(kind: StoreKind) throws {
    try kind.withStore { store in
      let old = chain(["1", "2", "3"], base: try store.restored().revision)
      for commit in old { try store.written(commit) }
      let last = try #require(old.last?.revision)
      try result { store.remove("t", completion: $0) } as Void
      for commit in chain(["1", "2", "3", "4", "5"], base: try store.restored().revision) { try store.written(commit) }
      #expect(throws: StoreError.superseded) { try store.written(commit("x", "mine", base: last)) }
      guard case .replaced(let stored) = try store.changes(since: last) else { throw StoreError.closed }
      #expect(stored.objects.count == 5)
    }
  }

  @Test(arguments: StoreKind.allCases) func aFamilyGoesWithItsMembers(kind: StoreKind) throws {
    try kind.withStore { store in
      for name in ["t", "t;a=1", "t;a=2", "ta"] {
        var commit = Commit(table: name, durability: .full)
        commit.objects = [ObjectChange(row: "1", bytes: [1])]
        try store.written(commit)
      }
      try result { store.remove("t", completion: $0) } as Void
      let kept = try ["t", "t;a=1", "t;a=2", "ta"].map { try store.restored($0).objects.count }
      #expect(kept == [0, 0, 0, 1])
    }
  }

  @Test(arguments: StoreKind.allCases) func leasesOfOneProcessAreGranted(kind: StoreKind) throws {
    try kind.withStore { store in
      let lease = try #require(
        try result { store.acquire("source", holder: "a", for: Lease.lifetime, completion: $0) }
      )
      #expect(lease.name == "source" && lease.holder == "a")
      #expect(try result { store.renew(lease, for: Lease.lifetime, precedence: [1], handover: nil, completion: $0) })
      try result { store.release(lease, precedence: [2], handover: nil, completion: $0) } as Void
    }
  }
}

/// What a store of one process tells those who observe it.
@Suite struct ObservationTests {
  @Test(arguments: [true, false]) func aRemovalThatFailsIsNotTold(isInMemory: Bool) throws {
    let folder = try TemporaryFolder()
    let store: any Store = isInMemory ? MemoryStore() : try SQLiteStore(path: folder.database)
    let events = Mutex<[StoreEvent]>([])
    let observation = store.observe { event in events.withLock { $0.append(event) } }
    // Told on the store's queue, or at once: before this store can be closed, and after it was.
    try result { store.remove("t", completion: $0) } as Void
    try store.closed()
    #expect(throws: StoreError.closed) { try result { store.remove("u", completion: $0) } as Void }
    // The first call after it that is answered behind it.
    #expect(throws: StoreError.closed) { try store.restored() }
    #expect(events.withLock { $0 } == [.removed(table: "t")])
    withExtendedLifetime(observation) {}
  }

  @Test(arguments: [StoreKind.memory, .sqlite]) func commitsAndRemovalsAreToldWhileTheObservationLasts(kind: StoreKind)
    throws
  {
    try kind.withStore { store in
      let events = Mutex<[StoreEvent]>([])
      let base = try store.restored().revision
      var observation: StoreObservation? = store.observe { event in events.withLock { $0.append(event) } }
      var commit = Commit(table: "t", durability: .full)
      commit.objects = [ObjectChange(row: "1", bytes: [1])]
      commit.base = base
      try store.written(commit)
      let revision = try #require(commit.revision)
      #expect(throws: StoreError.superseded) { try store.written(commit) }
      try result { store.remove("t", completion: $0) } as Void
      try result { store.flush(completion: $0) } as Void
      #expect(
        observation != nil && events.withLock { $0 } == [.moved(table: "t", revision: revision), .removed(table: "t")]
      )
      observation = nil
      commit.base = nil
      try store.written(commit)
      try result { store.flush(completion: $0) } as Void
      #expect(events.withLock { $0.count } == 2)
    }
  }
}

extension LocalItems {
  fileprivate func takingChanges() -> ItemChanges {
    var items = self
    return items.takeChanges()
  }
}
