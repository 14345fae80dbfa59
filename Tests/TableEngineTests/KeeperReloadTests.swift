import Configuration
import Definitions
import Dispatch
import Foundation
import JSON
import Logging
import Synchronization
import TableModel
import TableStore
import Testing

@testable import TableEngine

/// A reload takes the table away that keeps a source's items, while edits of another one that shows them are on their way.
@Suite struct KeeperReloadTests {
  private static let key = Idempotency(key: "once", route: "PATCH", content: [1])

  @Test func anAnsweredCursorHasTheEdit() throws {
    let store = GatedStore()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let engine = try Engine(
      definition(["keeper", "guest"]),
      EngineEnvironment(store: store, logger: logger, notifier: Nobody())
    )
    let old = try #require(engine.catalog.tablesByName["guest"])
    let keeper = try #require(engine.catalog.tablesByName["keeper"])
    store.shut()
    let answered = Mutex<EditResult?>(nil)
    let isAnswered = DispatchSemaphore(value: 0)
    var request = EditRequest([.patch(row: "1", ["title": "edited"])], caller: CallerFields([]))
    request.preconditions.idempotency = Self.key
    old.edit(request) { outcome in
      answered.withLock { $0 = outcome }
      isAnswered.signal()
    }
    while store.waitingCount == 0 { keeper.writer.content.queue.sync {} }
    // The commit is on its way: its table is not to come back.
    let next = try engine.prepare(definition(["guest"]))
    store.release()
    for _ in 0..<3 { for table in [keeper, old] { table.writer.content.queue.sync {} } }
    #expect(answered.withLock { $0 } == nil, "nobody knows yet who shows it")
    let adopted = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      engine.adopt(next)
      adopted.signal()
    }
    while adopted.wait(timeout: .now() + .milliseconds(5)) != .success { if store.waitingCount > 0 { store.release() } }
    while isAnswered.wait(timeout: .now() + .milliseconds(5)) != .success {
      if store.waitingCount > 0 { store.release() }
    }
    let table = try #require(engine.catalog.tablesByName["guest"])
    #expect(table !== old)
    guard case .success(let answer)? = answered.withLock({ $0 }) else { return #expect(Bool(false), "no answer") }
    let version = try #require(table.writer.feed.version(answer.cursor.version))
    let rows = version.table.sections.flatMap(\.rows).map { String(decoding: $0.encoded, as: UTF8.self) }
    #expect(answer.cursor.epoch == version.cursor.epoch && rows.contains { $0.contains("edited") }, "\(rows)")
    // A repeat is given the same.
    let repeated = Mutex<EditResult?>(nil)
    table.edit(request) { outcome in
      repeated.withLock { $0 = outcome }
      isAnswered.signal()
    }
    while isAnswered.wait(timeout: .now() + .milliseconds(5)) != .success {
      if store.waitingCount > 0 { store.release() }
    }
    guard case .success(let again)? = repeated.withLock({ $0 }) else { return #expect(Bool(false), "no answer") }
    #expect(again.cursor == answer.cursor && again.rows == answer.rows)
  }

  private func definition(_ tables: [String]) throws -> ServiceDefinition {
    let text = """
      sources: {notes: {local: {items: [{title: A}, {title: B}]}}}
      cells: {Label: {fields: {title: string}}}
      tables:
      \(tables.map { "  \($0): {source: notes, cell: Label, payload: {title: '${title}'}}" }.joined(separator: "\n"))
      """
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "test", environment: [:])
    return try #require(definition, "\(diagnostics)")
  }
}
