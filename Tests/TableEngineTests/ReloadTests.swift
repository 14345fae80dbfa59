import Configuration
import Definitions
import Dispatch
import Logging
import TableModel
import TableStore
import Testing

@testable import TableService

@Suite struct ReloadTests {
  /// The second table of the new configuration can't be made: the first has not begun to follow it.
  @Test func aReloadThatFailsLeavesAllAsItWas() throws {
    let store = GatedStore()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let service = try TableService(
      definition(title: "before", tables: ["a"]),
      environment: ServiceEnvironment(store: store, logger: logger, isOpenForEdits: true)
    )
    store.lose("b")
    #expect(throws: (any Error).self) { try service.reload(definition(title: "after", tables: ["a", "b"])) }
    let table = try #require(service.catalog.all.first)
    table.content.queue.sync {}
    #expect(service.catalog.all.map(\.name) == ["a"])
    #expect(table.feed.current.table.title == "before" && table.feed.current.number == 1)
    try service.reload(definition(title: "after", tables: ["a"]))
    table.content.queue.sync {}
    #expect(service.catalog.all.first === table)
    #expect(table.feed.latest.table.title == "after")
  }

  private func definition(title: String, tables: [String]) throws -> ServiceDefinition {
    let text = tables.map { "  \($0): {title: \(title), source: {local: {items: [{title: A}]}}}\n" }.joined()
    let (definition, diagnostics) = ConfigurationReader.read(text: "tables:\n" + text, file: "test", environment: [:])
    return try #require(definition, "\(diagnostics)")
  }
}
