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
  /// Where the store has items that another table keeps from now on, by the sources' names.
  private(set) var heirlooms: [String: String] = [:]
  /// Where the store has them once all new tables have theirs, as far as it is known.
  private(set) var places: ItemPlaces
  /// The same until then: what another one needs the place of is put aside before.
  private(set) var interim: ItemPlaces
  /// What is left of tables that are not there, by the sources' names.
  private var left: [String: LocalItems] = [:]
  /// The tables that show another source than the one whose items they have in the store, which is still there.
  private var displaced: Set<String> = []

  /// - Parameters:
  ///   - sources: those that the configuration has.
  ///   - isShared: other processes may have had this configuration before this one: what they have stored counts, and not what
  ///     tables here have.
  /// - Throws: where what is stored can't be read.
  init(
    of blueprints: [TableBlueprint],
    sources: Set<String>,
    after catalog: Catalog,
    _ places: ItemPlaces,
    isShared: Bool,
    _ stored: inout StoredTables
  ) throws {
    (self.places, interim) = (places, places)
    var living: [String: LiveTable] = [:]
    for table in catalog.tables where table.writer.keeper == nil {
      if let source = table.writer.localSource, living[source] == nil { living[source] = table }
    }
    if !isShared { before = living }
    func place(of source: String) -> String? { places[source] ?? living[source]?.name }
    let shown = Dictionary(grouping: Self.local(blueprints)) { $0.source }.mapValues { $0.map(\.table) }
    for (source, names) in shown {
      if let last = before[source] {
        if names.contains(last.name) {
          tables[source] = last.name
          continue
        }
        resigned.append(last)
      } else if let place = place(of: source) {
        if names.contains(place) {
          tables[source] = place
        } else {
          heirlooms[source] = place
          if let last = living[source] { resigned.append(last) }
        }
      } else if names.count > 1 {
        // After a restart, perhaps with the tables in another order. What one has that gave them on is older.
        let ages = try names.compactMap { name in try stored.table(name).items.map { (name: name, age: $0.nextID) } }
        let newest = ages.map(\.age).max()
        tables[source] = ages.first { $0.age == newest }?.name
      }
      tables[source] = tables[source] ?? names.first
    }
    for source in Set(blueprints.flatMap(\.borrowed).map(\.name)) where shown[source] == nil && before[source] == nil {
      left[source] = try place(of: source).flatMap { try stored.table($0).items }
    }
    note(sources, isShared: isShared)
  }

  /// Takes down where the items are from now on.
  private mutating func note(_ sources: Set<String>, isShared: Bool) {
    let known = places
    for (source, table) in tables.sorted(by: { $0.key < $1.key }) where known[source] != table {
      // Of what replicas share nothing is put aside, yet.
      if !isShared { displace(table, for: source, sources, known) }
      places[source] = table
    }
  }

  /// A table that is to keep a source's items may have another one's until then.
  private mutating func displace(_ table: String, for source: String, _ sources: Set<String>, _ known: ItemPlaces) {
    if let other = known.source(of: table), other != source {
      // A source that is gone where another one comes has got another name.
      if sources.contains(other) || known[source] != nil { displaced.insert(table) } else { places[other] = nil }
    } else if !known.isEmpty, known[source] == nil {
      // What it may have in the store is what it once kept for others.
      displaced.insert(table)
    }
  }

  /// Leaves the items with the tables that have kept them, of which there are none here.
  mutating func renounce() {
    (places, heirlooms) = (interim, [:])
  }

  /// Reads what another table keeps from now on, once those that have kept it begin no change any more.
  ///
  /// - Throws: where it can't be read.
  mutating func readHeirlooms(_ stored: inout StoredTables) throws {
    for (source, place) in heirlooms { left[source] = try stored.table(place).items }
  }

  /// Puts the items aside of sources that no table keeps, and whose place is another one's now.
  ///
  /// - Throws: where they can't be read or written.
  mutating func putAside(_ stored: inout StoredTables, _ context: EngineContext) throws {
    for table in displaced.sorted() {
      guard let source = interim.source(of: table), tables[source] == nil, let items = try stored.table(table).items
      else {
        continue
      }
      let place = ItemPlaces.aside(source)
      var aside = items.unwritten(over: try stored.table(place).items)
      try context.commit(Commit(table: place, durability: .full, items: aside.takeChanges()))
      (places[source], interim[source]) = (place, place)
    }
  }

  /// The other table that keeps the items that a table shows; nil where it keeps them itself, or shows none.
  func keeper(of blueprint: TableBlueprint) -> String? {
    blueprint.local.flatMap { tables[$0.name] }.flatMap { $0 == blueprint.definition.name ? nil : $0 }
  }

  /// Whether a table that keeps items is to begin with others than those that it has had.
  func takesOver(_ blueprint: TableBlueprint) -> Bool {
    let name = blueprint.definition.name
    guard let source = blueprint.local?.name, tables[source] == name else { return false }
    if let last = before[source] { return last.name != name }
    return left[source] != nil || displaced.contains(name)
  }

  /// What a table takes over that keeps the items from now on; nil where none did before it.
  ///
  /// - Throws: where the configuration's first items can't be taken, or what is stored can't be read.
  func inheritance(of blueprint: TableBlueprint, _ stored: inout StoredTables) throws -> ItemHouse? {
    let name = blueprint.definition.name
    guard let local = blueprint.local, takesOver(blueprint) else { return nil }
    if let last = before[local.name] { return last.writer.localItems.map { .inherited($0) } }
    if let items = left[local.name] { return .inherited(items) }
    guard try stored.table(name).items != nil else { return nil }
    do { return .inherited(try LocalItems(seed: local.definition.items)) } catch {
      throw StartError(description: "table `\(name)`: its first items can't be taken: \(error)")
    }
  }

  /// What another source's items are to begin with, for who borrows them: as their keeper has them, or will.
  ///
  /// - Throws: where what is stored can't be read, or they can't be taken.
  func loans(of blueprint: TableBlueprint, _ stored: inout StoredTables) throws -> [Loan] {
    try blueprint.borrowed.map { source in
      let kept = before[source.name]?.writer.guests.withLock { $0.items?.items }
      let items = try kept ?? tables[source.name].flatMap { try stored.table($0).items } ?? left[source.name]
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
      let orphans = before[source.name]?.writer.localItems ?? left[source.name]
      let seed = keeper == nil ? orphans ?? (try? LocalItems(seed: source.definition.items)) : LocalItems.empty
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

  /// What was read of a table is no longer all that there is.
  mutating func forget(_ name: String) { tables[name] = nil }

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
