import Definitions
import Dispatch
import HTTPServer
import Logging
import Synchronization
import TableStore

/// What the tables of one service share.
final class ServiceContext: Sendable {
  let store: any Store
  let views: ViewDirectory
  let acceptedCells = AcceptedCellsRegistry()
  let logger: Logger
  /// Where the tables' own serial queues run.
  let tableQueue = DispatchQueue(label: "tablecast.tables", attributes: .concurrent)
  let renderQueue = DispatchQueue(label: "tablecast.rendering", attributes: .concurrent)
  /// For what may block and belongs to no table.
  let background = DispatchQueue(label: "tablecast.background", attributes: .concurrent)

  private let server = Mutex<Server?>(nil)

  init(store: any Store, views: ViewDirectory, logger: Logger) {
    (self.store, self.views, self.logger) = (store, views, logger)
  }

  /// The server is made after the handler that needs this.
  func attach(_ server: Server) { self.server.withLock { $0 = server } }

  func wake(_ topics: [Topic]) { self.server.withLock { $0 }?.wake(topics) }

  var statistics: Statistics { server.withLock { $0 }?.statistics ?? Statistics() }
}
