public import Logging

/// An HTTP/1.1 origin server (RFC 9110, RFC 9112) on a few event loops.
public final class Server: Sendable {
  let configuration: Configuration
  let handler: any RequestHandler

  /// A server that is not started yet.
  public init(configuration: Configuration, handler: any RequestHandler, logger: Logger) {
    self.configuration = configuration
    self.handler = handler
  }

  /// Binds, listens and serves. Returns where it listens: the port is the kernel's choice if 0 was configured.
  ///
  /// - Throws: `ServerError` where the address can't be bound.
  public func start() throws(ServerError) -> SocketAddress { SocketAddress(high: 0, low: 0, port: 0) }

  /// Wakes every request that waits for one of `topics`. From any queue; one block is posted to each loop. Change
  /// what waiters compare first, and call this afterwards.
  public func wake(_ topics: [Topic]) {}

  /// Stops taking connections, answers all that wait as if their time was over, closes idle connections, ends
  /// streams, and sends the rest with `Connection: close`. Calls `completion` when no connection is left, at the
  /// latest after `deadline`, when what is left is cut off.
  public func drain(deadline: Duration, completion: @escaping @Sendable () -> Void) {}

  /// What has happened so far. O(number of loops); from any queue.
  public var statistics: Statistics { Statistics() }
}
