import Glibc
import Logging

@testable import HTTPServer

/// An event loop that does not run, with one connection: a test takes its steps, on its own thread.
final class TestLoop {
  let loop: EventLoop
  let connection: Connection
  private let client: Int32

  /// - Parameter other: a loop of the same server, whose configuration counts.
  init(_ configuration: Configuration = Configuration(), listener: Int32 = -1, beside other: TestLoop? = nil) throws {
    var logger = Logger(label: "test")
    logger.logLevel = .error
    let shared = other?.loop.shared ?? ServerContext(configuration, Greeter(), logger)
    loop = try EventLoop(index: other == nil ? 0 : 1, listener: listener, shared: shared)
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { throw ServerError("make a pair of sockets", code: errno) }
    client = pair[1]
    let peer = Client(address: SocketAddress(ipv4: 0xc000_0201, port: 1), kind: .remote)
    let machine = ConnectionStateMachine(now: loop.clock.now, shared.timeouts)
    connection = Connection(descriptor: pair[0], generation: 1, peer: peer, machine: machine)
    while loop.connections.count <= Int(pair[0]) { loop.connections.append(nil) }
    loop.connections[Int(pair[0])] = connection
    connection.exchange = loop.nextExchange()
    _ = shared.connections.enter(peer)
    if let other { shared.started([other.loop, loop]) }
  }

  deinit {
    loop.shared.started([])
    loop.close(connection)
    loop.poll.close()
    _ = Glibc.close(client)
  }

  /// A further connection, which has no socket: what is sent to it fails, and closes it.
  func addConnection(withoutSocket descriptor: Int32) -> Connection {
    // A proxy has no share of its own, of which the others would take all.
    let peer = Client(address: SocketAddress(ipv4: 0xc000_0202, port: 1), kind: .proxy)
    let machine = ConnectionStateMachine(now: loop.clock.now, loop.shared.timeouts)
    let connection = Connection(descriptor: descriptor, generation: 1, peer: peer, machine: machine)
    while loop.connections.count <= Int(descriptor) { loop.connections.append(nil) }
    loop.connections[Int(descriptor)] = connection
    connection.exchange = loop.nextExchange()
    _ = loop.shared.connections.enter(peer)
    return connection
  }

  /// Sends what a client sends. Returns whether the kernel has taken all of it.
  func send(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { Socket.send(client, $0) == .transferred($0.count) }
  }

  func shutWriting() { Socket.shutWriting(client) }

  /// A request has come that the handler has now.
  func beginRequest() { connection.machine.requestRead(keepsAlive: true, loop.shared.limits) }

  private final class Greeter: RequestHandler {
    func handle(_ request: Request, _ exchange: Exchange) -> Reply { .response(Response(status: .noContent)) }
  }
}
