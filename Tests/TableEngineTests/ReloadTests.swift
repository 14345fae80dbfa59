import Definitions
import Dispatch
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Testing

@testable import TableEngine

@Suite struct ReloadTests {
  /// The second table of the new configuration can't be made: the first has not begun to follow it.
  @Test func aReloadThatFailsLeavesAllAsItWas() throws {
    let store = GatedStore()
    let engine = try Engine(
      definition(title: "before", tables: ["a"]),
      EngineEnvironment.silent(store)
    )
    store.lose("b")
    #expect(throws: (any Error).self) { try engine.prepare(definition(title: "after", tables: ["a", "b"])) }
    let table = try #require(engine.catalog.tables.first)
    table.writer.content.queue.sync {}
    #expect(engine.catalog.tables.map(\.name) == ["a"])
    #expect(table.current.table.title == "before" && table.current.number == 1)
    engine.adopt(try engine.prepare(definition(title: "after", tables: ["a"])))
    table.writer.content.queue.sync {}
    #expect(engine.catalog.tables.first === table)
    #expect(table.writer.versions.latest.table.title == "after")
  }

  /// What a source says while nobody knows yet whose the table will be is not lost: it is said once.
  @Test func anAnswerDuringAReloadThatIsGivenUp() throws {
    let engine = try Engine(
      try definition("a: {url: 'http://127.0.0.1:1/', every: 0s}", locales: ""),
      EngineEnvironment.silent(GatedStore())
    )
    let table = try #require(engine.catalog.tables.first)
    let next = try engine.prepare(
      try definition("a: {url: 'http://127.0.0.1:1/', every: 0s}", locales: "locales: [en]")
    )
    let item = SourceItem(bytes: Array(#"{"id": 1}"#.utf8))
    table.writer.receive(.content(.items([item]), 1), from: "a") {}
    let told = Mutex<[Bool]>([])
    let decided = DispatchSemaphore(value: 0)
    table.writer.whenDecided {
      defer { decided.signal() }
      told.withLock { $0.append(table.writer.versions.latest.table.rowCount == 1) }
    }
    table.writer.content.queue.sync {}
    #expect(table.writer.versions.latest.table.rowCount == 0 && told.withLock { $0 } == [])
    engine.cancel(next)
    #expect(decided.wait(timeout: .now() + 60) == .success)
    #expect(table.writer.versions.latest.table.rowCount == 1 && told.withLock { $0 } == [true])
  }

  /// Without rows, nothing but the offer itself tells that there are other menus.
  @Test func anEmptyTableWithOtherMenusIsAnotherVersion() throws {
    func definition(prompt: String) throws -> ServiceDefinition {
      let text = "tables: {t: {source: {local: {items: []}}, find: {prompt: \(prompt), search: [title]}}}"
      return try ServiceDefinition.read(text)
    }
    let engine = try Engine(
      definition(prompt: "Look"),
      EngineEnvironment.silent(MemoryStore())
    )
    let table = try #require(engine.catalog.tables.first)
    var numbers = [table.writer.versions.latest.number]
    for prompt in ["Look", "Find", "Find"] {
      engine.adopt(try engine.prepare(definition(prompt: prompt)))
      table.writer.content.queue.sync {}
      numbers.append(table.writer.versions.latest.number)
    }
    #expect(numbers.map { $0 - numbers[0] } == [0, 0, 1, 1])
  }

  private func definition(_ sources: String, locales: String) throws -> ServiceDefinition {
    let text = """
      \(locales)
      sources: {\(sources)}
      cells: {Label: {nib: Label, fields: {}}}
      tables: {a: {source: a, row: {id: "${id}"}, cell: Label, payload: {}}}
      """
    return try ServiceDefinition.read(text)
  }

  private func definition(title: String, tables: [String]) throws -> ServiceDefinition {
    let text = tables.map { "  \($0): {title: \(title), source: {local: {items: [{title: A}]}}}\n" }.joined()
    return try ServiceDefinition.read("tables:\n" + text)
  }
}
