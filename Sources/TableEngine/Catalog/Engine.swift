package import Definitions
import Dispatch
import Logging
import Synchronization
import TableStore

/// Tables as they live: made of a configuration, fed by its sources, restored from the store.
///
/// Another configuration is taken over in two phases. ``prepare(_:)`` reads and makes everything that can fail, while all
/// that lives is as it was; ``adopt(_:)`` swaps, and can't fail. There is one owner of what is stored at any time: a
/// table that another one takes the place of writes no more once that one has read what there is.
package final class Engine: Sendable {
  let context: EngineContext
  private let adopted: Mutex<Catalog>
  private let isStarted = Mutex(false)

  /// An engine with the tables of a definition, restored from the store where it has them.
  ///
  /// - Throws: ``StartError`` where a table can't be made of its definition, or the store can't be used.
  package init(_ definition: ServiceDefinition, _ environment: EngineEnvironment) throws {
    context = try EngineContext(definition, environment)
    adopted = Mutex(Catalog(ServiceDefinition(), context.current.digests, tables: [], families: [], sources: [:]))
    let next = try prepare(definition)
    // At the start, what can't be stored is a reason not to.
    if let error = begin(next) {
      throw StartError(description: "the first versions could not be stored: \(error)")
    }
    adopt(next, alreadyBegun: true)
  }

  package var catalog: Catalog { adopted.withLock { $0 } }

  /// Starts fetching.
  package func start() {
    isStarted.withLock { $0 = true }
    if context.replica.isShared {
      context.followViews()
      // Before anything is edited by a configuration that does not count.
      context.learnRank()
    }
    for family in catalog.families { family.startSweeping() }
    let members = Replica.MemberTasks(
      claim: { [weak self] in self?.claimMembers() },
      claimed: { [weak self] claims in self?.accept(claims) },
      refused: { [weak self] refusal in self?.accept(refusal) },
      removed: { [weak self] name in self?.removed(name) },
      handOver: { [weak self] lease, isLast, completion in
        self?.handOverMembers(under: lease, isLast: isLast, completion)
      }
    )
    context.replica.start(
      Replica.Tasks(
        beginFetching: { [weak self] left in self?.beginFetching(left) },
        stopFetching: { [weak self] in self?.catalog.pausePolling() },
        handOver: { [weak self] completion in self?.catalog.handOver(completion) },
        moved: { [weak self] table, revision in self?.moved(table, to: revision) },
        tapped: { [context] tap in context.follow(tap) },
        reconnected: { [context] in context.followViews() },
        carryOut: { [weak self] task, completion in self?.carryOut(task, completion) },
        members: members
      )
    )
  }

  /// Another replica has written a table; perhaps one that this one's configuration doesn't have.
  private func moved(_ table: String, to revision: Revision) {
    guard let writer = catalog.writer(of: table) else { return context.replica.caughtUp(table) }
    writer.moved(to: revision)
  }

  /// This process asks the sources from now on.
  private func beginFetching(_ left: Handover?) {
    let catalog = catalog
    guard context.replica.isShared else { return catalog.startPolling() }
    for table in catalog.tables.flatMap(\.all) { table.writer.lead() }
    catalog.takeOverPolling(left)
    for family in catalog.families { family.lead() }
    adoptMembers()
  }

  /// Why requests should not be sent here for now; nil where they should.
  package var unreadiness: String? { context.replica.unreadiness }

  /// Stops fetching and writes what is left to write. Calls `completion` when done.
  package func close(_ completion: @escaping @Sendable () -> Void) {
    isStarted.withLock { $0 = false }
    catalog.stopSources()
    context.replica.stop { [store = context.store] in store.flush { _ in completion() } }
  }

  // MARK: Another configuration

  /// A configuration whose tables are made, and not shown yet.
  package struct Prepared: Sendable {
    fileprivate var definition: ServiceDefinition
    fileprivate var blueprints: [TableBlueprint]
    /// New ones, and those that take the place of one that can't go on.
    fileprivate var made: [String: LiveTable] = [:]
    /// Those that begin no change any more.
    fileprivate var closed: [LiveTable] = []
    fileprivate var keepers: ItemKeepers?
  }

  /// - Throws: ``StartError``; then everything is as it was.
  package func prepare(_ definition: ServiceDefinition) throws -> Prepared {
    var next = Prepared(
      definition: definition,
      blueprints: try definition.tables.map { table throws(StartError) in try TableBlueprint(table, in: definition) }
    )
    do { try make(&next) } catch {
      cancel(next)
      throw error
    }
    return next
  }

  /// Makes the tables that are new, or can't go on as they are.
  private func make(_ next: inout Prepared) throws {
    let current = catalog
    var restoring = StoredTables(context)
    let places = context.replica.isShared ? ItemPlaces() : try ItemPlaces(&restoring)
    var keepers = try ItemKeepers(
      of: next.blueprints,
      sources: Set(next.definition.sources.map(\.name)),
      after: current,
      places,
      &restoring
    )
    // Their items are others' from now on: what they have on its way is written before those read it.
    for table in keepers.resigned { close(table, &next) }
    for blueprint in next.blueprints where blueprint.definition.isFamily {
      // For what can't be taken to be said.
      _ = try keepers.loans(of: blueprint, &restoring)
    }
    // Guests are made of what their keepers have.
    for blueprint in keepers.inOrder(next.blueprints) {
      let name = blueprint.definition.name
      let keeper = keepers.keeper(of: blueprint).flatMap { next.made[$0] ?? current.tablesByName[$0] }?.writer
      if let table = current.tablesByName[name] {
        let hasOthers = try keepers.inheritance(of: blueprint, &restoring) != nil
        guard hasOthers || !table.canBe(blueprint, keeper: keeper) else { continue }
        // What it has on its way to the store is written before the store is read.
        close(table, &next)
      }
      let inherited = try keepers.inheritance(of: blueprint, &restoring)
      let house = keeper.map { .kept(by: $0) } ?? inherited ?? ItemHouse.own
      let loans = try keepers.loans(of: blueprint, &restoring)
      next.made[name] = try LiveTable.restored(
        blueprint,
        from: restoring.table(name),
        house,
        loans,
        isReplacing: current.tablesByName[name] != nil,
        context: context
      )
    }
    try keepers.putAside(&restoring, context)
    next.keepers = keepers
  }

  private func close(_ table: LiveTable, _ next: inout Prepared) {
    guard !next.closed.contains(where: { $0 === table }) else { return }
    for table in table.all { table.writer.shut() }
    next.closed.append(table)
  }

  /// Gives up a configuration that was prepared.
  package func cancel(_ next: Prepared) {
    for table in next.closed.flatMap(\.all) { table.writer.reopen() }
  }

  /// Goes on with another configuration. Tables that both have keep their versions and waiters; what changed in them
  /// reaches clients as a changeset.
  @discardableResult
  package func adopt(_ next: Prepared) -> Catalog { adopt(next, alreadyBegun: false) }

  @discardableResult
  private func adopt(_ next: Prepared, alreadyBegun: Bool) -> Catalog {
    let before = catalog
    let definition = next.definition
    let settings = EngineContext.Settings(definition)
    context.configure(settings)
    var turnover = SourceTurnover(from: before, to: definition, settings.digests)
    let living = next.blueprints.filter { !$0.definition.isFamily }.compactMap { blueprint in
      let name = blueprint.definition.name
      return (next.made[name] ?? before.tablesByName[name]).map { (blueprint: blueprint, table: $0) }
    }
    let tables = living.map(\.table)
    for (blueprint, table) in living {
      let loans = next.keepers?.loans(of: blueprint, among: tables) ?? []
      var heard = HeardSources()
      if next.made[table.name] == nil {
        heard = table.reconfigure(blueprint, loans)
      } else {
        table.writer.loans.withLock { $0 = loans }
      }
      for source in blueprint.upstreams { turnover.note(source.name, heard: heard) }
    }
    let sources = turnover.sources(context)
    let replaced = before.sources.values.filter { sources[$0.name] !== $0 }
    for source in replaced { source.makeRoom() }
    for (blueprint, table) in living { table.attach(blueprint.upstreams.compactMap { sources[$0.name] }) }
    let families = next.blueprints.filter(\.definition.isFamily).map { blueprint in
      let family = before.familiesByName[blueprint.definition.name] ?? TableFamily(blueprint, context)
      let loans = next.keepers?.loans(of: blueprint, among: tables) ?? []
      family.configure(blueprint, loans, unchanged: turnover.unchanged)
      return family
    }
    let catalog = Catalog(definition, settings.digests, tables: tables, families: families, sources: sources)
    adopted.withLock { $0 = catalog }
    for (name, table) in before.tablesByName where catalog.tablesByName[name] !== table {
      // They are others' from now on.
      table.attach([])
      if let next = catalog.tablesByName[name] { table.retire(for: next) } else { table.remove() }
    }
    for (name, family) in before.familiesByName where catalog.familiesByName[name] == nil { family.removeAll() }
    // What was edited since a guest was made reaches it now.
    for table in tables {
      table.writer.guests.withLock { $0.tables = tables.map(\.writer).filter { $0.follows(table.writer) } }
    }
    if !alreadyBegun, let error = begin(next) {
      context.logger.error("A table's first version could not be stored", metadata: ["reason": "\(error)"])
    }
    write(next.keepers?.places)
    for table in tables where !table.writer.guests.withLock({ $0.isEmpty }) { table.writer.publishAll() }
    // What is asked on behalf of those who wait finds its tables begun.
    for source in replaced {
      source.goOn(with: sources[source.name].flatMap { $0.isRead && context.replica.isLeading ? $0 : nil })
    }
    if isStarted.withLock({ $0 }) {
      context.replica.configure(definition)
      for family in catalog.families { family.startSweeping() }
      if context.replica.isLeading {
        catalog.startPolling(after: before.sources)
        adoptMembers()
      }
    }
    return catalog
  }

  /// Writes down which tables keep the service's own items.
  private func write(_ places: ItemPlaces?) {
    guard !context.replica.isShared, let places else { return }
    do { try places.write(context) } catch {
      context.logger.error("Which table keeps which items could not be stored", metadata: ["reason": "\(error)"])
    }
  }

  /// Stores the first versions of new tables. Returns what went wrong.
  private func begin(_ next: Prepared) -> StoreError? {
    write(next.keepers?.interim)
    let group = DispatchGroup()
    let failure = Mutex<StoreError?>(nil)
    for table in next.made.values {
      group.enter()
      table.begin { error in
        if let error { failure.withLock { $0 = error } }
        group.leave()
      }
    }
    group.wait()
    return failure.withLock { $0 }
  }

  /// Has all who wait look again: what they may read has changed.
  package func wakeAll() {
    let catalog = catalog
    for table in catalog.tables { table.wakeAll() }
    for family in catalog.families { family.wakeAll() }
  }

  /// Fetches a source now because its upstream says that something changed (`POST /v1/hooks/{source}`).
  ///
  /// - Parameter header: a header field of the request, by its name.
  /// - Throws: where no source of that name takes webhooks, or the signature is not the body's.
  package func hook(_ name: String, body: [UInt8], header: (String) -> String?) throws(TableError) {
    let catalog = catalog
    guard let source = catalog.sources[name], source.hasWebhook else {
      throw .notFound("No source `\(name)` takes webhooks.")
    }
    try source.verify(body, header: header)
    if context.replica.isLeading {
      if source.isRead { source.refresh {} }
    } else {
      context.replica.askLeader(.refresh(name)) { _ in }
    }
    for family in catalog.families { family.refresh(source: name) }
  }

  // MARK: Figures

  /// How the refreshes of each source ended.
  package var refreshes: [(source: String, outcome: String, count: Int)] {
    context.refreshes.all.map { ($0.source, $0.outcome.rawValue, $0.count) }
  }

  /// This process asks the sources; how often others' writing was taken over, and how often it was in the way of
  /// writing here.
  package var replication: (isLeading: Bool, catchUps: Int, conflicts: Int) {
    let counts = context.replica.counts
    return (context.replica.isLeading, counts.catchUps, counts.conflicts)
  }

  /// The requests to upstreams, by source and purpose.
  package var requests: [RequestFigures] { context.requests.all }

  /// How edits ended, by the table's name: `done`, or the kind of refusal.
  package var edits: [(table: String, result: String, count: Int)] { context.edits.all }

  /// How many views were tapped in and are held.
  package var viewCount: Int { context.views.count }

  /// The answers to requests with idempotency keys that are held in memory: how many, and what they take in bytes.
  package var rememberedAnswers: (count: Int, bytes: Int) { context.answers.size }
}
