import Definitions
import Foundation
import Synchronization
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// A replica takes another configuration over while others write. The engines hear nothing of each other but by looking, as they are
/// not started.
@Suite struct ReplicaReloadTests {
  private let items = ItemLogTests()

  private func definition(_ source: String, table: String = "a", generation: Int) throws -> ServiceDefinition {
    try ServiceDefinition.read(
      """
      generation: \(generation)
      sources: {\(source): {local: {items: [{title: A}, {title: B}]}}}
      cells: {Label: {fields: {title: string}}}
      tables: {\(table): {source: \(source), cell: Label, payload: {title: "${title}"}}}
      """
    )
  }

  private func withTwo(_ body: (PostgresStore, PostgresStore) throws -> Void) throws {
    let address = try PostgresServer.shared.get().newDatabase()
    let stores = try (0..<2).map { _ in try PostgresStore(address: address, history: 8) }
    try body(stores[0], stores[1])
    for store in stores { try done { store.close(completion: $0) } }
  }

  /// Waits for what a store is asked.
  private func done(_ body: (@escaping @Sendable (Result<Void, StoreError>) -> Void) -> Void) throws {
    let result = Monitor<Result<Void, StoreError>?>(nil)
    body { outcome in result.change { $0 = outcome } }
    try result.wait(for: "the store") { $0 }.get()
  }

  /// The items had the name that the new configuration has, as another replica had it, and were given the old one back since this one
  /// looked.
  @Test func itemsThatHaveHadTheNewName() throws {
    try withTwo { store, others in
      let engine = try Engine(definition("works", generation: 0), .silent(store))
      _ = try items.add("C", to: engine.catalog.tablesByName["a"]).answer()
      try done { others.rename("@items.works", to: "@items.tasks", completion: $0) }
      #expect(try items.titles(engine.catalog.tablesByName["a"]) == ["A", "B", "C"])
      #expect(engine.catalog.logs["works"]?.storedName == "@items.tasks")
      try done { others.rename("@items.tasks", to: "@items.works", completion: $0) }
      try engine.adopt(try engine.prepare(definition("tasks", generation: 1)))
      #expect(try items.titles(engine.catalog.tablesByName["a"]) == ["A", "B", "C"])
    }
  }

  /// The items have another name by now, and no table's record tells: that of a table that shows them was read before they had.
  @Test func itemsThatNoTableLeadsTo() throws {
    try withTwo { store, others in
      let engine = try Engine(definition("tasks", generation: 1), .silent(store))
      _ = try items.add("C", to: engine.catalog.tablesByName["a"]).answer()
      try done { others.rename("@items.tasks", to: "@items.works", completion: $0) }
      let other = try Engine(definition("tasks", table: "b", generation: 0), .silent(others))
      #expect(try items.titles(other.catalog.tablesByName["b"]) == ["A", "B", "C"])
      _ = try items.add("D", to: other.catalog.tablesByName["b"]).answer()
      #expect(try items.titles(engine.catalog.tablesByName["a"]) == ["A", "B", "C", "D"])
    }
  }

  /// The table in a table's place was read before another replica's edit, which the former one has shown: whoever has seen that waits
  /// there for its version.
  @Test func aPollThatTheFormerTableHasShownMore() throws {
    try withTwo { store, others in
      let engine = try Engine(definition("tasks", generation: 0), .silent(store))
      let other = try Engine(definition("tasks", generation: 0), .silent(others))
      let former = try #require(engine.catalog.tablesByName["a"])
      let next = try engine.prepare(definition("works", generation: 1))
      _ = try items.add("C", to: other.catalog.tablesByName["a"]).answer()
      #expect(try items.titles(former) == ["A", "B", "C"])
      let seen = former.current.cursor
      try engine.adopt(next)
      let present = former.latest
      #expect(present !== former)
      let query = TableQuery(.changes(after: seen), Lens())
      #expect(present.state(for: query).isCurrent)
      #expect(try items.titles(present) == ["A", "B", "C"] && present.current.cursor == seen)
    }
  }

  /// While what others have written is taken over, a poll that has seen it elsewhere waits: it is never told of the version before.
  @Test func aPollThatHasSeenWhatIsJustTakenOver() throws {
    try withTwo { store, others in
      let engine = try Engine(definition("tasks", generation: 0), .silent(store))
      let other = try Engine(definition("tasks", generation: 0), .silent(others))
      for number in 0..<60 { _ = try items.add("\(number)", to: other.catalog.tablesByName["a"]).answer() }
      let table = try #require(engine.catalog.tablesByName["a"])
      let seen = try #require(other.catalog.tablesByName["a"]).current.cursor
      // It has looked before, and could not for a while.
      table.reader.noteLook(isRead: true)
      table.reader.noteLook(isRead: false)
      let query = TableQuery(.changes(after: seen), Lens())
      let told = Monitor<(looks: Int, isOver: Bool, others: [Cursor])>((0, false, []))
      Thread.detachNewThread {
        while true {
          let state = table.state(for: query)
          let isOver = told.change { told in
            told.looks += 1
            if !state.isCurrent || state.to != seen { told.others.append(state.to) }
            told.isOver = table.current.cursor == seen
            return told.isOver
          }
          if isOver { break }
        }
      }
      try told.wait(for: "a first look") { $0.looks > 0 ? () : nil }
      _ = try items.titles(table)
      let others = try told.wait(for: "the version") { $0.isOver ? $0.others : nil }
      #expect(others.isEmpty)
    }
  }

  /// Another replica has come to lead, and does not know that the member is read here, which has not been heard here yet.
  @Test func aMemberThatTheLeaderBeforeHasKeptUp() throws {
    try withTwo { store, others in
      let definition = try ServiceDefinition.read(
        """
        sources: {tasks: {local: {items: [{title: A}]}}}
        cells: {Label: {fields: {title: string}}}
        tables: {by: {parameters: {q: {}}, source: tasks, cell: Label, payload: {title: "${title} ${$params.q}"}}}
        """
      )
      let engine = try Engine(definition, .silent(store))
      var budget = MemberBudget(.max)
      let reference = try #require(TableReference(segment: "by;q=a"))
      let table = try engine.catalog.table(reference, in: nil, for: CallerFields([]), &budget)
      try #require(table.isShared)
      func lead(_ holder: String) throws -> UInt64 {
        let lease = Monitor<Lease?>(nil)
        others.acquire(Replica.leaseName, holder: holder, for: .seconds(60)) { found in
          lease.change { $0 = (try? found.get()) ?? nil }
        }
        return try lease.wait(for: "a lease") { $0?.term }
      }
      /// How often it was read, and what came of it.
      func read() throws -> (count: Int, outcome: LookOutcome) {
        let (count, outcome) = (Monitor(0), Monitor<LookOutcome?>(nil))
        let body: KeptMember.Reading = { completion in
          count.change { $0 += 1 }
          completion(.read)
        }
        KeptMember(table: table).whenKeptUp(read: body) { found in outcome.change { $0 = found } }
        let last = try outcome.wait(for: "an outcome") { $0 }
        return (count.current, last)
      }
      let term = try lead("the first")
      table.upkeep.withLock { $0.follow(since: 0, leader: term) }
      var first = try read()
      // The database may have much to do.
      for _ in 0..<30 where first.outcome == .late { first = try read() }
      #expect(first == (1, .read))
      _ = try lead("the first")
      // Nobody answers who would keep it up.
      #expect(try read().outcome == .late)
      #expect(try read() == (0, .late), "and it is read no more without that")
    }
  }
}
