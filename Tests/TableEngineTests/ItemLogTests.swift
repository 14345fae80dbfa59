import Definitions
import Dispatch
import Foundation
import JSON
import Queues
import Synchronization
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// The items of a source of the service's own are nobody's but the source's: whichever tables show them, come, go, or get other
/// names, they and their edits stay.
@Suite struct ItemLogTests {
  let store = GatedStore()

  /// - Parameters:
  ///   - tables: their names, and the sources that they show.
  ///   - sources: those that there are, beside what tables show.
  func definition(_ tables: [String: String], sources: Set<String> = []) throws -> ServiceDefinition {
    let names = sources.union(tables.values).sorted()
    let text = """
      sources:
      \(names.map { "  \($0): {local: {items: [{title: A}, {title: B}]}}" }.joined(separator: "\n"))
      cells: {Label: {fields: {title: string}}}
      tables:
      \(tables.sorted { $0.key < $1.key }.map { #"  \#($0): {source: \#($1), cell: Label, payload: {title: "${title}"}}"# }
        .joined(separator: "\n"))
      """
    return try ServiceDefinition.read(text)
  }

  func engine(_ tables: [String: String], sources: Set<String> = []) throws -> Engine {
    return try Engine(
      definition(tables, sources: sources),
      EngineEnvironment.silent(store)
    )
  }

  func titles(_ table: LiveTable?) throws -> [String] {
    let table = try #require(table)
    table.writer.content.queue.sync {}
    let shown = Mutex<[String]>([])
    let isRead = DispatchSemaphore(value: 0)
    table.readBarrier(view: nil) { _, _ in
      shown.withLock { $0 = Self.titles(table.current.table) }
      isRead.signal()
    }
    guard isRead.wait(timeout: .now() + 60) == .success else { throw Waited() }
    return shown.withLock { $0 }
  }

