import Synchronization

extension EventLoop {
  /// Bodies up to this size are copied behind their heads; larger ones are written from where they are.
  private static let copyLimit = 16_384

  /// Appends a response to what is to be written. `flush` must follow.
  func write(_ connection: Connection, _ response: Response) {
    let response = isDraining ? response.last : response
    let keepsAlive = connection.machine.keepsAlive
    counters.countResponse(response.status)
    encoder.encode(
      response,
      connection.traits,
      .length(response.byteCount),
      keepsAlive: keepsAlive,
      into: &scratch
    )
    guard !connection.traits.isHead, !response.status.forbidsBody else { return }
    if !response.pieces.isEmpty {
      flush(connection, with: [BodyPiece(response.body)] + response.pieces)
    } else if response.body.count <= EventLoop.copyLimit {
      scratch.append(contentsOf: response.body)
    } else {
      flush(connection, with: response.body)
    }
  }

  /// Writes what is in `scratch`.
  func flush(_ connection: Connection) {
    guard !scratch.isEmpty else { return }
    if connection.machine.phase == .closed {
      scratch.removeAll(keepingCapacity: true)
    } else if !connection.output.isEmpty {
      enqueue(connection, body: [])
    } else {
      let outcome = scratch.withUnsafeBytes { Socket.send(connection.descriptor, $0) }
      wrote(connection, outcome, body: [])
    }
  }

  /// Writes what is in `scratch`, and `body` behind it.
  private func flush(_ connection: Connection, with body: [UInt8]) {
    guard connection.output.isEmpty else { return enqueue(connection, body: body) }
    let outcome = scratch.withUnsafeBytes { head in
      body.withUnsafeBytes { Socket.send(connection.descriptor, head, $0) }
    }
    wrote(connection, outcome, body: body)
  }

  /// Writes what is in `scratch`, and all `pieces` of a body behind it.
  private func flush(_ connection: Connection, with pieces: [BodyPiece]) {
    guard connection.machine.phase != .closed else { return scratch.removeAll(keepingCapacity: true) }
    connection.output.append(Array(scratch))
    for piece in pieces { connection.output.append(piece.bytes, from: piece.start) }
    scratch.removeAll(keepingCapacity: true)
    if connection.machine.hasOutput {
      holdOutput(of: connection)
    } else if sendQueued(connection), connection.machine.phase == .closing {
      finishClosing(connection)
    }
  }

  /// Queues `scratch` and `body` behind what waits already.
  private func enqueue(_ connection: Connection, body: [UInt8]) {
    connection.output.append(Array(scratch))
    connection.output.append(body)
    scratch.removeAll(keepingCapacity: true)
    holdOutput(of: connection)
  }

  /// Queues what was not taken of `scratch` and `body`.
  private func wrote(_ connection: Connection, _ outcome: Socket.Outcome, body: [UInt8]) {
    var count = 0
    switch outcome {
    case .transferred(let transferred): count = transferred
    case .wouldBlock: break
    case .failed:
      scratch.removeAll(keepingCapacity: true)
      close(connection)
      return
    }
    counters.bytesWritten.add(count)
    let total = scratch.count + body.count
    if count < total {
      if count < scratch.count { connection.output.append(Array(scratch[count...])) }
      connection.output.append(body, from: max(count - scratch.count, 0))
      scratch.removeAll(keepingCapacity: true)
      outputWaits(connection)
    } else {
      scratch.removeAll(keepingCapacity: true)
      if connection.machine.phase == .closing { finishClosing(connection) }
    }
  }

  private func outputWaits(_ connection: Connection) {
    connection.machine.outputWaits(taken: 0, now: clock.now, shared.timeouts)
    wheel.schedule(connection.descriptor, at: connection.machine.deadline)
    watchForRoom(connection)
    holdOutput(of: connection)
  }

  /// Writes what is queued, as far as the client takes it, and goes on where that was all.
  func writeQueued(_ connection: Connection) {
    guard sendQueued(connection) else { return }
    connection.machine.outputTaken(now: clock.now, shared.timeouts)
    let hadMessages = connection.output.endMessages()
    if connection.machine.phase == .closing {
      finishClosing(connection)
    } else if hadMessages, case .stream = connection.parked {
      callOut(connection) { $0.drained($1) }
    } else {
      resume(connection)
    }
  }

  /// Writes what is queued. Returns whether the client has taken all of it.
  private func sendQueued(_ connection: Connection) -> Bool {
    while let next = connection.output.next {
      connection.output.gather(into: &scratch, limit: EventLoop.inputCapacity)
      let outcome: Socket.Outcome
      if scratch.isEmpty {
        outcome = next.bytes.withUnsafeBytes {
          Socket.send(connection.descriptor, UnsafeRawBufferPointer(rebasing: $0[next.offset...]))
        }
      } else {
        outcome = scratch.withUnsafeBytes { Socket.send(connection.descriptor, $0) }
        scratch.removeAll(keepingCapacity: true)
      }
      switch outcome {
      case .transferred(let count):
        counters.bytesWritten.add(count)
        connection.output.advance(count)
        if connection.machine.hasOutput {
          connection.machine.outputWaits(taken: count, now: clock.now, shared.timeouts)
        }
      case .wouldBlock:
        if !connection.machine.hasOutput { outputWaits(connection) }
        return false
      case .failed:
        close(connection)
        return false
      }
    }
    return true
  }
}

