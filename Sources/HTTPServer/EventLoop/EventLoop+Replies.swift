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
    log(answered(connection, response, isStream ? 0 : response.body.count, nanoseconds))
    connection.request = nil
  }

  /// - Parameter nanoseconds: nil: it was refused.
  func answered(_ connection: Connection, _ response: Response, _ count: Int, _ nanoseconds: Int?) -> AnsweredRequest {
    let traits = connection.traits
    return AnsweredRequest(
      request: nanoseconds == nil ? nil : connection.request,
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
    if connection.machine.peerHasFinished {
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
    connection.machine.parked(until: deadline)
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