  static func titles(_ table: TableModel.Table) -> [String] {
    table.sections.flatMap(\.rows).map { row in
      let encoded = String(decoding: row.encoded, as: UTF8.self)
      return String(encoded.split(separator: #""title":""#).last?.prefix { $0 != "\"" } ?? "")
    }
  }

  private struct Waited: Error {}

  /// An edit under way, and what became of it.
  final class Edited: Sendable {
    private let outcome = Mutex<EditResult?>(nil)
    private let isAnswered = DispatchSemaphore(value: 0)

    var result: EditResult? { outcome.withLock { $0 } }

    func answer() throws -> EditAnswer {
      guard isAnswered.wait(timeout: .now() + 60) == .success, let outcome = result else { throw Waited() }
      isAnswered.signal()
      return try outcome.get()
    }

    init(_ request: EditRequest, of table: LiveTable) {
      table.edit(request) { [self] outcome in
        self.outcome.withLock { $0 = outcome }
        isAnswered.signal()
      }
    }
  }

  func add(_ title: String, to table: LiveTable?, key: String? = nil) throws -> Edited {
    var request = EditRequest([.insert(item: ["title": .string(title)], .end)], caller: CallerFields([]))
    request.preconditions.idempotency = key.map { Idempotency(key: $0, route: "POST", content: [1]) }
    return Edited(request, of: try #require(table))
  }

  /// Adds an item through one of two tables, and leaves the other one's version that shows it waiting for the store, which is shut.
  func addUnshown(_ title: String, to table: String, _ engine: Engine) throws {
    store.shut()
    let edit = try add(title, to: engine.catalog.tablesByName[table])
    try awaitCommits(1, engine)
    store.release()
    _ = try edit.answer()
    try awaitCommits(1, engine)
  }

  /// Waits until so many commits wait for the store.
  func awaitCommits(_ count: Int, _ engine: Engine) throws {
    let end = ContinuousClock.now + .seconds(60)
    while store.waitingCount < count {
      for table in engine.catalog.tables { table.writer.content.queue.sync {} }
      guard ContinuousClock.now < end else { throw Waited() }
    }
  }

  // MARK: Commits

  /// What one table shows is of no concern to an edit through another one.
  @Test func noTableDelaysOrFailsAnotherOnesEdit() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    // The version of the other table waits, and fails.
    try addUnshown("C", to: "a", engine)
    let second = try add("D", to: engine.catalog.tablesByName["a"])
    try awaitCommits(2, engine)
    store.release(failing: .full)
    store.release()
    _ = try second.answer()
    store.open()
    while store.waitingCount > 0 { store.release() }
    for name in ["a", "b"] {
      // The table whose version failed tries again by itself.
      let table = engine.catalog.tablesByName[name]
      for _ in 0..<3000 where try titles(table) != ["A", "B", "C", "D"] { usleep(10_000) }
      #expect(try titles(table) == ["A", "B", "C", "D"], "\(name)")
    }
  }

  /// An edit through one table is answered while one through the other, built on it, is still on its way: who reads the other table
  /// then sees the first one.
  @Test func whatWasAnsweredIsReadThroughTheOtherTableToo() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let other = try #require(engine.catalog.tablesByName["b"])
    store.shut()
    let first = try add("C", to: engine.catalog.tablesByName["a"])
    try awaitCommits(1, engine)
    let second = try add("D", to: other)
    try awaitCommits(2, engine)
    store.release()
    _ = try first.answer()
    other.writer.content.queue.sync {}
    #expect(other.mayBeBehind, "a reader waits")
    let shown = Monitor<[String]?>(nil)
    other.readBarrier(view: nil) { _, _ in shown.change { $0 = Self.titles(other.current.table) } }
    other.writer.content.queue.sync {}
    store.open()
    while store.waitingCount > 0 { store.release() }
    _ = try second.answer()
    #expect(try titles(other) == ["A", "B", "C", "D"])
    #expect(try shown.wait(for: "the read") { $0 } == ["A", "B", "C", "D"])
    other.writer.content.queue.sync {}
    #expect(!other.mayBeBehind, "nobody waits for ever")
  }

  /// What is to be shown may wait behind an edit that changes nothing that is shown: a reader waits behind it.
  @Test func aReaderWaitsBehindWhatWaitsForAll() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let other = try #require(engine.catalog.tablesByName["b"])
    store.shut()
    let edit = try add("C", to: other)
    try awaitCommits(1, engine)
    let hidden = Edited(EditRequest([.patch(row: "1", ["hidden": 1])], caller: CallerFields([])), of: other)
    other.writer.content.queue.sync {}
    let isShown = Mutex(false)
    other.writer.content.queue.async { other.writer.publishContent { _ in isShown.withLock { $0 = true } } }
    let read = Mutex<Bool?>(nil)
    other.readBarrier(view: nil) { _, _ in read.withLock { $0 = isShown.withLock { $0 } } }
    for _ in 0..<3 { other.writer.content.queue.sync {} }
    store.open()
    while store.waitingCount > 0 { store.release() }
    _ = try (edit.answer(), hidden.answer())
    #expect(try titles(other) == ["A", "B", "C"])
    #expect(read.withLock { $0 } == true)
  }

  /// Edits through several tables are built on each other before they are stored: where one fails the others are planned anew.
  @Test(arguments: [StoreError.full, .superseded]) func whatIsBuiltOnAFailureIsPlannedAgain(_ error: StoreError) throws
  {
    let engine = try engine(["a": "notes", "b": "notes"])
    store.shut()
    let edits = try ["a", "b", "a", "b"].enumerated().map { number, table in
      let edit = try add("\(number)", to: engine.catalog.tablesByName[table])
      try awaitCommits(number + 1, engine)
      return edit
    }
    store.release(failing: error)
    store.open()
    while edits.dropFirst().contains(where: { $0.result == nil }) || error == .superseded && edits[0].result == nil {
      if store.waitingCount > 0 { store.release() } else { Thread.sleep(forTimeInterval: 0.001) }
    }
    if error == .full { #expect(throws: TableError.self) { try edits[0].answer() } }
    let expected = ["A", "B"] + (error == .full ? ["1", "2", "3"] : ["0", "1", "2", "3"])
    for name in ["a", "b"] {
      let table = try #require(engine.catalog.tablesByName[name])
      #expect(try titles(table).sorted() == expected.sorted(), "\(name)")
    }
    for (number, edit) in edits.enumerated() where number > 0 || error == .superseded {
      let answer = try edit.answer()
      let table = try #require(engine.catalog.tablesByName[["a", "b"][number % 2]])
      let version = try #require(table.writer.versions.version(answer.cursor.version))
      #expect(Self.titles(version.table).contains("\(number)"), "the answer's version has the edit")
    }
  }

  /// Two who have seen the same version of one table, while another one's edit is on its way: one of them is told.
  @Test func aConditionIsJudgedOnAllThatIsUnderWay() throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let table = try #require(engine.catalog.tablesByName["b"])
    let cursor = table.current.cursor
    store.shut()
    let other = try add("C", to: engine.catalog.tablesByName["a"])
    try awaitCommits(1, engine)
    var request = EditRequest([.patch(row: "1", ["title": "Z"])], caller: CallerFields([]))
    request.preconditions.condition = .oneOf([cursor])
    let conditional = Edited(request, of: table)
    table.writer.content.queue.sync {}
    store.open()
    store.release()
    _ = try other.answer()
    let error = #expect(throws: TableError.self) { try conditional.answer() }
    #expect(error?.kind == .conditionFailed)
  }

