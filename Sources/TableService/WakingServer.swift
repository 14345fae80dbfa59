import HTTPServer
import Synchronization
import TableEngine

/// The server as the engine sees it: whom to tell that something changed. It is made after the handler that needs it.
final class WakingServer: ChangeNotifier {
  private let server = Mutex<Server?>(nil)

  func attach(_ server: Server) { self.server.withLock { $0 = server } }

  func wake(_ topics: [ChangeTopic]) { server.withLock { $0 }?.wake(topics.map(Topic.init)) }

  var statistics: Statistics { server.withLock { $0 }?.statistics ?? Statistics() }
}

extension Topic {
  init(_ topic: ChangeTopic) { self.init(rawValue: topic.rawValue) }
}
