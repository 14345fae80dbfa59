internal import Dispatch
internal import Logging
internal import Synchronization

extension EventLoop {
  /// New connections in one turn, so that the old ones get theirs.
  private static let acceptsPerTurn = 64
  /// At the end of a drain: so many turns take what a backlog of 4,096 has. Whoever goes on connecting doesn't hold up the end.
  private static let lastTurns = 64
  /// Milliseconds to wait when the process has no descriptor left.
  private static let exhaustionPause = 100

  func resumeAccepting() {
    acceptAgain = Int.max
    guard !isAccepting, listener >= 0 else { return }
    isAccepting = poll.add(listener: listener, token: UInt64(listener))
    if !isAccepting { acceptAgain = clock.now + EventLoop.exhaustionPause }
  }

  /// - Returns: whether there may be more.
  @discardableResult func accept() -> Bool {
    for _ in 0..<EventLoop.acceptsPerTurn {
      switch Socket.accept(listener) {
      case .none: return false
      case .gone: continue
      case .exhausted(let code):
        // The listener stays readable: it would keep the loop busy. Connections that close bring it back earlier.
        poll.remove(listener: listener)
        isAccepting = false
        acceptAgain = clock.now + EventLoop.exhaustionPause
        reportExhaustion(code)
        return false
      case .connection(let descriptor, let peer):
        open(descriptor, peer)
      }
    }
    return true
  }

  /// Says so, at most once in ten seconds.
  private func reportExhaustion(_ code: Int32) {
    guard clock.now >= exhaustionReported + 10_000 else { return }
    exhaustionReported = clock.now
    shared.logger.warning(
      "no descriptor or memory for new connections: accepting pauses",
      metadata: ["errno": "\(code)"]
    )
  }

  private func open(_ descriptor: Int32, _ address: SocketAddress) {
    counters.accepted.add(1)
    let peer = shared.client(of: address)
    let decision = shared.connections.enter(peer)
    generation = generation == UInt32.max ? 1 : generation + 1
    let connection = Connection(
      descriptor: descriptor,
      generation: generation,
      peer: peer,
      machine: ConnectionStateMachine(now: clock.now, shared.timeouts)
    )
    // It is closed behind its first answer.
    if isDraining { _ = connection.machine.drainBegan(now: clock.now, shared.timeouts) }
    switch decision {
    case .admitted:
      while connections.count <= Int(descriptor) { connections.append(nil) }
      connections[Int(descriptor)] = connection
      connection.exchange = nextExchange()
      counters.connections.add(1)
      wheel.schedule(descriptor, at: connection.machine.deadline)
      // Most clients send their request right behind the handshake: it may be there already.
      connection.mayHaveInput = true
      read(connection, untilEnd: false)
    case .full:
      turnAway(connection, Refusal(status: .serviceUnavailable, detail: "Too many connections.", isTemporary: true))
    case .tooMany:
      turnAway(
        connection,
        Refusal(status: .tooManyRequests, detail: "Too many connections from your address.", isTemporary: true)
      )
    }
  }

  /// Says why, if the client can take it at once, and closes: nothing is kept for a connection beyond the limit.
  private func turnAway(_ connection: Connection, _ refusal: Refusal) {
    counters.refusedConnections.add(1)
    var bytes: [UInt8] = []
    let response = refusal.response(retryAfter: shared.limits.retryAfter)
    requestSerial += 1
    let traits = RequestTraits(serial: requestSerial, grant: encoder.crossOrigin?.everyones)
    encoder.encode(response, traits, .length(response.body.count), keepsAlive: false, into: &bytes)
    bytes.append(contentsOf: response.body)
    _ = bytes.withUnsafeBytes { Socket.send(connection.descriptor, $0) }
    Socket.shutWriting(connection.descriptor)
    // Input that has come must be read: closing over it would make the kernel reset the connection.
    _ = Socket.receive(connection.descriptor, input)
    Socket.close(connection.descriptor)
  }

  func nextExchange() -> UInt32 {
    exchange &+= 1
    return exchange
  }

  /// Has the kernel report on a connection that stays.
  func watch(_ connection: Connection) {
    guard !connection.isWatched else { return }
    connection.isWatched = true
    if !poll.add(connection: connection.descriptor, token: token(connection)) { close(connection) }
  }

