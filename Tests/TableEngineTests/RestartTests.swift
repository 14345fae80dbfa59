import Definitions
import Dispatch
import Foundation
import JSON
import Queues
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// A local table after a restart: what is stored is shown as it is where the same items would make the same of it, and what
/// they make is shown in the end.
@Suite final class RestartTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("restart-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// What there is between two runs.
  enum Change: CaseIterable {
    case nothing, elsewhere, payload, environment, rows, language, items, itemsAndPayload
  }

  private func definition(_ change: Change = .nothing) throws -> ServiceDefinition {
    let isOther = change == .payload || change == .itemsAndPayload
    let text = """
      listen: 127.0.0.1:\(change == .elsewhere ? 1 : 0)
      \(change == .language ? "locales: [de, en]" : "")
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        t:
          source: {local: {items: [{title: A}, {title: B}, {title: C}]}}
          cell: Label
          payload: {title: "${env.HOUSE} ${title}\(isOther ? "!" : "")"}
          can: {edit: true, move: \(change == .rows)}
      """
    let house = change == .environment ? "there" : "here"
    return try ServiceDefinition.read(text, environment: ["HOUSE": house])
  }

  private func store() throws -> SQLiteStore { try SQLiteStore(path: folder.path + "/db") }

  private func engine(_ store: SQLiteStore, _ change: Change = .nothing) throws -> Engine {
    try Engine(try definition(change), environment(store))
  }

  private func environment(_ store: SQLiteStore) -> EngineEnvironment {
    EngineEnvironment.silent(store)
  }

  private func titles(_ table: TableModel.Table) -> [String] {
    table.sections.flatMap(\.rows).map { row in
      let encoded = String(decoding: row.encoded, as: UTF8.self)
      return String(encoded.split(separator: #""title":""#).last?.prefix { $0 != "\"" } ?? "")
    }
  }

  /// Has the store keep another item, which no version shows yet.
  private func putItem(_ title: String, into store: SQLiteStore) throws {
    let record = ItemRecord.of("$t")
    var items = try #require(try wait { store.restore(record, completion: $0) }.items)
    try items.insert(try JSONValue(parsing: Array(#"{"title":"\#(title)"}"#.utf8)))
    try wait { store.commit(Commit(table: record, durability: .full, items: items.takeChanges()), completion: $0) }
      as Void
  }

  private func wait<Value: Sendable>(
    _ begin: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var found: Result<Value, StoreError>?
    begin {
      found = $0
      done.signal()
    }
    done.wait()
    return try #require(found).get()
  }

  /// Patches the first item, and waits until that is stored.
  private func edit(_ table: LiveTable, _ title: String) {
    let done = DispatchSemaphore(value: 0)
    table.edit(EditRequest([.patch(row: "1", ["title": .string(title)])], caller: CallerFields([]))) { _ in
      done.signal()
    }
    done.wait()
  }

  @Test(arguments: Change.allCases) func aRestart(with change: Change) throws {
    var store = try store()
    do {
      let table = try #require(try engine(store).catalog.tables.first)
      edit(table, "a")
      #expect(titles(table.current.table) == ["here a", "here B", "here C"])
    }
    if change == .items || change == .itemsAndPayload { try putItem("D", into: store) }
    try wait { store.close(completion: $0) } as Void
    store = try self.store()
    let stored = try wait { store.restore("t", completion: $0) }
    let isTheSame = [.nothing, .elsewhere, .items].contains(change)
    do {
      // As it begins: not a single item is mapped where the table is the same.
      let definition = try definition(change)
      let digests = HandoverDigests(definition)
      let sources = Dictionary(definition.sources.map { ($0.name, $0) }) { first, _ in first }
      let blueprint = try TableBlueprint(definition.tables[0], in: definition, sources, digests)
      let context = try EngineContext(definition, environment(store))
      let table = try blocking {
        var restoring = StoredTables(context)
        let logs = try await ItemLogs(
          of: definition,
          [blueprint],
          after: ItemLogs(),
          renaming: [],
          mayRename: true,
          &restoring,
          context
        )
        return try await LiveTable.restored(blueprint, from: stored, logs, .earlier, replacing: nil, context: context)
      }
      let isMapped = table.writer.content.queue.sync { table.writer.content.access { $0.result != nil } }
      #expect(isMapped == !isTheSame)
    }
    let table = try #require(try engine(store, change).catalog.tables.first)
    var expected =
      switch change {
      case .payload, .itemsAndPayload: ["here a!", "here B!", "here C!"]
      case .environment: ["there a", "there B", "there C"]
      default: ["here a", "here B", "here C"]
      }
    if change == .itemsAndPayload { expected.append("here D!") }
    if change == .items {
      // It is mapped behind what is stored, on the table's queue, and stored before it is shown.
      table.writer.content.queue.sync {}
      try wait { store.flush(completion: $0) } as Void
      table.writer.content.queue.sync {}
      expected.append("here D")
    }
    // With another configuration nothing of the old one is shown, however short.
    #expect(titles(table.current.table) == expected)
    let isAnother = change != .nothing && change != .elsewhere && change != .language
    #expect(table.current.number == (stored.versions?.all.last?.number ?? 0) + (isAnother ? 1 : 0))
    #expect(table.current.cursor.epoch == stored.versions?.epoch)
    edit(table, "aa")
    #expect(titles(table.current.table).first == expected[0].replacing(" a", with: " aa"))
    #expect(titles(table.current.table).dropFirst() == expected.dropFirst())
    let last = try wait { store.restore("t", completion: $0) }
    #expect(last.versions?.all.last.map { titles($0.table) } == titles(table.current.table))
    try wait { store.close(completion: $0) } as Void
  }

  /// A configuration that lays the table out as the stored one is says so, and the next start believes it: also of a database
  /// from before.
  @Test func aTableThatIsFoundToBeTheSame() throws {
    var store = try store()
    for run in 0..<3 {
      let stored = try wait { store.restore("t", completion: $0) }
      #expect((stored.layout == nil) == (run == 0))
      let table = try #require(try engine(store, run == 0 ? .nothing : .elsewhere).catalog.tables.first)
      table.writer.content.queue.sync {}
      #expect(table.current.number == 1)
      let layout = try wait { store.restore("t", completion: $0) }.layout
      #expect(layout != nil)
      if run == 1 { #expect(layout == stored.layout) }
      try wait { store.close(completion: $0) } as Void
      store = try self.store()
    }
    try wait { store.close(completion: $0) } as Void
  }

  /// A reload that shows something else is what the next start compares with.
  @Test func aReloadThenTheOldConfiguration() throws {
    var store = try store()
    do {
      let engine = try engine(store)
      try engine.adopt(try engine.prepare(try definition(.payload)))
      let table = try #require(engine.catalog.tables.first)
      table.writer.content.queue.sync {}
      try wait { store.flush(completion: $0) } as Void
    }
    try wait { store.close(completion: $0) } as Void
    store = try self.store()
    let table = try #require(try engine(store).catalog.tables.first)
    #expect(titles(table.current.table) == ["here A", "here B", "here C"])
    try wait { store.close(completion: $0) } as Void
  }
}
