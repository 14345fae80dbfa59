import Definitions
import Foundation
import Queues
import Synchronization
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// Items under other configurations, and under other names of their source.
extension ItemLogTests {
  /// Tables before and after, each with the source that it shows.
  private static let changes: [(before: [String: String], after: [String: String])] = [
    (["a": "notes"], ["b": "notes"]),  // The only table gets another name.
    (["a": "notes"], ["a": "other"]),  // The source does.
    (["a": "notes", "b": "tasks"], ["a": "tasks", "b": "notes"]),  // Two are exchanged.
    (["a": "notes", "b": "notes"], ["b": "notes"]),
    (["a": "notes"], ["b": "notes", "a": "notes"]),
  ]

  @Test(arguments: changes.indices, [false, true]) func itemsStay(_ number: Int, isRestarted: Bool) throws {
    let (before, after) = Self.changes[number]
    var engine = try engine(before)
    var expected: [String: [String]] = [:]
    for (table, source) in before {
      _ = try add("by \(table)", to: engine.catalog.tablesByName[table]).answer()
      expected[source, default: ["A", "B"]].append("by \(table)")
    }
    // Another name of a source stands for what the table has shown.
    if expected[after["a"] ?? "notes"] == nil { expected["other"] = expected["notes"] }
    if isRestarted { engine = try self.engine(after) } else { try engine.adopt(try engine.prepare(definition(after))) }
    for (table, source) in after {
      let live = engine.catalog.tablesByName[table]
      #expect(try titles(live).sorted() == expected[source]?.sorted(), "\(table)")
      _ = try add("again", to: live).answer()
      expected[source]?.append("again")
    }
    // And back.
    if isRestarted {
      engine = try self.engine(before)
    } else {
      try engine.adopt(try engine.prepare(definition(before)))
    }
    for (table, source) in before {
      let items = expected[number == 1 ? "other" : source]
      #expect(try titles(engine.catalog.tablesByName[table]).sorted() == items?.sorted(), "\(table)")
    }
  }

  /// A source whose items can't be stored under its new name: the configuration is given up, and all goes on as it was.
  @Test func aNameThatCanNotBeStoredGivesTheConfigurationUp() throws {
    let engine = try engine(["a": "notes"])
    let table = try #require(engine.catalog.tablesByName["a"])
    store.namingFailures.withLock { $0 = [(.full, false)] }
    let next = try engine.prepare(definition(["a": "tasks"]))
    #expect(throws: StartError.self) { try engine.adopt(next) }
    #expect(engine.catalog.tablesByName["a"] === table)
    _ = try add("C", to: table).answer()
    #expect(try titles(table) == ["A", "B", "C"])
    try engine.adopt(try engine.prepare(definition(["a": "tasks"])))
    #expect(try titles(engine.catalog.tablesByName["a"]) == ["A", "B", "C"])
  }

  /// The store stops while a source's items are given another name, and has done it: they are found after a start, whatever the
  /// configuration calls their source then.
  @Test(arguments: ["notes", "tasks"]) func aNameOfWhichNobodyKnowsIsFound(source: String) throws {
    let engine = try engine(["a": "notes"])
    _ = try add("C", to: engine.catalog.tablesByName["a"]).answer()
    store.namingFailures.withLock { $0 = [(.failed("nobody knows"), true), (.full, false)] }
    let next = try engine.prepare(definition(["a": "tasks"]))
    #expect(throws: StartError.self) { try engine.adopt(next) }
    let started = try self.engine(["a": source])
    _ = try add("D", to: started.catalog.tablesByName["a"]).answer()
    #expect(try titles(started.catalog.tablesByName["a"]) == ["A", "B", "C", "D"])
  }

