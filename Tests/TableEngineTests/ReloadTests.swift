import Configuration
import Definitions
import Dispatch
import Logging
import TableModel
import TableStore
import Testing

@testable import TableEngine

@Suite struct ReloadTests {
  /// The second table of the new configuration can't be made: the first has not begun to follow it.
  @Test func aReloadThatFailsLeavesAllAsItWas() throws {
    let store = GatedStore()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let engine = try Engine(
      definition(title: "before", tables: ["a"]),
      EngineEnvironment(store: store, logger: logger, notifier: Nobody())
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
    #expect(table.writer.feed.latest.table.title == "after")
  }

  private func definition(title: String, tables: [String]) throws -> ServiceDefinition {
    let text = tables.map { "  \($0): {title: \(title), source: {local: {items: [{title: A}]}}}\n" }.joined()
    let (definition, diagnostics) = ConfigurationReader.read(text: "tables:\n" + text, file: "test", environment: [:])
    return try #require(definition, "\(diagnostics)")
  }
}
