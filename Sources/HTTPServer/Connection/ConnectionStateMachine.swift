/// The state of a connection, and the action that each event asks for: a state machine without I/O. Times are
/// milliseconds of a monotonic clock.
struct ConnectionStateMachine {
  enum Phase: Equatable {
    /// Open, and not a byte has come.
    case fresh
    /// Part of a request's head has come.
    case head
    /// The head is whole, its body is coming.
    case body
    /// The handler has the request.
    case handling
    /// The request is parked: the client asked for that, or the handler needs it.
    case waiting(isAskedFor: Bool)
    /// An open-ended response is being sent.
    case streaming
    /// Between requests.
    case idle
    /// The last response is on its way.
    case closing
    /// Our side is shut; what the client still sends is thrown away until it shuts its own.
    case lingering
    /// Over.
    case closed
  }

  /// An action for when a deadline has come or the peer has finished.
  enum Action: Equatable {
    case nothing
    /// Answer with a refusal, and close.
    case refuse(Refusal)
    /// `Waiter.timedOut`.
    case timeOut
    /// `StreamSource.heartbeat`.
    case heartbeat
    /// Close the stream, as its reader is gone or its source is to stop.
    case end
    /// The client takes nothing of what was written.
    case cutOff
    case close
  }

  private(set) var phase = Phase.fresh
  /// True if the response to the request in hand leaves the connection open.
  private(set) var keepsAlive = true
  /// The peer has shut its side.
  private(set) var peerHasFinished = false
  /// Something that was written is waiting for the client to take it.
  private(set) var hasOutput = false
  private var isDraining = false
  private var requests = 0
  /// When the phase is over: of a request that waits, its wait. `deadline` is earlier where output waits to be taken.
  private(set) var phaseDeadline: Int
  private var writeDeadline = Int.max
  /// When the body's first byte came.
  private var bodyBegan = 0
  /// Since when something has been waiting to be taken, and how much was taken since.
  private var waitBegan = 0
  private var taken = 0

  static let never = Int.max

  init(now: Int, _ timeouts: Timeouts) {
    phaseDeadline = now + timeouts.head
  }

  /// When `deadlineReached` is to be called, if nothing happens before. It may move further away without notice.
  var deadline: Int { min(phaseDeadline, writeDeadline) }

  /// When a client is given up that takes nothing more of what was written to it. The nearer, the longer it has taken
  /// nothing, or the less.
  var patience: Int { writeDeadline }

  /// True if a request may be read: one at a time, and none while an earlier response is waiting to be taken.
  var wantsInput: Bool {
    if hasOutput { return false }
    switch phase {
    case .fresh, .head, .body, .idle: return true
    case .handling, .waiting, .streaming, .closing, .lingering, .closed: return false
    }
  }

  /// True if a request is in hand that has not been answered.
  var hasRequest: Bool {
    switch phase {
    case .handling, .waiting, .streaming: return true
    case .fresh, .head, .body, .idle, .closing, .lingering, .closed: return false
    }
  }

  /// Part of a request has come: of its head, or `bodyCount` bytes of its body.
  mutating func received(isBody: Bool, bodyCount: Int, now: Int, _ timeouts: Timeouts) {
    if isBody {
      if phase != .body { bodyBegan = now }
      phase = .body
      // A drip of bytes moves only the first of these.
      phaseDeadline = min(
        now + timeouts.bodyIdle,
        Timeouts.bound(began: bodyBegan, grace: timeouts.bodyIdle, count: bodyCount, rate: timeouts.bodyRate),
        bodyBegan + timeouts.body
      )
    } else if phase == .idle {
      phase = .head
      phaseDeadline = now + timeouts.head
    } else if phase == .fresh {
      // The deadline stays: it began with the connection.
      phase = .head
    }
  }

  /// A request is whole.
  mutating func requestRead(keepsAlive: Bool, _ limits: Configuration.Limits) {
    requests += 1
    // A peer that has shut its side may have sent this one before: behind the last of its requests is the end.
    self.keepsAlive = keepsAlive && !isDraining && requests < (limits.requestsPerConnection ?? Int.max)
    phase = .handling
    phaseDeadline = ConnectionStateMachine.never
  }

  /// The request no longer waits: the handler has it again, and may answer it later.
  mutating func unparked() {
    phase = .handling
    phaseDeadline = Self.never
  }

  /// The request is parked until `deadline`.
  mutating func parked(until deadline: Int, isAskedFor: Bool = true) {
    phase = .waiting(isAskedFor: isAskedFor)
    phaseDeadline = deadline
  }

