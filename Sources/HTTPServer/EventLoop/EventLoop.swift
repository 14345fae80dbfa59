internal import CEventPoll
import Dispatch
import Logging
import Synchronization

/// One serial queue, one poll descriptor, and the connections that are pinned to them.
///
/// `@unchecked Sendable`: everything but the constants, `mailbox`, `isAskedToGiveUp` and `counters` is touched on `queue`
/// alone.
final class EventLoop: @unchecked Sendable {
  let index: Int
  let shared: ServerContext
  let queue: DispatchQueue
  let mailbox = Mailbox()
  /// Another loop has asked it to give up slow readers, and it has not begun with that.
  let isAskedToGiveUp = Atomic(false)
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
  /// The slots of connections whose time is over, and that were not looked at yet.
  var due: [Int32] = []
  var dueIndex = 0
  /// Connections that were woken and not looked at yet.
  var woken: [Woken] = []
  var wokenIndex = 0
  /// When clients that take nothing were last looked for.
  var stallsSought = 0
  /// When they are looked for again, as too much waits; `Int.max` where it doesn't.
  var stallsDue = Int.max
  /// When the slice in hand of those was begun.
  var sliceBegun = 0
  /// Connections that have more input than was read in one turn.
  var resumable: [Woken] = []

  let input: UnsafeMutableRawBufferPointer
  /// A buffer for the next bytes to the connection in hand.
  var scratch: [UInt8] = []

  var isDraining = false
  /// The last connections of a drain are being accepted.
  var isTakingLast = false
  /// How many connections are left of those that were there when draining began.
  var awaited = 0
  var isStopped = false

  /// A connection as it was when something was noted about it.
  struct Woken: Hashable {
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

/// Answering those who waited, of whom there may be thousands. None of their connections is in the processor's cache,
/// and next to what the kernel does to send a response, fetching them from memory is most of what is left to do.
extension EventLoop {
  /// The answer to a waiter of the slice in hand.
  private struct Answer {
    let waiter: any Waiter
    let response: Response
  }

  /// How many connections ahead of the one in hand memory is asked for the next: sending takes longer than that.
  private static let lookahead = 2

  /// Notes who waits for a topic. They are answered in slices, between which other connections have their turn.
  func wake(_ woken: [Topic]) {
    for topic in woken {
      topics.forEach(topic) { self.woken.append(Woken(slot: $0, exchange: $1)) }
    }
    // One answer tells a connection of all its wakes: without this their number has no bound where the loop is too busy to answer them.
    guard self.woken.count - wokenIndex > 2 * connections.count else { return }
    var noted = Set<Woken>()
    self.woken = self.woken[wokenIndex...].filter {
      connection($0.slot, exchange: $0.exchange) != nil && noted.insert($0).inserted
    }
    wokenIndex = 0
  }

  /// Answers up to `count` of those who were woken.
  func answerWoken(_ count: Int) {
    guard wokenIndex < woken.count else { return }
    let end = min(wokenIndex + count, woken.count)
    var answer: Answer?
    sliceBegun = Latencies.now
    while wokenIndex < end {
      let entry = woken[wokenIndex]
      prefetch(wokenIndex + EventLoop.lookahead)
      wokenIndex += 1
      guard let connection = connection(entry.slot, exchange: entry.exchange) else { continue }
      wakeUp(connection, &answer)
    }
    if wokenIndex == woken.count {
      woken.removeAll(keepingCapacity: woken.count < 4096)
      wokenIndex = 0
    }
  }

  /// Begins to fetch a connection's memory.
  private func prefetch(_ index: Int) {
    guard index < woken.count, let connection = connections[Int(woken[index].slot)] else { return }
    cpoll_prefetch(Unmanaged.passUnretained(connection).toOpaque(), Connection.sizeOfWhatWakingTouches)
  }

  /// - Parameter answer: what the last one was answered with: most who are woken together share one waiter.
  private func wakeUp(_ connection: Connection, _ answer: inout Answer?) {
    switch connection.parked {
    case .nothing: break
    case .stream: callOut(connection) { $0.woken($1) }
    case .waiter(let waiter):
      guard let reply = reply(of: waiter, to: connection, &answer) else { return }
      let deadline = connection.machine.phaseDeadline
      _ = release(connection)
      connection.machine.unparked()
      counters.woken.add(1)
      connection.begun = sliceBegun
      if case .wait(let wait) = reply, wait.timeout == nil {
        park(connection, wait, until: deadline)
      } else {
        perform(reply, connection)
      }
      flush(connection)
      resume(connection)
    }
  }

  private func reply(of waiter: any Waiter, to connection: Connection, _ answer: inout Answer?) -> Reply? {
    if let answer, answer.waiter === waiter {
      waiter.answeredAlike()
      return .response(answer.response)
    }
    let reply = waiter.woken(Exchange(self, connection))
    if case .response(let response)? = reply { answer = Answer(waiter: waiter, response: response) }
    return reply
  }
}

/// Deadlines, of which thousands may come together: those of polls that began together, or that a drain ends.
extension EventLoop {
  /// Connections whose time is over that are looked at before other connections get their turn again.
  private static let dueSlice = 128

  /// Looks at the next connections whose time is over.
  func expireDeadlines() {
    if clock.now >= acceptAgain { resumeAccepting() }
    if clock.now >= stallsDue { seekStalls() }
    if let next = wheel.nextExpiry, next <= clock.now { wheel.expire(now: clock.now, into: &due) }
    let end = min(dueIndex + EventLoop.dueSlice, due.count)
    while dueIndex < end {
      let slot = due[dueIndex]
      dueIndex += 1
      // Another one may be in its place by now, whose deadline tells that its time is not over.
      guard let connection = connections[Int(slot)] else { continue }
      perform(dueAction(of: connection), connection)
      if connection.machine.phase != .closed { wheel.schedule(slot, at: connection.machine.deadline) }
    }
    guard dueIndex == due.count else { return }
    due.removeAll(keepingCapacity: due.count < 4096)
    dueIndex = 0
  }

  private func dueAction(of connection: Connection) -> ConnectionStateMachine.Action {
    // A drain ends all waits.
    if isDraining, case .waiting = connection.machine.phase { return .timeOut }
    return connection.machine.deadlineReached(now: clock.now, shared.timeouts)
  }

  /// Sets the timer for the next deadline, if it isn't set for an earlier time.
  func setTimer() {
    let next = min(wheel.nextExpiry ?? Int.max, acceptAgain, stallsDue)
    guard next < timerDeadline else { return }
    timerDeadline = next
    timer?.schedule(deadline: .now() + .milliseconds(max(next - clock.now, 1)), leeway: .milliseconds(5))
  }
}
