import Definitions
import Dispatch
import Synchronization
import TableStore

/// Which table keeps the items of each local source. Of several that show one, the one that has kept them stays their
/// keeper for as long as it shows them; else the first in the configuration does.
struct ItemKeepers {
  /// Sources' keepers, by the sources' names.
  private var tables: [String: String] = [:]
  /// Those that keep items of a source no more that others still show.
  private(set) var resigned: [LiveTable] = []
  /// The tables that have kept them until now, by the sources' names.
  private var before: [String: LiveTable] = [:]

  /// - Throws: where what is stored can't be read.
  init(of blueprints: [TableBlueprint], after catalog: Catalog, _ stored: inout StoredTables) throws {
    for table in catalog.tables where table.writer.keeper == nil {
      if let source = table.writer.localSource, before[source] == nil { before[source] = table }
    }
    let shown = Dictionary(grouping: Self.local(blueprints)) { $0.source }.mapValues { $0.map(\.table) }
    for (source, names) in shown {
      if let last = before[source] {
        if names.contains(last.name) {
          tables[source] = last.name
          continue
        }
        resigned.append(last)
      } else if names.count > 1 {
        // After a restart, perhaps with the tables in another order. What one has that gave them on is older.
        let ages = try names.compactMap { name in try stored.table(name).items.map { (name: name, age: $0.nextID) } }
        let newest = ages.map(\.age).max()
        tables[source] = ages.first { $0.age == newest }?.name
      }
      tables[source] = tables[source] ?? names.first
    }
  }

  /// The other table that keeps the items that a table shows; nil where it keeps them itself, or shows none.
  func keeper(of blueprint: TableBlueprint) -> String? {
    blueprint.local.flatMap { tables[$0.name] }.flatMap { $0 == blueprint.definition.name ? nil : $0 }
  }

  /// What a table takes over that keeps the items from now on; nil where none did before it.
  func inheritance(of blueprint: TableBlueprint) -> ItemHouse? {
    guard let local = blueprint.local, let last = before[local.name], last.name != blueprint.definition.name else {
      return nil
    }
    return last.writer.localItems.map { .inherited($0) }
  }

  /// What another source's items are to begin with, for who borrows them: as their keeper has them, or will.
  ///
  /// - Throws: where what is stored can't be read, or they can't be taken.
  func loans(of blueprint: TableBlueprint, _ stored: inout StoredTables) throws -> [Loan] {
    try blueprint.borrowed.map { source in
      let kept = before[source.name]?.writer.guests.withLock { $0.items?.items }
      let items = try kept ?? tables[source.name].flatMap { try stored.table($0).items }
      do {
        return Loan(source: source.name, seed: try items ?? LocalItems(seed: source.definition.items))
      } catch {
        let name = blueprint.definition.name
        throw StartError(description: "table `\(name)`: the first items of `\(source.name)` can't be taken: \(error)")
      }
    }
  }

  /// The same, once there are all tables.
  func loans(of blueprint: TableBlueprint, among live: [LiveTable]) -> [Loan] {
    blueprint.borrowed.compactMap { source in
      let keeper = tables[source.name].flatMap { name in live.first { $0.name == name } }?.writer
      // They could be taken when the configuration was prepared.
      let seed = keeper == nil ? try? LocalItems(seed: source.definition.items) : LocalItems.empty
      return seed.map { Loan(source: source.name, seed: $0, keeper: keeper) }
    }
  }

  /// The tables that always live, those before the others that keep items.
  func inOrder(_ blueprints: [TableBlueprint]) -> [TableBlueprint] {
    let tables = blueprints.filter { !$0.definition.isFamily }
    return tables.filter { keeper(of: $0) == nil } + tables.filter { keeper(of: $0) != nil }
  }

  private static func local(_ blueprints: [TableBlueprint]) -> [(source: String, table: String)] {
    blueprints.filter { !$0.definition.isFamily }.compactMap { blueprint in
      blueprint.local.map { ($0.name, blueprint.definition.name) }
    }
  }
}

/// What the store has of tables, read once each.
struct StoredTables {
  private let context: EngineContext
  private var tables: [String: StoredTable] = [:]

  init(_ context: EngineContext) { self.context = context }

  /// - Throws: ``StartError`` where it can't be read.
  mutating func table(_ name: String) throws -> StoredTable {
    if let table = tables[name] { return table }
    do {
      let table = try context.restore(name)
      tables[name] = table
      return table
    } catch {
      throw StartError(description: "table `\(name)`: what is stored of it can't be read: \(error)")
    }
  }
}

extension TableWriter {
  /// The name of the local source that the table shows.
  fileprivate var localSource: String? { content.queue.sync { content.access { $0.local?.source } } }

  fileprivate var localItems: LocalItems? { content.queue.sync { content.access { $0.local?.items } } }
}
