import HTTPServer
import Synchronization
import TableEngine

/// The server as the engine sees it: whom to tell that something changed. It is made after the handler that needs it.
final class WakingServer: ChangeNotifier {
  private let server = Mutex<Server?>(nil)
  private let bundles = Mutex(TopicBundles())
  private let wakes = Atomic<UInt64>(0)

  func attach(_ server: Server) { self.server.withLock { $0 = server } }

  /// How often anybody was woken: as long as it is the same, nothing has changed that somebody could wait for.
  var wakeCount: UInt64 { wakes.load(ordering: .acquiring) }

  func wake(_ topics: [ChangeTopic]) {
    // Before anybody is: who looks after that sees what has changed.
    wakes.add(1, ordering: .acquiringAndReleasing)
    let topics = topics.map(Topic.init)
    let bundles = bundles.withLock { $0.bundles(with: topics) }
    server.withLock { $0 }?.wake(topics + bundles)
  }

  /// Lets go of what was made of requests' heads.
  func forgetHeads() { server.withLock { $0 }?.forgetHeads() }

  /// Returns a topic that is woken with any of these; to be given back by ``unbundle(_:)``.
  func bundle(_ topics: [Topic]) -> Topic { bundles.withLock { $0.take(topics) } }

  func unbundle(_ topics: [Topic]) { bundles.withLock { $0.letGo(of: topics) } }

  var statistics: Statistics { server.withLock { $0 }?.statistics ?? Statistics() }
}

extension Topic {
  init(_ topic: ChangeTopic) { self.init(rawValue: topic.rawValue) }
}
