import Logging
import Synchronization

/// What all loops of a server share.
final class ServerContext: Sendable {
  let limits: Configuration.Limits
  let timeouts: Timeouts
  let handler: any RequestHandler
  let logger: Logger
  let crossOrigin: CrossOriginPolicy?
  let connections: Admission
  let waiters: Admission
  /// Loops that have not ended yet, and what to do when none is left.
  private let ending = Mutex(Ending())

  private struct Ending {
    var running = 0
    var completions: [@Sendable () -> Void] = []
  }

  init(_ configuration: Configuration, _ handler: any RequestHandler, _ logger: Logger) {
    limits = configuration.limits
    timeouts = Timeouts(configuration.timeouts)
    self.handler = handler
    self.logger = logger
    crossOrigin = configuration.crossOrigin.map(CrossOriginPolicy.init)
    connections = Admission(limit: limits.connections, perAddress: limits.connectionsPerAddress)
    waiters = Admission(limit: limits.waiters, perAddress: limits.waitersPerAddress)
  }

  /// `count` loops have begun.
  func started(_ count: Int) { ending.withLock { $0.running = count } }

  /// A loop has ended.
  func stopped() {
    let completions = ending.withLock { ending in
      ending.running -= 1
      guard ending.running <= 0 else { return [] as [@Sendable () -> Void] }
      defer { ending.completions = [] }
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
