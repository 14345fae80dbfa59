package import Definitions
import Dispatch
import Logging
import Queues
import Synchronization
import TableStore
import Upstream

/// Going on with another configuration, in two phases: all that can fail is prepared first, then everything is swapped.
extension Engine {
  /// A configuration whose tables are made, and not shown yet.
  package struct Prepared: Sendable {
    fileprivate var definition: ServiceDefinition
    fileprivate var digests: HandoverDigests
    fileprivate var blueprints: [TableBlueprint]
    /// New ones, and those that take the place of one that can't go on.
    fileprivate var made: [String: LiveTable] = [:]
    /// The stored records of the new languages of tables that go on: by table and language.
    fileprivate var languages: [String: [String: StoredTable]] = [:]
    /// The tables that begin no change any more.
    fileprivate var closed: [LiveTable] = []
    /// The logs on which no edit is planned any more.
    fileprivate var held: [ItemLog] = []
    fileprivate var logs = ItemLogs()
  }

  /// Makes the tables of the first configuration.
  ///
  /// - Throws: ``StartError``. What can't be stored is a reason not to start.
  func load(_ definition: ServiceDefinition) async throws {
    try await withTaskExecutorPreference(context.loading) {
      let next = try await begun(prepare(definition), orFailing: "the first versions could not be stored") {
        await begin($0)
      }
      _ = await adopt(next, alreadyBegun: true)
    }
  }

  /// - Throws: ``StartError``; then everything is as it was.
  package func prepare(_ definition: ServiceDefinition) async throws -> Prepared {
    try await withTaskExecutorPreference(context.loading) { try await prepared(definition) }
  }

  private func prepared(_ definition: ServiceDefinition) async throws -> Prepared {
    let digests = HandoverDigests(definition)
    let sources = Dictionary(definition.sources.map { ($0.name, $0) }) { first, _ in first }
    var blueprints = try definition.tables.map { table throws(StartError) in
      try TableBlueprint(table, in: definition, sources, digests)
    }
    let shown = Dictionary(grouping: blueprints.compactMap(\.local?.name)) { $0 }
    for (index, blueprint) in blueprints.enumerated()
    where blueprint.local.map({ shown[$0.name]?.count ?? 0 > 1 }) ?? false {
      // The stored version of this table may lack edits made through another table.
      blueprints[index].layout = nil
    }
    var next = Prepared(definition: definition, digests: digests, blueprints: blueprints)
    do { try await make(&next) } catch {
      cancel(next)
      throw error
    }
    return next
  }

  /// Makes the tables that are new, or can't go on as they are.
  private func make(_ next: inout Prepared) async throws {
    let current = catalog
    var restoring = StoredTables(context)
    let renamings = try await ItemLogs.renamings(next.definition, next.blueprints, after: current, &restoring)
    let isToPrecede = !renamings.isEmpty && context.replica.isShared
    let mayRename = isToPrecede ? try await context.takesPrecedence(next.definition) : true
    // Members of families, too, edit them.
    next.held = current.logs.replaced(renamings)
    for log in next.held { await log.holdTurn() }
    for renaming in renamings {
      // Their pending writes finish before the record is read under another name.
      let former = ItemRecord.of(renaming.former)
      for table in current.tables where table.writer.log?.storedName == former {
        await close(table, &next, &restoring)
      }
      restoring.forget(former)
      restoring.forget(ItemRecord.of(renaming.name))
    }
    next.logs = try await ItemLogs(
      of: next.definition,
      next.blueprints,
      after: current.logs,
      renaming: renamings,
      mayRename: mayRename,
      &restoring,
      context
    )
    // Members of the new configuration edit them before the tables are found that show that.
    let renamed = renamings.compactMap { next.logs[$0.name] }.filter(\.isStored)
    for log in renamed { await log.holdTurn() }
    next.held += renamed
    for blueprint in next.blueprints where !blueprint.definition.isFamily {
      let name = blueprint.definition.name
      if let table = current.tablesByName[name] {
        guard !table.canBe(blueprint, next.logs.log(of: blueprint)) else {
          next.languages[name] = try await table.restoreLanguages(blueprint)
          continue
        }
        await close(table, &next, &restoring)
      }
      next.made[name] = try await LiveTable.restored(
        blueprint,
        from: try await restoring.table(name),
        next.logs,
        isStarted.withLock { $0 } ? .left : .earlier,
        replacing: current.tablesByName[name],
        context: context
      )
    }
  }