  /// A stream was opened, or something was sent on it; a sign of life is due at `heartbeat`.
  mutating func streamed(heartbeat: Int) {
    phase = .streaming
    phaseDeadline = heartbeat
  }

  /// The response to the request in hand has been handed over for writing.
  mutating func responded(now: Int, _ timeouts: Timeouts) {
    phase = keepsAlive && !isDraining ? .idle : .closing
    // While an earlier response waits to be taken, the client is not idle.
    phaseDeadline = phase == .idle && !hasOutput ? now + timeouts.keepAlive : ConnectionStateMachine.never
  }

  /// The request is refused, whatever state it was in: the connection ends with this response.
  mutating func refused() {
    keepsAlive = false
    phase = .closing
    phaseDeadline = ConnectionStateMachine.never
  }

  /// The response must be the last: its end is the connection's, or the handler can't go on. It may be on its way by now.
  mutating func mustClose() {
    keepsAlive = false
    if phase == .idle, hasOutput { _ = closeAfterOutput() }
  }

  /// Not all of what was written was taken; or `count` more bytes of it were.
  mutating func outputWaits(taken count: Int, now: Int, _ timeouts: Timeouts) {
    if !hasOutput { (waitBegan, taken) = (now, 0) }
    hasOutput = true
    // A client that still takes the response is not idle.
    if phase == .idle { phaseDeadline = ConnectionStateMachine.never }
    taken += count
    writeDeadline = min(
      now + timeouts.write,
      Timeouts.bound(began: waitBegan, grace: timeouts.write, count: taken, rate: timeouts.writeRate)
    )
  }

  /// All of what was written was taken. Idle time counts from here.
  mutating func outputTaken(now: Int, _ timeouts: Timeouts) {
    hasOutput = false
    writeDeadline = ConnectionStateMachine.never
    if phase == .idle { phaseDeadline = now + timeouts.keepAlive }
  }

  /// Our side was shut.
  mutating func lingers(now: Int, _ timeouts: Timeouts) {
    phase = .lingering
    phaseDeadline = now + timeouts.linger
  }

  mutating func closed() {
    phase = .closed
    phaseDeadline = ConnectionStateMachine.never
    writeDeadline = ConnectionStateMachine.never
  }

  /// The peer has shut its side, and all that it sent before has been read, as far as it could be: behind a request in hand
  /// may be others. The end is read again when they are answered.
  mutating func peerFinished() -> Action {
    peerHasFinished = true
    switch phase {
    case .handling, .waiting(isAskedFor: false):
      return .nothing
    case .fresh, .head, .body, .idle:
      keepsAlive = false
      return hasOutput ? closeAfterOutput() : .close
    case .waiting(isAskedFor: true), .streaming, .lingering:
      // A client that wants an answer later keeps its side open; this one has gone.
      keepsAlive = false
      return .close
    case .closing, .closed:
      keepsAlive = false
      return .nothing
    }
  }

  private mutating func closeAfterOutput() -> Action {
    phase = .closing
    phaseDeadline = ConnectionStateMachine.never
    return .nothing
  }

  /// The clock has come to `now`. Nothing is to be done where `deadline` has moved on in the meantime.
  mutating func deadlineReached(now: Int, _ timeouts: Timeouts) -> Action {
    if now >= writeDeadline { return .cutOff }
    guard now >= phaseDeadline else { return .nothing }
    switch phase {
    case .fresh, .idle, .lingering:
      return .close
    case .head, .body:
      return .refuse(.tooSlow)
    case .waiting:
      return .timeOut
    case .streaming:
      phaseDeadline = now + timeouts.heartbeat
      // A client that still takes the last message sees a sign of life in it.
      return hasOutput ? .nothing : .heartbeat
    case .handling, .closing, .closed:
      return .nothing
    }
  }

  /// The server is to stop. A request that is on its way right behind the handshake is answered.
  mutating func drainBegan(now: Int, _ timeouts: Timeouts) -> Action {
    isDraining = true
    keepsAlive = false
    switch phase {
    case .fresh:
      phaseDeadline = min(phaseDeadline, now + timeouts.farewell)
      return .nothing
    case .idle: return hasOutput ? closeAfterOutput() : .close
    case .waiting: return .timeOut
    case .streaming: return .end
    case .head, .body, .handling, .closing, .lingering, .closed: return .nothing
    }
  }
}
