internal import Dispatch
public import Logging
internal import Synchronization

/// An HTTP/1.1 origin server (RFC 9110, RFC 9112) on a few event loops.
///
/// The loops keep themselves and the handler alive from `start()` until a `drain(deadline:completion:)` has come to
/// its end.
public final class Server: Sendable {
  private enum State {
    case new
    case running([EventLoop])
    case draining([EventLoop])
  }

  private let configuration: Configuration
  private let shared: ServerContext
  private let state = Mutex(State.new)

  /// A server that is not started yet.
  public init(configuration: Configuration, handler: any RequestHandler, logger: Logger) {
    self.configuration = configuration
    shared = ServerContext(configuration, handler, logger)
  }

  /// Binds, listens and serves. Returns where it listens: the port is the kernel's choice if 0 was configured.
  /// A server is started once; further calls throw.
  ///
  /// - Throws: `ServerError` where the address is not one, or can't be bound.
  public func start() throws(ServerError) -> SocketAddress {
    let wanted = "\(configuration.host):\(configuration.port)"
    guard let address = SocketAddress(host: configuration.host, port: configuration.port) else {
      throw ServerError("listen on \(wanted)", code: 0, advice: "a numeric IPv4 or IPv6 address is needed")
    }
    let (loops, bound) = try state.withLock { state throws(ServerError) -> ([EventLoop], SocketAddress) in
      guard case .new = state else {
        throw ServerError("listen on \(wanted)", code: 0, advice: "this server was started already")
      }
      let (listeners, bound) = try Listener.open(
        address,
        count: max(configuration.loops ?? min(Processors.count, 4), 1),
        backlog: configuration.backlog
      )
      var loops: [EventLoop] = []
      do throws(ServerError) {
        for (index, listener) in listeners.enumerated() {
          loops.append(try EventLoop(index: index, listener: listener, shared: shared))
        }
      } catch {
        listeners.forEach(Socket.close)
        throw error
      }
      state = .running(loops)
      return (loops, bound)
    }
    shared.started(loops)
    for loop in loops { loop.start() }
    shared.logger.info(
      "listening",
      metadata: [
        "address": "\(bound)", "loops": .stringConvertible(loops.count),
        "connections": .stringConvertible(shared.capacity.connections),
        "waiters": .stringConvertible(shared.capacity.waiters),
      ]
    )
    return bound
  }

  /// Wakes every request that waits for one of `topics`. From any queue; one message is posted to each loop. Change
  /// what waiters compare first, and call this afterwards (see `RequestHandler.handle(_:_:)`).
  public func wake(_ topics: [Topic]) {
    guard !topics.isEmpty else { return }
    for loop in loops { loop.post(.wake(topics)) }
  }

  /// Goes on with other rules for pages of other origins; nil: none may read or write. From any queue but a loop's. Requests that wait
  /// are answered by the new ones. Returns when they count on all loops, after a second at most.
  public func allow(_ crossOrigin: Configuration.CrossOrigin?) {
    let nobody = Configuration.CrossOrigin(origins: .list([]))
    let policy = shared.crossOrigin.withLock { current -> CrossOriginPolicy? in
      // A server without a CORS policy goes on saying nothing of origins.
      guard crossOrigin != nil || current != nil else { return nil }
      let next = CrossOriginPolicy(crossOrigin ?? nobody, after: current)
      current = next
      return next
    }
    guard let policy else { return }
    let taken = DispatchGroup()
    for loop in loops {
      taken.enter()
      loop.post(.allow(policy, taken))
    }
    _ = taken.wait(timeout: .now() + .seconds(1))
  }

  /// Lets go of what the handler has made of heads that were read (``Request/remembering(_:)``), as it means something
  /// else by now. From any queue; one message is posted to each loop. Requests that are not answered yet keep theirs.
  public func forgetHeads() { for loop in loops { loop.post(.forgetHeads) } }

  /// Takes new connections for one request each, until those that there are have ended; answers all that wait as if their time was over, closes idle connections, ends
  /// streams, and sends the rest with `Connection: close`. Calls `completion` once, on a queue of its own choice,
  /// when no connection is left; after `deadline` what is left is answered by `RequestHandler.unfinished(kind:)`, or cut off.
  public func drain(deadline: Duration, completion: @escaping @Sendable () -> Void) {
    let loops = state.withLock { state -> [EventLoop] in
      switch state {
      case .new: return []
      case .running(let loops), .draining(let loops):
        state = .draining(loops)
        return loops
      }
    }
    shared.whenStopped(completion)
    for loop in loops { loop.post(.drain) }
    let milliseconds = min(deadline.milliseconds, 3_600_000)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      for loop in loops { loop.post(.abort) }
    }
  }

  /// The figures so far. O(number of loops); from any queue.
  public var statistics: Statistics {
    var statistics = Statistics()
    for loop in loops { loop.counters.add(to: &statistics) }
    return statistics
  }

  private var loops: [EventLoop] {
    state.withLock { state in
      switch state {
      case .new: []
      case .running(let loops), .draining(let loops): loops
      }
    }
  }
}