  /// Has a table begin no change any more. What it has on its way to the store is written before the store is read, or read
  /// again.
  private func close(_ table: LiveTable, _ next: inout Prepared, _ stored: inout StoredTables) async {
    guard !next.closed.contains(where: { $0 === table }) else { return }
    for table in table.all { await table.writer.shut() }
    stored.forget(table.name)
    next.closed.append(table)
  }

  /// Gives up a configuration that was prepared: one that is not adopted has to be.
  package func cancel(_ next: Prepared) {
    for table in next.closed.flatMap(\.all) { table.writer.reopen() }
    for log in next.held { log.endPlanning() }
  }

  /// Goes on with another configuration. Tables that both have keep their versions and waiters; what changed in them
  /// reaches clients as a changeset.
  ///
  /// - Throws: ``StartError`` where the items of its sources can't be stored under their names: then everything is as it was, and the
  ///   configuration is given up.
  @discardableResult
  package func adopt(_ next: Prepared) async throws -> Catalog {
    try await withTaskExecutorPreference(context.loading) {
      let next = try await begun(next, orFailing: "the items of its sources can't be stored") {
        await $0.logs.begin(context)
      }
      return await adopt(next, alreadyBegun: false)
    }
  }

  /// Has a configuration stored as far as it has to be; prepared again where another replica has given items another name since they
  /// were read.
  ///
  /// - Parameters:
  ///   - failure: what to say where it can't be.
  ///   - begin: returns what went wrong.
  private func begun(_ prepared: Prepared, orFailing failure: String, _ begin: (Prepared) async -> StoreError?)
    async throws -> Prepared
  {
    var (next, attempts) = (prepared, 3)
    while let error = await begin(next) {
      cancel(next)
      attempts -= 1
      guard error == .superseded, attempts > 0 else { throw StartError(description: "\(failure): \(error)") }
      next = try await prepare(next.definition)
    }
    return next
  }

  private func adopt(_ next: Prepared, alreadyBegun: Bool) async -> Catalog {
    await context.adoptions.perform { await takeOver(next, alreadyBegun: alreadyBegun) }
  }

  private func takeOver(_ next: Prepared, alreadyBegun: Bool) async -> Catalog {
    let before = catalog
    let settings = EngineContext.Settings(next.definition, next.digests)
    context.configure(settings)
    // Before anybody reads them: from here on they are told of every commit, and what was committed while they were made is in them.
    if !alreadyBegun, let error = await beginTables(of: next) {
      context.logger.error("A table's first version could not be stored", metadata: ["reason": "\(error)"])
    }
    let turnover = SourceTurnover(from: before, to: next.definition, settings.digests)
    let tables = await reconfigure(next, before)
    let replaced = before.sources.values.filter { !turnover.keeps($0.name) }
    for source in replaced { source.makeRoom() }
    let unheard = tables.map { blueprint, table, heard in
      (table, table.move(to: table.polledSources(blueprint), heard, unchanged: turnover.unchanged))
    }
    let families = await families(next, before, turnover)
    let catalog = Catalog(
      next.definition,
      settings.digests,
      tables: tables.map(\.table),
      families: families,
      logs: next.logs
    )
    adopted.withLock { $0 = catalog }
    // Waiters that are to be answered by a table's successor find that begun.
    retire(before, for: catalog)
    // Requests on behalf of waiters find their tables begun.
    for source in replaced {
      source.goOn(with: catalog.sources[source.name].flatMap { $0.isAsked || context.replica.isLeading ? $0 : nil })
    }
    if isStarted.withLock({ $0 }) { goOn(with: catalog, unheard) }
    // Edits that have waited find their tables or their items replaced, and are sent again.
    before.logs.retire(for: next.logs)
    for log in next.held { log.endPlanning() }
    return catalog
  }

  /// Calls back with the names of the tables that do not show yet what they have become by a configuration that was taken over: as soon as
  /// that is known, whenever there are fewer, and when there are none; on any queue. One whose version can't be stored, or whose
  /// upstreams have not answered what they are asked now, shows what it was. Not when another configuration was taken over since.
  package func whenShown(_ catalog: Catalog, _ progress: @escaping @Sendable (Set<String>) -> Void) {
    let tables = (catalog.tables + catalog.families.flatMap(\.tables)).flatMap(\.all)
    whenShown(tables, of: catalog, known: nil, pause: .milliseconds(200), progress)
  }

