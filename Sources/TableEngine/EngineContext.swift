import Definitions
import JSON
import Logging
import Queues
import Synchronization
import TableFinding
import TableModel
import TableStore
import Upstream

/// The state that the tables of one engine share.
final class EngineContext: Sendable {
  let store: any Store
  let views: ViewDirectory
  let answers = RememberedAnswers()
  let repeats = Mutex(RepeatedEdits())
  let members = MemberMemory()
  let findMemory: FindMemory
  let sharedSources = SharedSources()
  let replica: Replica
  let adoptions = Adoptions()
  let refreshes = RefreshCounts()
  let requests = RequestCounts()
  let edits = EditCounts()
  let client: TransferClient
  let logger: Logger
  /// The secret of the labels that stand for callers' own header fields in logs: new in every process.
  let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
  /// As ``EngineEnvironment/mostPrivateItems``.
  let mostPrivateItems: Int
  /// How many versions of a table are held.
  private let history: Int
  /// The threads of the tables that always live: enough that no table waits long for others' work.
  private let tablePool: QueuePool
  /// The threads of families' members, which readers make in any number: these wait for each other alone.
  private let memberPool: QueuePool
  /// For what takes long and belongs to no table.
  let background: WorkQueue
  /// For the tasks that take another configuration over.
  let loading: QueueExecutor

  /// The tables that there are now; nil while the engine is made, and when it has ended.
  let catalog = LateFunction<@Sendable () -> Catalog?>()
  /// How many tables were made.
  let tableCount = Atomic(0)
  /// The numbers of sources' answers that were given.
  private let answerCount = Atomic<UInt64>(0)
  private let notifier: any ChangeNotifier
  private let settings: Mutex<Settings>
  private let logged = Mutex<Set<String>>([])

  /// Parts of the configuration that tables read as they go.
  struct Settings: Sendable {
    /// For `env`: never logged, never shown.
    var variables: [String: String]
    /// True if readers are told an upstream's own words.
    var showsUpstreamsWords: Bool
    var limits: LimitsDefinition
    /// By which replicas know that they have the same.
    var digests: HandoverDigests
    /// The sources of tables through which edits and actions reach an upstream.
    var editedSources: Set<String>

    init(_ definition: ServiceDefinition, _ digests: HandoverDigests) {
      variables = definition.environment
      showsUpstreamsWords = definition.problems == .full
      limits = definition.limits
      self.digests = digests
      editedSources = Set(definition.tables.lazy.filter(\.changesUpstreams).flatMap(\.sourceNames))
    }
  }

  /// A serial queue for a table's own work.
  func queue(_ label: String, isMember: Bool) -> WorkQueue { (isMember ? memberPool : tablePool).serial(label) }

  init(_ definition: ServiceDefinition, _ environment: EngineEnvironment) throws {
    let logger = environment.logger
    let queues = environment.queues
    tablePool = queues.pool("tablecast.tables", threads: max(16, 2 * QueuePool.cores))
    memberPool = queues.pool("tablecast.members", threads: QueuePool.cores)
    background = queues.concurrent("tablecast.background")
    loading = QueueExecutor(queues.serial("tablecast.loading"))
    client = try TransferClient(queues, carrier: environment.carrier) { [requests] report in
      requests.count(report)
      report.log(logger)
    }
    store = environment.store
    replica = Replica(environment.store, definition, logger, queues)
    self.logger = logger
    notifier = environment.notifier
    history = definition.history
    mostPrivateItems = environment.mostPrivateItems
    findMemory = FindMemory(maximumBytes: definition.limits.lensBytes)
    views = ViewDirectory(definition.views, environment.store)
    settings = Mutex(Settings(definition, HandoverDigests(definition)))
  }

  var current: Settings { settings.withLock { $0 } }

  /// A table's versions: from its first state on, or from what is stored.
  func versions(of initial: Table, restored: StoredVersions? = nil) -> TableVersions {
    TableVersions(initial: initial, history: history, historyBytes: current.limits.mappingBytes, restored: restored)
  }

  /// Returns whether replicas share a member of a family: one that depends on a caller's header fields is in no store.
  ///
  /// - Parameter values: of `$caller`, those that the member is made of.
  func shares(_ member: TableReference, of definition: TableDefinition, for values: JSONValue) -> Bool {
    replica.isShared && definition.isSharedByReplicas
      && MemberClaim.canTell(member.canonical, values, dependsOnCaller: definition.dependsOnCaller)
  }

  /// Goes on with another configuration's settings.
  func configure(_ new: Settings) {
    settings.withLock { $0 = new }
    findMemory.set(maximumBytes: new.limits.lensBytes)
    logged.withLock { $0 = [] }
  }

  /// Returns whether this was not logged yet since the configuration was read: for messages that are to be logged once.
  func isFirst(_ saying: String) -> Bool {
    logged.withLock { logged in
      // Messages come from outside, too: they are not remembered without bound.
      if logged.count >= 10_000 { logged.removeAll() }
      return logged.insert(saying).inserted
    }
  }

  /// Returns a number for a source's answer: that of no other source. A table may have an answer of the source in whose place another one
  /// has come.
  func nextAnswer() -> UInt64 { answerCount.add(1, ordering: .relaxed).newValue }

  // MARK: Views that replicas share

  /// Another replica has been tapped.
  func follow(_ tap: ViewTap) {
    views.follow(tap) { [self] in wake([views.topic(view: tap.view)]) }
  }

  /// Reads what others were tapped while nobody listened here.
  func followViews() {
    views.readAll { [logger] error in
      if let error { logger.error("The views could not be read", metadata: ["reason": "\(error)"]) }
    }
  }

  func wake(_ topics: [ChangeTopic]) { notifier.wake(topics) }

  /// Reads what the store has of a table.
  func restore(_ table: String) async throws -> StoredTable {
    try await withCallback { store.restore(table, completion: $0) }.get()
  }
}

extension EngineContext {
  /// When all is given to the store that was under way.
  func forget(_ writer: TableWriter) {
    writer.content.queue.async { [self] in
      let name = writer.storedName
      guard let lease = replica.lease else { return store.release(name) }
      store.remove([name], fence: lease) { [logger, store] result in
        guard case .failure(let error) = result else { return }
        store.release(name)
        logger.notice("A member stays stored for now", metadata: ["table": "\(name)", "reason": "\(error)"])
      }
    }
  }
}
