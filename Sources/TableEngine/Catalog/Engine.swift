package import Definitions
import Logging
package import Queues
import Synchronization
import TableFinding
import TableStore
import Upstream

/// Tables as they live: made of a configuration, fed by its sources, restored from the store.
///
/// Another configuration is taken over in two phases. ``prepare(_:)`` reads and makes everything that can fail, while all
/// that lives is as it was; ``adopt(_:)`` swaps, and can't fail. There is one owner of what is stored at any time: a
/// table that another one takes the place of writes no more once that one has read what there is.
package final class Engine: Sendable {
  let context: EngineContext
  let adopted: Mutex<Catalog>
  let isStarted = Mutex(false)
  /// How often was looked whether the database still has a table.
  private let looks = Atomic<UInt>(0)

  /// An engine with the tables of a definition, restored from the store where it has them.
  ///
  /// - Throws: ``StartError`` where a table can't be made of its definition, or the store can't be used.
  package convenience init(_ definition: ServiceDefinition, _ environment: EngineEnvironment) async throws {
    try self.init(for: definition, in: environment)
    try await load(definition)
  }

  /// An engine that has no tables yet.
  init(for definition: ServiceDefinition, in environment: EngineEnvironment) throws {
    context = try EngineContext(definition, environment)
    adopted = Mutex(
      Catalog(ServiceDefinition(), context.current.digests, tables: [], families: [], logs: ItemLogs())
    )
    context.catalog.set { [weak self] in self?.catalog }
  }

  /// Runs the tasks that take a configuration over.
  package var loading: QueueExecutor { context.loading }

  package var catalog: Catalog { adopted.withLock { $0 } }

  /// Starts fetching.
  package func start() async {
    isStarted.withLock { $0 = true }
    if context.replica.isShared {
      context.followViews()
      // Before anything is edited by a configuration that does not count.
      await withCallback { done in context.replica.learn { done(()) } }
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
        handOver: { [weak self, context] completion in
          self?.catalog.handOver(on: context.background, completion)
        },
        moved: { [weak self] table, revision in self?.moved(table, to: revision) },
        layOut: { [weak self] in self?.layOut() },
        tapped: { [context] tap in context.follow(tap) },
        reconnected: { [context] in context.followViews() },
        lookAround: { [weak self] in self?.lookAround(isForAll: $0) },
        carryOut: { [weak self] task, completion in self?.carryOut(task, completion) },
        members: members
      )
    )
  }

  /// Another replica has written a record; perhaps one that this one's configuration doesn't have.
  private func moved(_ table: String, to revision: Revision) {
    if let log = catalog.logs.log(in: table) { return log.moved(to: revision) }
    guard let writer = catalog.writer(of: table) else { return context.replica.caughtUp(table) }
    writer.moved(to: revision)
  }

  /// Looks whether the database still has the tables: one each time, or all of them, members too.
  private func lookAround(isForAll: Bool) {
    let catalog = catalog
    guard !isForAll else {
      let members = catalog.families.flatMap { $0.members.map(\.table) }.filter(\.isShared)
      return (catalog.tables + members).flatMap(\.all).forEach { $0.writer.lookWhetherItIsThere() }
    }
    guard !catalog.tables.isEmpty else { return }
    let number = looks.add(1, ordering: .relaxed).newValue
    catalog.tables[Int(number % UInt(catalog.tables.count))].writer.lookWhetherItIsThere()
  }

  /// This process asks the sources from now on.
  private func beginFetching(_ left: Handover?) {
    let catalog = catalog
    guard context.replica.isShared else { return catalog.startPolling() }
    guard let lease = context.replica.lease else { return }
    for table in catalog.tables.flatMap(\.all) { table.writer.lead(under: lease.term) }
    catalog.takeOverPolling(under: lease.term, left)
    for family in catalog.families { family.lead() }
    adoptMembers()
  }

  /// Another release, or a lower generation, may have laid tables out until now.
  private func layOut() {
    let members = catalog.families.flatMap { $0.members.map(\.table) }.filter(\.isShared)
    for table in (catalog.tables + members).flatMap(\.all) { table.writer.layOut() }
  }

  /// Why requests should not be sent here for now; nil where they should.
  package var unreadiness: String? { context.replica.unreadiness }

  /// Stops fetching and writes what is left to write. Calls `completion` when done.
  package func close(_ completion: @escaping @Sendable () -> Void) {
    isStarted.withLock { $0 = false }
    catalog.stopSources()
    context.replica.stop { [store = context.store] in store.flush { _ in completion() } }
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
    // All secrets are tried, whatever the name: neither the answer nor its time tells a stranger which sources there are.
    var (verdict, isKnownSender): (WebhookSignature.Verdict?, Bool) = (nil, false)
    var known: [[UInt8]: WebhookSignature.Verdict] = [:]
    for source in catalog.definition.sources {
      guard case .upstream(let upstream) = source.kind,
        let own = upstream.webhookVerdict(on: body, header: header, known: &known)
      else { continue }
      if source.name == name { verdict = own }
      if own == .valid { isKnownSender = true }
    }
    switch verdict {
    case .valid?: fetch(source: name, isWhole: false) { _ in }
    case nil where isKnownSender: throw .notFound("No source `\(name)` takes webhooks.")
    case .stale?: throw .staleWebhook
    case .invalid?, nil: throw .unsignedWebhook
    }
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
  /// The searches that are kept to go on from, and what they take, about, in bytes.
  package var keptSearches: (count: Int, bytes: Int) { (context.findMemory.count, context.findMemory.byteCount) }

  /// The answers to requests with idempotency keys that are held in memory: how many, and what they take in bytes.
  package var rememberedAnswers: (count: Int, bytes: Int) { context.answers.size }
}