extension Response {
  /// The same as a server's last word: whoever comes again shall leave time for another to begin.
  fileprivate var last: Response {
    let isSaid = (headers.fields + additional).contains { $0.name == .retryAfter }
    guard !isSaid else { return self }
    var response = self
    response.additional.append(HeaderField(.retryAfter, "1"))
    return response
  }
}

extension EventLoop {
  /// Opens a stream. `flush` must follow.
  func open(_ connection: Connection, _ response: Response, _ source: any StreamSource) {
    let ending = Refusal(status: .serviceUnavailable, detail: "The service is ending.", isTemporary: true)
    if let refusal = isDraining
      ? ending.response(retryAfter: shared.limits.retryAfter) : admitWaiter(connection)
    {
      source.closed()
      respond(connection, refusal)
      return
    }
    let isChunked = connection.traits.version == .http11
    if !isChunked { connection.machine.mustClose() }
    noteAnswer(connection, response, isStream: true)
    counters.countResponse(response.status)
    encoder.encode(
      response,
      connection.traits,
      isChunked ? .chunked : .untilClose,
      keepsAlive: connection.machine.keepsAlive,
      into: &scratch
    )
    connection.parked = .stream(source)
    connection.registration = topics.add(connection.descriptor, exchange: connection.exchange, source.topics)
    counters.streams.add(1)
    if connection.traits.isHead {
      _ = release(connection)
      connection.exchange = nextExchange()
      connection.machine.responded(now: clock.now, shared.timeouts)
      wheel.schedule(connection.descriptor, at: connection.machine.deadline)
      source.closed()
      return
    }
    connection.machine.streamed(heartbeat: clock.now + shared.timeouts.heartbeat)
    wheel.schedule(connection.descriptor, at: connection.machine.deadline)
    flush(connection)
    if !response.body.isEmpty { stream(connection, [response.body]) }
    callOut(connection) { $0.opened($1) }
  }

  /// Calls a stream's source. What it sends comes as messages, so that nothing happens to the stream meanwhile.
  func callOut(_ connection: Connection, _ body: (any StreamSource, StreamHandle) -> Void) {
    guard case .stream(let source) = connection.parked else { return }
    body(source, StreamHandle(self, connection))
  }

  /// Sends a stream's message as one chunk (RFC 9112 section 7.1).
  func stream(_ connection: Connection, _ pieces: [[UInt8]]) {
    let count = pieces.reduce(0) { $0 + $1.count }
    // An empty chunk would be the last one.
    guard case .stream = connection.parked, count > 0 else { return }
    guard connection.output.admit(message: count, backlog: shared.limits.streamBacklog) else {
      perform(.cutOff, connection)
      return
    }
    let isChunked = connection.traits.version == .http11
    var prefix: [UInt8] = []
    if isChunked {
      ResponseEncoder.appendHexadecimal(count, to: &prefix)
      prefix.append(contentsOf: "\r\n".utf8)
      connection.output.append(prefix)
    }
    for piece in pieces { connection.output.append(piece) }
    if isChunked { connection.output.append(EventLoop.lineEnd) }
    connection.machine.streamed(heartbeat: clock.now + shared.timeouts.heartbeat)
    if connection.machine.hasOutput { holdOutput(of: connection) } else { writeQueued(connection) }
  }

  private static let lineEnd = Array("\r\n".utf8)
  private static let lastChunk = Array("0\r\n\r\n".utf8)

  /// Ends a stream in good order.
  func endStream(_ connection: Connection) {
    guard case .stream(let source) = release(connection) else { return }
    connection.exchange = nextExchange()
    connection.machine.responded(now: clock.now, shared.timeouts)
    if connection.traits.version == .http11 { connection.output.append(EventLoop.lastChunk) }
    source.closed()
    if connection.machine.hasOutput { return }
    if connection.output.isEmpty {
      // Only an HTTP/1.0 stream comes here: its end is the connection's.
      finishClosing(connection)
    } else {
      writeQueued(connection)
    }
  }

  /// Sends on a stream from any thread.
  func send(slot: Int32, exchange: UInt32, _ pieces: [[UInt8]]) {
    post(.send(slot: slot, exchange: exchange, pieces))
  }

  /// Ends a stream from any thread.
  func end(slot: Int32, exchange: UInt32) { post(.end(slot: slot, exchange: exchange)) }
}
