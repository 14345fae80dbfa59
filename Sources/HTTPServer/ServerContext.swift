import Logging
internal import LongWork
import Synchronization

/// The state that all loops of a server share.
final class ServerContext: Sendable {
  let limits: Configuration.Limits
  let timeouts: Timeouts
  let handler: any RequestHandler
  let logger: Logger
  /// Each loop has its own copy.
  let crossOrigin: Mutex<CrossOriginPolicy?>
  let hosts: HostPolicy?
  let proxies: TrustedProxies
  let accessLog: (@Sendable (AnsweredRequest) -> Void)?
  let capacity: Capacity
  let connections: Admission
  let waiters: Admission
  let output: OutputBudget
  let input: InputBudget
  /// Loops that have not ended yet, and what to do when none is left.
  private let ending = Mutex(Ending())

  private struct Ending {
    var running = 0
    /// All of them until the last one has ended, as they keep this. Weak references would make each retain slower.
    var loops: [EventLoop] = []
    var completions: [@Sendable () -> Void] = []
  }

  init(_ configuration: Configuration, _ handler: any RequestHandler, _ logger: Logger) {
    limits = configuration.limits
    timeouts = Timeouts(configuration.timeouts)
    self.handler = handler
    self.logger = logger
    crossOrigin = Mutex(configuration.crossOrigin.map { CrossOriginPolicy($0) })
    hosts = HostPolicy(
      hosts: configuration.hosts,
      listeningOn: SocketAddress(host: configuration.host, port: configuration.port)
    )
    proxies = TrustedProxies(configuration.trustedProxies)
    accessLog = configuration.accessLog
    capacity = Capacity(limits, descriptors: limits.descriptors ?? Capacity.descriptors)
    connections = Admission(
      limit: capacity.connections,
      perAddress: capacity.connectionsPerAddress,
      exemptsLoopback: limits.connectionsPerAddress == nil
    )
    output = OutputBudget(
      comfortable: limits.waitingOutput,
      limit: limits.mostWaitingOutput ?? AvailableMemory.bytes / 4
    )
    input = InputBudget(
      limit: limits.unfinishedInput ?? min(256 << 20, AvailableMemory.bytes / 8),
      largest: limits.head + limits.body,
      exemptsLoopback: limits.connectionsPerAddress == nil
    )
    waiters = Admission(
      limit: capacity.waiters,
      perAddress: capacity.waitersPerAddress,
      exemptsLoopback: limits.waitersPerAddress == nil
    )
  }

  /// Returns the client of a connection.
  func client(of peer: SocketAddress) -> Client {
    Client(address: peer, kind: proxies.contains(peer) ? .proxy : peer.isLoopback ? .local : .remote)
  }

  /// Returns the client of a request that came over a proxy's connection. No field makes it one of this machine.
  func client(of head: RequestHead, by proxy: SocketAddress) -> Client {
    switch proxies.client(of: head, peer: proxy) {
    // A proxy that doesn't say for whom it asks is a client like any other; it has no connection's share, but this.
    case .peer: Client(address: proxy, kind: proxy.isLoopback ? .local : .remote)
    case .named(let address): Client(address: address, kind: .remote)
    case .unknown: Client(address: .unspecified, kind: .remote)
    }
  }

  /// The server's other loops.
  func loops(besides loop: EventLoop) -> [EventLoop] { ending.withLock { $0.loops }.filter { $0 !== loop } }

  /// The server's loops begin.
  func started(_ loops: [EventLoop]) { ending.withLock { ($0.running, $0.loops) = (loops.count, loops) } }

  /// A loop has ended.
  func stopped() {
    let completions = ending.withLock { ending in
      ending.running -= 1
      guard ending.running <= 0 else { return [] as [@Sendable () -> Void] }
      defer { (ending.completions, ending.loops) = ([], []) }
      return ending.completions
    }
    for completion in completions { completion() }
  }

  /// Calls `completion` when the last loop has ended, at once if none runs.
  func whenStopped(_ completion: @escaping @Sendable () -> Void) {
    let isOver = ending.withLock { ending in
      if ending.running > 0 { ending.completions.append(completion) }
      return ending.running <= 0
    }
    if isOver { completion() }
  }
}
