import Dispatch
import Logging
import Synchronization

/// One serial queue, one poll descriptor, and the connections that are pinned to them.
///
/// `@unchecked Sendable`: everything but the constants, `mailbox` and `counters` is touched on `queue` alone.
final class EventLoop: @unchecked Sendable {
  let index: Int
  let shared: ServerContext
  let queue: DispatchQueue
  let mailbox = Mailbox()
  let counters: Counters

  var poll: EventPoll
  /// Apart from `poll`, which other threads must not even read.
  let interruptor: PollInterruptor
  var source: (any DispatchSourceRead)?
  var timer: (any DispatchSourceTimer)?
  /// When the timer is set to fire; `Int.max` where it is not set.
  var timerDeadline = Int.max

  var listener: Int32
  var isAccepting = false
  /// When accepting is tried again after the process ran out of descriptors.
  var acceptAgain = Int.max
  /// When that was last said.
  var exhaustionReported = Int.min / 2

  /// Connections by descriptor.
  var connections: ContiguousArray<Connection?> = []
  var generation: UInt32 = 0
  var exchange: UInt32 = 0
  var requestSerial: UInt64

  var clock = Clock()
  var encoder: ResponseEncoder
  var heads = HeadCache()
  var topics = TopicIndex()
  var wheel: DeadlineWheel
  /// Connections that were woken and not looked at yet.
  var woken: [Woken] = []
  var wokenIndex = 0
  /// When the slice in hand of those was begun.
  var sliceBegun = 0
  /// Connections that have more input than was read in one turn.
  var resumable: [Woken] = []

  let input: UnsafeMutableRawBufferPointer
  /// A buffer for the next bytes to the connection in hand.
  var scratch: [UInt8] = []

  var isDraining = false
  /// How many connections are left of those that were there when draining began.
  var awaited = 0
  var isStopped = false

  /// A connection as it was when something was noted about it.
  struct Woken {
    let slot: Int32
    let exchange: UInt32
  }

  static let inputCapacity = 65_536

  init(index: Int, listener: Int32, shared: ServerContext) throws(ServerError) {
    self.index = index
    self.listener = listener
    self.shared = shared
    counters = Counters(kinds: shared.handler.requestKinds)
    queue = DispatchQueue(label: "http.loop.\(index)", qos: .userInitiated)
    poll = try EventPoll()
    interruptor = poll.interruptor
    requestSerial = UInt64(index) << 56
    encoder = ResponseEncoder(crossOrigin: shared.crossOrigin.withLock { $0 })
    wheel = DeadlineWheel(now: clock.now)
    input = .allocate(byteCount: EventLoop.inputCapacity, alignment: 64)
    scratch.reserveCapacity(2 * EventLoop.inputCapacity)
  }

  deinit { input.deallocate() }

  /// The connection that `slot` names, if it still has the exchange in hand.
  func connection(_ slot: Int32, exchange: UInt32) -> Connection? {
    guard slot >= 0, Int(slot) < connections.count, let connection = connections[Int(slot)],
      connection.exchange == exchange
    else { return nil }
    return connection
  }

  /// Gives the loop something to do. From any thread.
  func post(_ message: LoopMessage) {
    switch mailbox.post(message) {
    case .seen: break
    case .start: queue.async { self.run() }
    case .interrupt: interruptor.interrupt()
    }
  }
}