  private func whenShown(
    _ tables: [LiveTable],
    of catalog: Catalog,
    known: Set<String>?,
    pause: Duration,
    _ progress: @escaping @Sendable (Set<String>) -> Void
  ) {
    let left = JoinedCalls<LiveTable?, [LiveTable]>([]) { left, table in if let table { left.append(table) } }
    for table in tables {
      let finish = left.begin()
      table.writer.afterFollowing { finish(table.isLiving && table.writer.showsFormer ? table : nil) }
    }
    left.notify(on: context.background) { [weak self] left in
      guard let self, self.catalog === catalog else { return }
      let names = Set(left.map(\.reference.name))
      if names != known { progress(names) }
      guard !left.isEmpty else { return }
      context.background.asyncAfter(deadline: .now() + pause.dispatchInterval) { [weak self] in
        self?.whenShown(left, of: catalog, known: names, pause: min(pause * 2, .seconds(1)), progress)
      }
    }
  }

  /// The tables that there are from now on, each with what it is made of and what it has of its sources; those that were there go
  /// on with that.
  private func reconfigure(_ next: Prepared, _ before: Catalog) async
    -> [(blueprint: TableBlueprint, table: LiveTable, heard: AnsweredSources)]
  {
    var tables: [(blueprint: TableBlueprint, table: LiveTable, heard: AnsweredSources)] = []
    for blueprint in next.blueprints where !blueprint.definition.isFamily {
      let name = blueprint.definition.name
      if let table = next.made[name] {
        tables.append((blueprint, table, AnsweredSources()))
      } else if let table = before.tablesByName[name] {
        let (otherLogs, stored) = (next.logs.others(of: blueprint), next.languages[name] ?? [:])
        tables.append((blueprint, table, await table.reconfigure(blueprint, otherLogs, stored: stored)))
      }
    }
    return tables
  }

  /// The families that there are from now on; those that were there keep their members.
  private func families(
    _ next: Prepared,
    _ before: Catalog,
    _ turnover: SourceTurnover
  ) async -> [TableFamily] {
    var families: [TableFamily] = []
    for blueprint in next.blueprints where blueprint.definition.isFamily {
      let family = before.familiesByName[blueprint.definition.name] ?? TableFamily(blueprint, context)
      await family.configure(blueprint, next.logs.others(of: blueprint), unchanged: turnover.unchanged)
      families.append(family)
    }
    return families
  }

  /// Ends what is not there any more, or has another in its place.
  private func retire(_ before: Catalog, for catalog: Catalog) {
    for (name, table) in before.tablesByName where catalog.tablesByName[name] !== table {
      // They are others' from now on.
      table.attach([])
      guard let next = catalog.tablesByName[name] else {
        if catalog.familiesByName[name] == nil { table.remove() } else { table.giveWayToFamily() }
        continue
      }
      // An edit that the upstream has accepted may be what could not be stored.
      let isBehind = table.all.contains { $0.writer.isBehindInputs }
      if isBehind { for table in next.all { table.writer.holdReadsForSources() } }
      table.retire(for: next)
      // Other replicas' commits since the table was read went to its predecessor.
      for table in next.all { table.writer.lookForNews { _ in } }
    }
    for (name, family) in before.familiesByName where catalog.familiesByName[name] == nil {
      family.removeAll(for: catalog.tablesByName[name])
    }
  }

  /// Has the sources asked by whom they are to be asked.
  ///
  /// - Parameter unheard: by table, those that have to tell it what they said last, or will say first.
  private func goOn(with catalog: Catalog, _ unheard: [(table: LiveTable, sources: [LiveTable.Unheard])]) {
    context.replica.configure(catalog.definition)
    for family in catalog.families { family.startSweeping() }
    guard context.replica.isLeading else { return }
    for (table, sources) in unheard {
      for (source, isUnheard) in sources { source.begin(table, isUnheard: isUnheard) }
    }
    adoptMembers()
  }

  /// Stores the first items of new sources, then the first versions of new tables. Returns what went wrong.
  private func begin(_ next: Prepared) async -> StoreError? {
    if let error = await next.logs.begin(context) { return error }
    return await beginTables(of: next)
  }

  private func beginTables(of next: Prepared) async -> StoreError? {
    let failure = JoinedCalls<StoreError?, StoreError?>(nil) { $0 = $1 ?? $0 }
    for table in next.made.values {
      await table.begin(failure.begin())
      // Later commits reach it by this.
      for table in table.all { table.writer.followItems() }
    }
    return await failure.all(on: context.background)
  }
}
