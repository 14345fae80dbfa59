internal import CEventPoll
internal import Dispatch

extension EventLoop {
  /// Carries out a handler's reply. `flush` must follow.
  func perform(_ reply: Reply, _ connection: Connection) {
    switch reply {
    case .response(let response): respond(connection, response)
    case .later: break
    case .wait(let wait):
      // The handler may have worked for long in this turn. A wait that began in the past would end too early.
      clock.update()
      park(connection, wait, until: clock.now + (wait.timeout ?? .zero).milliseconds)
    case .stream(let response, let source): open(connection, response, source)
    }
  }

  /// Carries out what the state machine asks for.
  func perform(_ action: ConnectionStateMachine.Action, _ connection: Connection) {
    switch action {
    case .nothing: break
    case .refuse(let refusal): refuse(connection, refusal)
    case .timeOut: timeOut(connection)
    case .heartbeat: callOut(connection) { $0.heartbeat($1) }
    case .end: endStream(connection)
    case .cutOff:
      counters.slowReaders.add(1)
      close(connection)
    case .close: close(connection)
    }
  }

  /// Answers the request in hand. `flush` must follow.
  func respond(_ connection: Connection, _ response: Response) {
    connection.exchange = nextExchange()
    noteAnswer(connection, response)
    let keepsAlive = connection.machine.keepsAlive
    connection.machine.responded(now: clock.now, shared.timeouts)
    write(connection, response)
    // A response that closes is the last one: what the client sent behind it stays unread.
    if keepsAlive { wheel.schedule(connection.descriptor, at: connection.machine.deadline) }
  }

  /// The handler says of what kind a request is, while it handles that.
  func note(kind: Int, slot: Int32, exchange: UInt32) { connection(slot, exchange: exchange)?.kind = kind }

  /// Counts how long a request took whose response goes out now, and has it logged.
  func noteAnswer(_ connection: Connection, _ response: Response, isStream: Bool = false) {
    guard connection.begun != 0 else { return }
    let nanoseconds = Latencies.now &- connection.begun
    connection.begun = 0
    counters.latencies.count(connection.kind, nanoseconds: nanoseconds)
    guard let log = shared.accessLog else { return }
    log(answered(connection, response, isStream ? 0 : response.byteCount, nanoseconds))
    connection.request = nil
  }

  /// - Parameter nanoseconds: nil: it was refused.
  func answered(_ connection: Connection, _ response: Response, _ count: Int, _ nanoseconds: Int?) -> AnsweredRequest {
    let traits = connection.traits
    return AnsweredRequest(
      request: connection.request,
      requestID: traits.suppliedID.map { String(decoding: $0, as: UTF8.self) } ?? RequestID.text(traits.serial),
      client: connection.client.address,
      status: response.status,
      byteCount: traits.isHead ? 0 : count,
      nanoseconds: nanoseconds
    )
  }

  /// A reply to `.later` has come.
  func finishLater(_ slot: Int32, _ exchange: UInt32, _ reply: Reply) {
    guard let connection = connection(slot, exchange: exchange), connection.machine.phase == .handling else {
      return abandon(reply)
    }
    perform(reply, connection)
    // The version that it compared may have changed before it was registered.
    if case .wait = reply { woken.append(Woken(slot: slot, exchange: exchange)) }
    flush(connection)
    resume(connection)
  }

  /// Nobody is there any more to whom a reply could be given.
  private func abandon(_ reply: Reply) {
    switch reply {
    case .response, .later: break
    case .wait(let wait): wait.waiter.abandoned()
    case .stream(_, let source): source.closed()
    }
  }

  // MARK: - Waiting

  /// - Parameter deadline: in milliseconds of the loop's clock.
  func park(_ connection: Connection, _ wait: Wait, until deadline: Int) {
    if isDraining {
      connection.machine.mustClose()
      let exchange = Exchange(self, connection)
      perform(afterTimeOut: wait.waiter.timedOut(exchange), connection)
      return
    }
    if connection.machine.peerHasFinished, wait.isAskedFor {
      // It shut its side before this request was begun: nobody is there to wait.
      counters.abandoned.add(1)
      wait.waiter.abandoned()
      flush(connection)
      close(connection)
      return
    }
    if let refusal = admitWaiter(connection) {
      wait.waiter.abandoned()
      respond(connection, refusal)
      return
    }
    connection.parked = .waiter(wait.waiter)
    connection.registration = topics.add(connection.descriptor, exchange: connection.exchange, wait.topics)
    counters.waiters.add(1)
    connection.machine.parked(until: deadline, isAskedFor: wait.isAskedFor)
    wheel.schedule(connection.descriptor, at: connection.machine.deadline)
  }

  /// Counts one more waiter, or says why not.
  func admitWaiter(_ connection: Connection) -> Response? {
    let refusal: Refusal
    switch shared.waiters.enter(connection.client) {
    case .admitted: return nil
    case .full:
      // Its connection is of more use to somebody else.
      connection.machine.mustClose()
      refusal = Refusal(status: .serviceUnavailable, detail: "Too many requests wait.", isTemporary: true)
    case .tooMany:
      refusal = Refusal(
        status: .tooManyRequests,
        detail: "Too many requests from your address wait.",
        isTemporary: true
      )
    }
    return refusal.response(retryAfter: shared.limits.retryAfter)
  }

