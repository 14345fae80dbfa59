import Definitions
import Queues
import Synchronization
import TableStore

/// The items of the service's own sources, by a configuration. A value: another configuration makes another one, with the same
/// logs of the sources that both have.
///
/// Items stay stored when no table shows them any more, and when the configuration has their source no more: whoever brings that
/// back has them as they were. What no table can edit is the configuration's, and is not stored.
struct ItemLogs: Sendable {
  private var logs: [String: ItemLog] = [:]
  /// The logs without stored data, which can be edited from now on.
  private var new: [ItemLog] = []
  private var renamings: [Renaming] = []
  /// Items were given another name while they were looked for, and found under none: all is to be read again.
  private var isOvertaken = false

  /// A source that has another name than it had.
  struct Renaming: Sendable {
    var former: String
    var name: String
  }

  init() {}

  /// - Parameters:
  ///   - mayRename: false: other replicas have a configuration that counts, in which sources are called as they are stored.
  /// - Throws: ``StartError`` where a source's first items can't be taken, or the store can't be read.
  init(
    of definition: ServiceDefinition,
    _ blueprints: [TableBlueprint],
    after former: ItemLogs,
    renaming renamings: [Renaming],
    mayRename: Bool,
    _ stored: inout StoredTables,
    _ context: EngineContext
  ) async throws {
    let owners = Dictionary(grouping: blueprints.filter { ($0.local ?? $0.callersLocal) != nil }) {
      ($0.local ?? $0.callersLocal)?.name ?? ""
    }
    for source in definition.sources {
      guard case .local(let local) = source.kind else { continue }
      let name = source.name
      let renaming = renamings.first { $0.name == name }
      if let log = former[name], log.isStored, renaming == nil {
        logs[name] = log
        continue
      }
      var present = ItemRecord.of(renaming?.former ?? name)
      // Another replica may have given it the new name meanwhile.
      if renaming != nil, try await stored.table(present).items == nil { present = ItemRecord.of(name) }
      let record = try await stored.table(present)
      if let items = record.items {
        let snapshot = ItemSnapshot(items: items, revision: record.revision)
        logs[name] = ItemLog(name, in: mayRename ? ItemRecord.of(name) : present, snapshot, isStored: true, context)
        if let renaming, mayRename, present != ItemRecord.of(name) { self.renamings.append(renaming) }
        continue
      }
      // They were there a moment ago.
      isOvertaken = isOvertaken || renaming != nil
      let former = try await Self.formerItems(of: owners[name] ?? [], &stored)
      let items = try former ?? Self.seed(local, of: name)
      let snapshot = ItemSnapshot(items: items, revision: record.revision)
      let log = ItemLog(name, in: ItemRecord.of(name), snapshot, isStored: false, context)
      logs[name] = log
      if owners[name] != nil { new.append(log) }
    }
  }

  subscript(source: String) -> ItemLog? { logs[source] }

  /// The log of the items that are kept under a name.
  func log(in record: String) -> ItemLog? {
    guard let source = ItemRecord.source(of: record) else { return nil }
    if let log = logs[source], log.storedName == record { return log }
    return logs.values.first { $0.storedName == record }
  }

  /// The items of a table's own source, where these are the service's and can be edited through it.
  func log(of blueprint: TableBlueprint) -> ItemLog? { blueprint.local.flatMap { logs[$0.name] } }

  /// Returns the logs that others take the place of where these sources are given other names.
  func replaced(_ renamings: [Renaming]) -> [ItemLog] {
    logs.values.filter { log in !log.isStored || renamings.contains { ItemRecord.of($0.former) == log.storedName } }
  }

  /// Others have come in the place of these.
  func retire(for next: ItemLogs) {
    for log in logs.values where next.logs[log.source] !== log { log.retire() }
  }

  /// Returns the logs of other sources that the table shows or looks up.
  func others(of blueprint: TableBlueprint) -> [ItemLog] { blueprint.otherLocals.compactMap { logs[$0.name] } }