  /// The database can't be reached while a source's items are given another name, and has done it: all goes on as it was, with the
  /// items under their new name, and under whichever they are given next.
  @Test func itemsAreFoundUnderANameThatMayBeStored() throws {
    let engine = try engine(["a": "notes"])
    _ = try add("C", to: engine.catalog.tablesByName["a"]).answer()
    let away = StoreError.unavailable("away")
    store.namingFailures.withLock { $0 = [(away, true), (away, false)] }
    let next = try engine.prepare(definition(["a": "tasks"]))
    #expect(throws: StartError.self) { try engine.adopt(next) }
    _ = try add("D", to: engine.catalog.tablesByName["a"]).answer()
    for source in ["notes", "tasks"] {
      try engine.adopt(try engine.prepare(definition(["a": source])))
      #expect(try titles(engine.catalog.tablesByName["a"]) == ["A", "B", "C", "D"], "\(source)")
    }
  }

  /// A start has read that there is nothing when another process stores the first items, and gives them another name.
  @Test func aStartThatIsOvertaken() throws {
    let memory = MemoryStore()
    let (late, store) = (GatedStore(memory), GatedStore(memory))
    late.shut()
    let definition = try definition(["a": "notes"])
    let start = Background("a start") { try Engine(definition, EngineEnvironment.silent(late)) }
    for _ in 0..<6000 where late.waitingCount == 0 { usleep(10_000) }
    let other = try Engine(definition, EngineEnvironment.silent(store))
    _ = try add("C", to: other.catalog.tablesByName["a"]).answer()
    try other.adopt(try other.prepare(self.definition(["a": "tasks"])))
    late.open()
    late.release()
    #expect(try titles(start.value().catalog.tablesByName["a"]) == ["A", "B", "C"])
  }

  /// No table shows them, and not even their source is there, until a table does again.
  @Test(arguments: [false, true]) func itemsOutliveTheirTablesAndTheirSource(hasSource: Bool) throws {
    let engine = try engine(["a": "notes", "x": "tasks"])
    _ = try add("C", to: engine.catalog.tablesByName["a"]).answer()
    try engine.adopt(try engine.prepare(definition(["x": "tasks"], sources: hasSource ? ["notes"] : [])))
    #expect(engine.catalog.tablesByName["a"] == nil)
    try engine.adopt(try engine.prepare(definition(["a": "notes", "x": "tasks"])))
    #expect(try titles(engine.catalog.tablesByName["a"]) == ["A", "B", "C"])
  }