  private func timeOut(_ connection: Connection) {
    guard case .waiter(let waiter) = release(connection) else { return }
    counters.timedOut.add(1)
    connection.begun = Latencies.now
    let exchange = Exchange(self, connection)
    connection.machine.unparked()
    perform(afterTimeOut: waiter.timedOut(exchange), connection)
    flush(connection)
    resume(connection)
  }

  /// A waiter whose time is over may wait for something else, but no longer in the same time: that one would be over at once,
  /// again and again.
  private func perform(afterTimeOut reply: Reply, _ connection: Connection) {
    guard case .wait(let wait) = reply, wait.timeout == nil else { return perform(reply, connection) }
    wait.waiter.abandoned()
    let refusal = Refusal(status: .serviceUnavailable, detail: "The time for this request is over.", isTemporary: true)
    respond(connection, refusal.response(retryAfter: shared.limits.retryAfter))
  }
}

extension EventLoop {
  /// Woken waiters that are answered before other connections get their turn again.
  private static let wakeSlice = 128
  /// Milliseconds that the loop waits for the next event itself before it rests. Being woken by Dispatch costs two
  /// more switches of threads, so a loop that has something to do stays awake, and one that has not uses nothing.
  private static let patience = 10
  /// Nanoseconds that the kernel lets a loop go on beside threads that wait, the shortest that it takes: what a loop does
  /// takes less, and other threads, of the kernel's usual slices, don't keep it waiting to the end of theirs, which is some 3 ms.
  /// The loop's share of the processor stays what it is.
  private static let slice: UInt64 = 100_000

  /// Begins to serve. On the caller's thread, before anything else is.
  func start() {
    let source = DispatchSource.makeReadSource(fileDescriptor: poll.descriptor, queue: queue)
    source.setEventHandler { self.run() }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler {
      self.timerDeadline = Int.max
      self.run()
    }
    timer.schedule(deadline: .distantFuture)
    queue.sync {
      self.source = source
      self.timer = timer
      resumeAccepting()
    }
    source.activate()
    timer.activate()
  }

  /// Handles what there is to handle, until there is nothing. On the queue.
  func run() {
    guard !isStopped else { return }
    // The thread is Dispatch's, and does other work when the loop rests.
    _ = cpoll_slices(EventLoop.slice)
    defer { _ = cpoll_slices(0) }
    tick()
    while turn() || (!isStopped && !mailbox.beginResting(withoutWaiters: topics.isEmpty)) {
      if isDraining { reportIfEmpty() }
    }
    if isDraining { reportIfEmpty() }
    setTimer()
  }

  /// One look at everything. True if there was something to do, or there is more.
  @discardableResult func turn() -> Bool {
    let messages = mailbox.take()
    for message in messages { receive(message) }
    if isStopped { return false }
    let count = poll.wait(timeout: timeToWait)
    mailbox.endPolling()
    tick()
    for index in 0..<count {
      guard let event = poll.event(index) else { continue }
      handle(event)
    }
    resumeReading()
    answerWoken(EventLoop.wakeSlice)
    expireDeadlines()
    let isMore = !woken.isEmpty || !resumable.isEmpty || !due.isEmpty
    return !isStopped && (count > 0 || !messages.isEmpty || isMore)
  }

  private func tick() {
    clock.update()
    encoder.date.update(clock.second)
  }

  /// Milliseconds to wait for events: none where there is something to do, and no longer than to the next deadline.
  private var timeToWait: Int32 {
    guard woken.isEmpty, resumable.isEmpty, due.isEmpty, !isDraining,
      mailbox.beginPolling(withoutWaiters: topics.isEmpty)
    else { return 0 }
    let next = min(wheel.nextExpiry ?? Int.max, acceptAgain, stallsDue)
    return Int32(truncatingIfNeeded: min(max(next - clock.now, 0), EventLoop.patience))
  }

  private func handle(_ event: PollEvent) {
    let slot = Int32(truncatingIfNeeded: event.token & 0xffff_ffff)
    if slot == listener, event.token >> 32 == 0 {
      accept()
      return
    }
    guard Int(slot) < connections.count, let connection = connections[Int(slot)],
      UInt64(connection.generation) == event.token >> 32
    else { return }
    if event.isBroken {
      close(connection)
      return
    }
    if event.isReadable || event.isFinished { connection.mayHaveInput = true }
    if event.isWritable, !connection.output.isEmpty { writeQueued(connection) }
    if connection.mayHaveInput { read(connection, untilEnd: event.isFinished) }
    // While a request is in hand, the input is not read to its end, and this event does not come again.
    if event.isFinished, connection.machine.hasRequest { perform(connection.machine.peerFinished(), connection) }
  }

  private func receive(_ message: LoopMessage) {
    switch message {
    case .wake(let topics): wake(topics)
    case .finish(let slot, let exchange, let reply): finishLater(slot, exchange, reply)
    case .send(let slot, let exchange, let pieces):
      if let connection = connection(slot, exchange: exchange) { stream(connection, pieces) }
    case .end(let slot, let exchange):
      if let connection = connection(slot, exchange: exchange) { endStream(connection) }
    case .allow(let policy, let taken):
      encoder.crossOrigin = policy
      taken.leave()
    case .forgetHeads: heads = HeadCache()
    case .giveUpReaders: giveUpReadersForOthers()
    case .drain: drain()
    case .abort: abort()
    }
  }
}