  /// What another table's edit has done is judged on, and may still fail to be stored: nobody is told of it before.
  @Test(arguments: [nil, StoreError.full]) func aRefusalWaitsForWhatItWasJudgedOn(failure: StoreError?) throws {
    let engine = try engine(["a": "notes", "b": "notes"])
    let (first, second) = (engine.catalog.tablesByName["a"], try #require(engine.catalog.tablesByName["b"]))
    store.shut()
    let deletion = Edited(EditRequest([.delete(row: "1")], caller: CallerFields([])), of: try #require(first))
    try awaitCommits(1, engine)
    let late = Edited(EditRequest([.patch(row: "1", ["title": "Z"])], caller: CallerFields([])), of: second)
    for table in [second, first] { table?.writer.content.queue.sync {} }
    second.writer.content.queue.sync {}
    #expect(late.result == nil, "it is told of a deletion that is not stored")
    store.open()
    store.release(failing: failure)
    if failure == nil {
      _ = try deletion.answer()
      let error = #expect(throws: TableError.self) { try late.answer() }
      #expect(error?.kind == .unknown)
    } else {
      #expect(throws: TableError.self) { try deletion.answer() }
      _ = try late.answer()
      #expect(try titles(second) == ["Z", "B"])
    }
  }

  // MARK: The state machine

  @Test func onePlansAtATime() {
    let snapshot = ItemSnapshot(items: .empty, revision: Revision(number: 4, stamp: 7))
    var state = ItemLogState(snapshot, isStored: true)
    let queue = QueueFactory.dispatch.serial("test")
    let planner = ItemLogState.Planner(queue: queue) { _ in }
    let first = state.takeTurn(planner, isHanded: false) {}
    let second = state.takeTurn(planner, isHanded: false) {}
    #expect(first?.revision == snapshot.revision && second == nil && state.isAwaited)
    func commit(on base: Revision) -> Commit {
      var commit = Commit(table: "@items.x", durability: .full, items: ItemChanges(nextID: 1))
      commit.base = base
      return commit
    }
    let (part, late) = (commit(on: snapshot.revision), commit(on: snapshot.revision))
    let begins = [part, late].map { state.begin($0, making: .empty, plannedOn: snapshot.revision) }
    #expect(begins == [true, false], "the other one was planned on what is no longer the last")
    let turns = [state.endTurn() != nil, state.endTurn() != nil]
    #expect(turns == [true, false] && !state.isAwaited)
    #expect(state.committed.revision == snapshot.revision && state.head.revision == part.revision)
    // It fails: what is planned next waits until nothing is under way.
    let head = state.head.revision
    let goesOn = state.begin(commit(on: head), making: .empty, plannedOn: head)
    var end = state.end(.failure(.full))
    #expect(goesOn && end.calls.isEmpty && state.head.revision == snapshot.revision)
    let isCalled = Mutex(false)
    let waiting = state.takeTurn(planner, isHanded: false) { isCalled.withLock { $0 = true } }
    end = state.end(.failure(.superseded))
    #expect(
      waiting == nil && !end.catchesUp && end.calls.count == 1,
      "it was built on what has failed, and on nobody else's"
    )
    for call in end.calls { call() }
    let last = state.takeTurn(planner, isHanded: false) {}
    #expect(isCalled.withLock { $0 } && last?.revision == snapshot.revision)
  }
}
