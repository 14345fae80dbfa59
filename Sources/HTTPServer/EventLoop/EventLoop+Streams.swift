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