  /// Has the kernel report on room to write. Most connections never need it.
  func watchForRoom(_ connection: Connection) {
    watch(connection)
    guard !connection.isWatchedForRoom, connection.machine.phase != .closed else { return }
    connection.isWatchedForRoom = true
    if !poll.addWriting(connection: connection.descriptor, token: token(connection)) { close(connection) }
  }

  private func token(_ connection: Connection) -> UInt64 {
    UInt64(connection.generation) << 32 | UInt64(connection.descriptor)
  }

  /// Closes a connection and lets go of everything that belongs to it.
  func close(_ connection: Connection) {
    guard connection.machine.phase != .closed else { return }
    let isCutShort = release(connection)
    connection.machine.closed()
    connection.presence.end()
    // Now, whoever still holds the connection.
    connection.output = OutputQueue()
    (connection.heldInput, connection.heldUnread) = (nil, nil)
    if connection.isAwaited { awaited -= 1 }
    wheel.cancel(connection.descriptor)
    connections[Int(connection.descriptor)] = nil
    Socket.close(connection.descriptor)
    counters.connections.add(-1)
    shared.connections.leave(connection.peer)
    if acceptAgain != Int.max { resumeAccepting() }
    switch isCutShort {
    case .nothing: break
    case .waiter(let waiter):
      counters.abandoned.add(1)
      waiter.abandoned()
    case .stream(let source):
      source.closed()
    }
  }

  /// Takes a connection out of the topic index and off its waiter or stream, which is returned.
  func release(_ connection: Connection) -> Connection.Parked {
    let parked = connection.parked
    switch parked {
    case .nothing: return parked
    case .waiter: counters.waiters.add(-1)
    case .stream: counters.streams.add(-1)
    }
    topics.remove(connection.registration)
    connection.registration = TopicIndex.none
    connection.parked = .nothing
    shared.waiters.leave(connection.client)
    return parked
  }
}

extension EventLoop {
  /// Brings every connection to its end in good order. Until those that there are have ended new ones are taken, for
  /// one request each: whoever asks meanwhile whether the service is ready is told that it ends.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    let open = connections.compactMap { $0 }
    for connection in open { connection.isAwaited = true }
    awaited = open.count
    for connection in open {
      // Its request may have come already.
      if connection.machine.wantsInput {
        connection.mayHaveInput = true
        read(connection, untilEnd: false)
      }
      let action = connection.machine.drainBegan(now: clock.now, shared.timeouts)
      // Thousands may wait: they are answered in slices.
      if action == .timeOut { due.append(connection.descriptor) } else { perform(action, connection) }
      if connection.machine.phase == .fresh { wheel.schedule(connection.descriptor, at: connection.machine.deadline) }
    }
    reportIfEmpty()
  }

  /// Closes what is left.
  func abort() {
    isDraining = true
    stopListening()
    for connection in connections.compactMap({ $0 }) {
      answerUnfinished(connection)
      close(connection)
    }
    stop()
  }

  /// Answers a request that its handler has had for too long, as far as the kernel takes that.
  private func answerUnfinished(_ connection: Connection) {
    guard connection.machine.phase == .handling, connection.output.isEmpty,
      let response = shared.handler.unfinished(kind: connection.kind)
    else { return }
    connection.machine.mustClose()
    respond(connection, response)
    flush(connection)
  }

  private func stopListening() {
    guard listener >= 0 else { return }
    if isAccepting { poll.remove(listener: listener) }
    isAccepting = false
    acceptAgain = Int.max
    Socket.close(listener)
    listener = -1
  }

  /// Ends the loop when a drain has come to its end.
  func reportIfEmpty() {
    guard isDraining, awaited == 0, !isTakingLast else { return }
    // The last connections in the backlog are answered, too.
    if listener >= 0 {
      isTakingLast = true
      var turns = 1
      while accept(), turns < EventLoop.lastTurns { turns += 1 }
      isTakingLast = false
    }
    stopListening()
    if counters.connections.load(ordering: .relaxed) == 0 { stop() }
  }

  private func stop() {
    guard !isStopped else { return }
    isStopped = true
    timer?.cancel()
    timer = nil
    // The descriptor must outlive the source that watches it.
    let poll = poll
    source?.setCancelHandler { poll.close() }
    source?.cancel()
    source = nil
    shared.stopped()
  }
}