  /// An edit is on its way while its own table goes on, and another one of the same items goes: nothing waits for that, and the
  /// answered cursor has the edit.
  @Test func anEditDuringAReload() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let table = try #require(engine.catalog.tablesByName["b"])
    store.shut()
    let edit = try add("C", to: table, key: "once")
    try awaitCommits(1, engine)
    let next = try engine.prepare(definition(["b": "notes"]))
    store.release()
    let answer = try edit.answer()
    let version = try #require(table.writer.versions.version(answer.cursor.version))
    #expect(answer.cursor.epoch == version.cursor.epoch && Self.titles(version.table) == ["A", "B", "C"])
    store.open()
    try engine.adopt(next)
    #expect(engine.catalog.tablesByName["b"] === table)
    let again = try add("C", to: table, key: "once").answer()
    #expect(again.cursor == answer.cursor && again.rows == answer.rows)
    #expect(try titles(table) == ["A", "B", "C"])
  }

  /// A table that a reload makes has what another one took while it was made, from its first version on; so has its stored version.
  @Test func anEditWhileANewTableIsMade() throws {
    var engine = try engine(["a": "notes"])
    let next = try engine.prepare(definition(["a": "notes", "b": "notes"]))
    _ = try add("C", to: engine.catalog.tablesByName["a"]).answer()
    try engine.adopt(next)
    let first = try #require(engine.catalog.tablesByName["b"]?.writer.versions.current)
    #expect(Self.titles(first.table) == ["A", "B", "C"])
    engine = try self.engine(["a": "notes", "b": "notes"])
    let restored = try #require(engine.catalog.tablesByName["b"]?.writer.versions.current)
    #expect(Self.titles(restored.table) == ["A", "B", "C"] && restored.cursor == first.cursor)
  }

  /// A request that began by the configuration before finds a table that is told of no edit any more: it is not shown as it was left,
  /// not even before its queue has come to its end.
  @Test func aReadOfATableThatIsNoLongerThere() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let former = try #require(engine.catalog.tablesByName["a"])
    let goOn = DispatchSemaphore(value: 0)
    former.writer.content.queue.async { goOn.wait() }
    try engine.adopt(try engine.prepare(definition(["b": "notes"])))
    _ = try add("C", to: engine.catalog.tablesByName["b"]).answer()
    #expect(former.mayBeBehind && former.absence == .isGone("a"))
    goOn.signal()
  }

  /// A read waits until it is known whether its table goes on, and finds the table gone when it is told.
  @Test func aReadThatWaitsForItsTablesEnd() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let former = try #require(engine.catalog.tablesByName["b"])
    let next = try engine.prepare(definition(["a": "tasks"]))
    // A commit that the table has not shown, and will not.
    former.writer.following.add(1, ordering: .sequentiallyConsistent)
    let found = Mutex<TableError?>(nil)
    let told = DispatchSemaphore(value: 0)
    former.readBarrier(view: nil) { _, _ in
      found.withLock { $0 = former.absence }
      told.signal()
    }
    let adopted = DispatchSemaphore(value: 0)
    // Who ends the table gets no further than to its items before the read goes on.
    former.writer.otherLogs.withLock { _ in
      DispatchQueue.global().async {
        _ = try? engine.adopt(next)
        adopted.signal()
      }
      told.wait()
    }
    adopted.wait()
    #expect(found.withLock { $0 } == .isGone("b"))
  }

  /// A read waits until it is known what becomes of a family's member, and that has made room: another one is made for it.
  @Test func aReadThatWaitsForAMemberThatMakesRoom() throws {
    let definition = { (parameter: String) in
      try ServiceDefinition.read(
        """
        sources: {notes: {local: {items: [{title: A}]}}}
        cells: {Label: {fields: {title: string}}}
        tables: {some: {source: notes, parameters: {\(parameter): {}}, cell: Label, payload: {title: "${title}"}}}
        """
      )
    }
    let engine = try Engine(definition("part"), EngineEnvironment.silent(store))
    let member = { (parameter: String) in
      var budget = MemberBudget()
      let reference = TableReference(name: "some", parameters: [.init(name: parameter, value: "x")])
      return try engine.catalog.table(reference, in: nil, for: CallerFields([]), &budget)
    }
    let former = try member("part")
    former.writer.following.add(1, ordering: .sequentiallyConsistent)
    try engine.adopt(try engine.prepare(definition("other")))
    let hasMadeRoom = Mutex(false)
    let told = DispatchSemaphore(value: 0)
    former.readBarrier(view: nil) { _, _ in
      hasMadeRoom.withLock { $0 = former.hasMadeRoom }
      told.signal()
    }
    #expect(told.wait(timeout: .now() + 60) == .success)
    #expect(hasMadeRoom.withLock { $0 })
    let present = try member("other")
    #expect(!present.hasMadeRoom && Self.titles(present.current.table) == ["A"])
  }

  /// A read has found a table in whose place a reload has put another one: it is of that one, which does not show yet what is answered.
  @Test func aReadOfATableThatWasReplaced() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let former = try #require(engine.catalog.tablesByName["a"])
    try engine.adopt(try engine.prepare(definition(["a": "tasks", "b": "tasks"])))
    let present = try #require(engine.catalog.tablesByName["a"])
    #expect(present !== former)
    try addUnshown("C", to: "b", engine)
    let shown = Mutex<[String]?>(nil)
    #expect(former.mayBeBehind)
    former.readBarrier(view: nil) { _, _ in shown.withLock { $0 = Self.titles(present.current.table) } }
    for table in [former, present] { table.writer.content.queue.sync {} }
    #expect(shown.withLock { $0 } == nil)
    store.release()
    for _ in 0..<6000 where shown.withLock({ $0 == nil }) { usleep(10_000) }
    #expect(shown.withLock { $0 } == ["A", "B", "C"])
  }
}
