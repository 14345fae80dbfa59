/// A connection as its event loop sees it: touched on that loop alone.
final class Connection {
  /// The rest of the request in hand.
  enum Parked {
    case nothing
    case waiter(any Waiter)
    case stream(any StreamSource)
  }

  /// In bytes, from the object's beginning: what a waiter's answer touches stands there together.
  static let sizeOfWhatWakingTouches = 320

  let descriptor: Int32
  /// Tells this connection from others that had the same descriptor.
  let generation: UInt32
  /// Numbers the exchanges of a loop: an answer for another one than the present comes too late.
  var exchange: UInt32 = 0 {
    didSet { presence.begin(exchange) }
  }
  /// The connection's place in the topic index.
  var registration = TopicIndex.none
  var parked = Parked.nothing
  /// When the request in hand had come, or its waiter was woken, in nanoseconds; 0: it is answered.
  var begun = 0
  /// The request's, as the handler has said.
  var kind = 0
  /// The kernel may have input that was not read.
  var mayHaveInput = false
  /// The kernel reports on it: on what comes, and, once it had to wait for that, on room for what goes.
  var isWatched = false
  var isWatchedForRoom = false
  /// It was there when the server began to drain.
  var isAwaited = false
  var machine: ConnectionStateMachine
  var traits = RequestTraits()
  /// The client of the request in hand: another than `peer` where that is a proxy.
  var client: Client
  var output = OutputQueue()
  /// Input behind a request that is not answered yet.
  var unread: [UInt8] = []
  /// The client of the connection.
  let peer: Client

  var reader = RequestReader()
  /// The handler was asked whether the head of the body that is coming is refused.
  var isHeadJudged = false
  /// The bytes thrown away while lingering.
  var discarded = 0
  /// The request in hand, where those that are answered are logged.
  var request: Request?
  /// The input behind a request that is not answered, counted.
  var heldUnread: HeldInput?
  /// The input of an unfinished request, or of one that is not answered, counted. Beside what each exchange looks at.
  var heldInput: HeldInput?
  /// The exchange, for other queues.
  let presence = Presence()

  init(descriptor: Int32, generation: UInt32, peer: Client, machine: ConnectionStateMachine) {
    self.descriptor = descriptor
    self.generation = generation
    self.peer = peer
    client = peer
    self.machine = machine
  }
}
