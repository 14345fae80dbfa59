import Definitions
import Dispatch
import HTTPServer
import Logging
import Synchronization
import TableStore
import Upstream

/// What the tables of one service share.
final class ServiceContext: Sendable {
  let store: any Store
  let views: ViewDirectory
  let acceptedCells = AcceptedCellsRegistry()
  let joinedReplies = JoinedReplies()
  let refreshes = RefreshCounts()
  let client: TransferClient
  let logger: Logger
  /// How many versions of a table are held.
  let history: Int
  /// Where the tables' own serial queues run.
  let tableQueue = DispatchQueue(label: "tablecast.tables", attributes: .concurrent)
  let renderQueue = DispatchQueue(label: "tablecast.rendering", attributes: .concurrent)
  /// For what may block and belongs to no table.
  let background = DispatchQueue(label: "tablecast.background", attributes: .concurrent)

  private let server = Mutex<Server?>(nil)
  private let environment: Mutex<[String: String]>
  private let said = Mutex<Set<String>>([])

  init(_ definition: ServiceDefinition, _ environment: ServiceEnvironment) throws {
    client = try TransferClient()
    store = environment.store
    logger = environment.logger
    history = definition.history
    views = ViewDirectory(definition.views)
    self.environment = Mutex(definition.environment)
  }

  /// Goes on with another configuration's variables.
  func configure(_ variables: [String: String]) {
    environment.withLock { $0 = variables }
    said.withLock { $0 = [] }
  }

  /// Whether this was not said yet since the configuration was read: for what is to be logged once.
  func isFirst(_ saying: String) -> Bool { said.withLock { $0.insert(saying).inserted } }

  /// For `env`: never logged, never shown.
  var variables: [String: String] { environment.withLock { $0 } }

  /// The server is made after the handler that needs this.
  func attach(_ server: Server) { self.server.withLock { $0 = server } }

  func wake(_ topics: [Topic]) { server.withLock { $0 }?.wake(topics) }

  var statistics: Statistics { server.withLock { $0 }?.statistics ?? Statistics() }

  // MARK: The store, at the start

  /// Waits for what the store has of a table. At the start only: nothing else blocks.
  func restore(_ table: String) throws -> StoredTable {
    try waiting { store.restore(table, completion: $0) }.get()
  }

  func commit(_ commit: Commit) throws {
    guard commit.version != nil || commit.items != nil else { return }
    try waiting { store.commit(commit, completion: $0) }.get()
  }

  private func waiting<Value: Sendable>(_ begin: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
    let arrival = Arrival<Value>()
    begin { arrival.come($0) }
    return arrival.wait()
  }
}

/// A value that arrives on another thread, once.
private final class Arrival<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func come(_ value: Value) {
    self.value.withLock { $0 = value }
    semaphore.signal()
  }

  func wait() -> Value {
    while true {
      semaphore.wait()
      if let value = value.withLock({ $0 }) { return value }
    }
  }
}