  /// Stores what is to be stored before tables show it. Returns what went wrong: then sources are called as they were.
  func begin(_ context: EngineContext) async -> StoreError? {
    guard !isOvertaken else { return .superseded }
    var renamed: [Renaming] = []
    func undone(_ error: StoreError) async -> StoreError {
      // Where that fails, too, the items are found by the name that they have.
      for renaming in renamed.reversed() { _ = await Self.rename(renaming.name, to: renaming.former, context) }
      return error
    }
    for renaming in renamings {
      var error = await Self.rename(renaming.former, to: renaming.name, context)
      // Another replica has given it the name at the same time.
      if error == .superseded { error = await Self.rename(renaming.former, to: renaming.name, context) }
      // Of one that fails otherwise nobody knows for certain that it was not done.
      if error != .superseded { renamed.append(renaming) }
      if let error { return await undone(error) }
    }
    for log in new {
      if let error = await withCallback({ log.storeFirst($0) }) { return await undone(error) }
    }
    return nil
  }

  private static func rename(_ source: String, to name: String, _ context: EngineContext) async -> StoreError? {
    let result = await withCallback {
      context.store.rename(ItemRecord.of(source), to: ItemRecord.of(name), completion: $0)
    }
    if case .failure(let error) = result { return error }
    return nil
  }

  /// The sources whose items a table has shown until now, and shows under another name from now on: those that the configuration
  /// has no more, where it has a new one for the same table.
  ///
  /// - Throws: ``StartError`` where the store can't be read.
  static func renamings(
    _ definition: ServiceDefinition,
    _ blueprints: [TableBlueprint],
    after catalog: Catalog,
    _ stored: inout StoredTables
  ) async throws -> [Renaming] {
    let names = Set(definition.sources.map(\.name))
    var renamings: [Renaming] = []
    func note(_ former: String?, as name: String) async throws {
      guard let former, !names.contains(former),
        !renamings.contains(where: { $0.name == name || $0.former == former }),
        try await stored.table(ItemRecord.of(name)).items == nil,
        try await stored.table(ItemRecord.of(former)).items != nil
      else { return }
      renamings.append(Renaming(former: former, name: name))
    }
    for blueprint in blueprints {
      let own = (blueprint.local ?? blueprint.callersLocal)?.name
      let present = own.flatMap { catalog.logs[$0] }
      guard let name = own, present?.isStored != true || present?.storedName != ItemRecord.of(name),
        !renamings.contains(where: { $0.name == name })
      else { continue }
      let table = blueprint.definition.name
      // Of members, which callers have of their own, nothing is stored under the name of their family: after a restart nobody can tell.
      let log = catalog.tablesByName[table]?.writer.log ?? catalog.familiesByName[table]?.log
      if let log { try await settleName(of: log, &stored) }
      let shown = if let log { log.storedName } else { try await stored.ownRecord(of: table) }
      try await note(shown.flatMap(ItemRecord.source), as: name)
    }
    // A table that was read before another replica has renamed its items says nothing of that.
    for source in definition.sources where catalog.logs[source.name]?.isStored != true {
      guard case .local = source.kind else { continue }
      let newName = try await stored.table(ItemRecord.of(source.name)).newName
      try await note(newName.flatMap(ItemRecord.source), as: source.name)
    }
    return renamings
  }

  /// Has a log find the name that another replica has given its record, and that it has not heard of yet.
  private static func settleName(of log: ItemLog, _ stored: inout StoredTables) async throws {
    guard log.isStored, try await stored.table(log.storedName).items == nil else { return }
    guard await withCallback({ log.lookForNews($0) }) else {
      throw StartError(description: "source `\(log.source)`: what is stored of it can't be read")
    }
    stored.forget(log.storedName)
  }

  /// Returns the items of the newest of several tables, in a file of a release in which tables kept the items that they
  /// show.
  private static func formerItems(of owners: [TableBlueprint], _ stored: inout StoredTables) async throws -> LocalItems?
  {
    var kept: [LocalItems] = []
    for owner in owners { if let items = try await stored.table(owner.definition.name).items { kept.append(items) } }
    return kept.max { $0.nextID < $1.nextID }?.unwritten(over: nil)
  }

  private static func seed(_ local: LocalDefinition, of source: String) throws(StartError) -> LocalItems {
    do { return try LocalItems(seed: local.items) } catch {
      throw StartError(description: "source `\(source)`: its first items can't be taken: \(error)")
    }
  }
}
