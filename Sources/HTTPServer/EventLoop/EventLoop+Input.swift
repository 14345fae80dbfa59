extension EventLoop {
  /// Reads in one turn of a connection, so that others get theirs.
  private static let readsPerTurn = 4
  /// Bytes to read at once between requests: what can't be handled before an earlier response is taken is kept.
  private static let headRoom = 16_384
  /// Bytes of a refused request that are thrown away at most. Many clients read nothing before they have sent all: closing
  /// earlier than that would take the refusal from them.
  private static let discardLimit = 64 << 20
  /// Bytes behind a parked request that are kept; a client that sends more is answered and closed.
  private static let unreadLimit = 4096

  /// Reads what has come and handles it, until there is no more or the connection has to wait for something.
  func read(_ connection: Connection, untilEnd: Bool) {
    if connection.machine.phase == .lingering {
      discard(connection)
      return
    }
    for _ in 0..<EventLoop.readsPerTurn {
      guard connection.mayHaveInput, connection.machine.wantsInput else {
        if connection.machine.phase != .closed { watch(connection) }
        return
      }
      let room = connection.reader.isReadingBody ? input.count : EventLoop.headRoom
      switch Socket.receive(connection.descriptor, UnsafeMutableRawBufferPointer(rebasing: input[..<room])) {
      case .transferred(0):
        connection.mayHaveInput = false
        perform(connection.machine.peerFinished(), connection)
        return
      case .transferred(let count):
        counters.bytesRead.add(count)
        // Less than there was room for: that was all, and what comes later is another event.
        if count < room, !untilEnd { connection.mayHaveInput = false }
        consume(connection, UnsafeRawBufferPointer(rebasing: input[..<count]).bindMemory(to: UInt8.self).span)
      case .wouldBlock:
        connection.mayHaveInput = false
      case .failed:
        close(connection)
      }
    }
    guard connection.machine.phase != .closed else { return }
    watch(connection)
    if connection.mayHaveInput { resumable.append(Woken(slot: connection.descriptor, exchange: connection.generation)) }
  }

  /// Goes on with connections that had more input than one turn takes, to its end: the event of that may have come before.
  func resumeReading() {
    guard !resumable.isEmpty else { return }
    let waiting = resumable
    resumable = []
    for entry in waiting {
      guard let connection = connections[Int(entry.slot)], connection.generation == entry.exchange else { continue }
      read(connection, untilEnd: true)
    }
  }

  /// Goes on with a connection whose request has been answered: what came behind it is next.
  func resume(_ connection: Connection) {
    guard connection.machine.wantsInput else { return }
    if connection.reader.isBetweenRequests { endHolding(connection) }
    if !connection.unread.isEmpty {
      let unread = connection.unread
      (connection.unread, connection.heldUnread) = ([], nil)
      consume(connection, unread.span)
    }
    if connection.mayHaveInput, connection.machine.wantsInput { read(connection, untilEnd: true) }
  }

  /// Handles the requests in `bytes` one after the other, and writes their responses together.
  private func consume(_ connection: Connection, _ bytes: Span<UInt8>) {
    var index = 0
    do {
      while index < bytes.count, connection.machine.wantsInput {
        switch try connection.reader.read(bytes, &index, &heads, shared.limits) {
        case .incomplete:
          if connection.reader.awaitsLargeBody, refuseByHead(connection) { return }
          noteProgress(connection)
          let count = connection.reader.unfinishedCount
          let head = connection.reader.headOfBody
          try hold(count, isUnfinished: true, of: connection, by: client(connection, head))
        case .expectsContinue:
          if refuseByHead(connection) { return }
          noteProgress(connection)
          counters.informational.add(1)
          scratch.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
        case .request(let head, let body):
          try handle(connection, head, body)
        }
        if scratch.count > EventLoop.inputCapacity { flush(connection) }
      }
    } catch {
      // The rest may be anything.
      refuse(connection, error)
      return
    }
    if index < bytes.count, connection.machine.phase != .closed {
      keep(connection, bytes.extracting(index..<bytes.count))
    }
    flush(connection)
  }

  /// Keeps input that can't be handled before the present request is answered.
  private func keep(_ connection: Connection, _ rest: Span<UInt8>) {
    do {
      if case .nothing = connection.parked {
        // Beside the body of the request that is being answered.
        connection.heldUnread = try shared.input.hold(
          connection.unread.count + rest.count,
          isUnfinished: true,
          of: connection.client,
          insteadOf: connection.heldUnread
        )
      } else if rest.count > EventLoop.unreadLimit {
        return connection.machine.mustClose()
      }
      rest.withUnsafeBufferPointer { connection.unread.append(contentsOf: $0) }
    } catch {
      connection.machine.mustClose()
    }
  }

  private func noteProgress(_ connection: Connection) {
    guard !connection.reader.isBetweenRequests else { return }
    connection.machine.received(
      isBody: connection.reader.isReadingBody,
      bodyCount: connection.reader.bodyCount,
      now: clock.now,
      shared.timeouts
    )
    wheel.schedule(connection.descriptor, at: connection.machine.deadline)
  }

  /// Counts what has come of a request that is not whole, or the body of one that is not answered.
  private func hold(
    _ count: Int,
    weighing weight: Int = 1,
    isUnfinished: Bool = false,
    of connection: Connection,
    by client: @autoclosure () -> Client
  ) throws(Refusal) {
    guard count >= InputBudget.countedFrom || connection.heldInput != nil else { return }
    connection.heldInput = try shared.input.hold(
      count,
      weighing: weight,
      isUnfinished: isUnfinished,
      of: client(),
      insteadOf: connection.heldInput
    )
  }

  /// The request is answered. A handler may keep its exchange for a moment longer, which counts no more.
  private func endHolding(_ connection: Connection) {
    connection.heldInput?.end()
    connection.heldInput = nil
  }

  /// The bytes of memory for each one of a request's body; small bodies are not worth the question.
  private func weight(_ connection: Connection, _ head: RequestHead, _ body: [UInt8]) -> Int {
    guard body.count >= InputBudget.countedFrom else { return 1 }
    return shared.handler.weight(of: request(connection, head, []), bodyCount: body.count)
  }

  /// The client of a request with this head; the connection's own before a head has come, as a proxy's earlier request
  /// need not have been of the same client.
  private func client(_ connection: Connection, _ head: RequestHead?) -> Client {
    guard connection.peer.kind == .proxy, let head else { return connection.peer }
    return shared.client(of: head, by: connection.peer.address)
  }

  private func handle(_ connection: Connection, _ head: RequestHead, _ body: [UInt8]) throws(Refusal) {
    connection.isHeadJudged = false
    if body.isEmpty {
      connection.heldInput = nil
    } else {
      do {
        let weight = weight(connection, head, body)
        try hold(body.count, weighing: weight, of: connection, by: client(connection, head))
      } catch {
        throw error.of(head)
      }
    }
    // An answer at once ends the hold.
    defer { if connection.machine.wantsInput { endHolding(connection) } }
    connection.machine.requestRead(keepsAlive: head.keepsAlive, shared.limits)
    connection.exchange = nextExchange()
    let request = take(connection, head, body)
    (connection.begun, connection.kind) = (Latencies.now, 0)
    counters.requests.add(1)
    if let hosts = shared.hosts, !hosts.admits(head) {
      respond(connection, HostPolicy.misdirected)
      return
    }
    if head.method == .options, let answer = answerOptions(connection, head) {
      respond(connection, answer)
      return
    }
    let exchange = Exchange(self, connection)
    perform(shared.handler.handle(request, exchange), connection)
  }

  /// Notes the request in hand, as its answer and the access log need it.
  @discardableResult private func take(_ connection: Connection, _ head: RequestHead, _ body: [UInt8]) -> Request {
    connection.traits = traits(head)
    let request = request(connection, head, body)
    if shared.accessLog != nil { connection.request = request.withoutBody }
    return request
  }

  /// Returns the properties that answers to the request need; it has the next number.
  private func traits(_ head: RequestHead) -> RequestTraits {
    requestSerial += 1
    return RequestTraits(
      isHead: head.method == .head,
      version: head.version,
      serial: requestSerial,
      suppliedID: head.suppliedRequestID.map { Array($0) },
      grant: encoder.crossOrigin?.grant(to: head)
    )
  }

  private func request(_ connection: Connection, _ head: RequestHead, _ body: [UInt8]) -> Request {
    if connection.peer.kind == .proxy { connection.client = client(connection, head) }
    return Request(
      head: head,
      body: body,
      peer: connection.peer.address,
      client: connection.client,
      serial: requestSerial
    )
  }

  /// Refuses a request whose body is still to come, where its head is enough for that: nobody makes the server keep what it
  /// will not look at. Ends the connection, as what follows would be taken for another request.
  private func refuseByHead(_ connection: Connection) -> Bool {
    // Once: finding out whose a request is may take longer than reading a part of its body.
    guard !connection.isHeadJudged, let head = connection.reader.headOfBody else { return false }
    connection.isHeadJudged = true
    let isMisdirected = shared.hosts.map { !$0.admits(head) } ?? false
    let refusal =
      isMisdirected ? HostPolicy.misdirected : shared.handler.refusal(of: request(connection, head, []))
    guard let refusal else { return false }
    counters.refusedRequests.add(1)
    take(connection, head, [])
    end(connection, with: refusal)
    return true
  }

  /// `OPTIONS *` (RFC 9110 section 9.3.7), which is about the server as a whole, and preflights.
  private func answerOptions(_ connection: Connection, _ head: RequestHead) -> Response? {
    if let (response, grant) = encoder.crossOrigin?.preflight(head) {
      connection.traits.grant = grant
      return response
    }
    guard head.target.isAsterisk else { return nil }
    let methods: AllowedMethods = [.get, .post, .put, .patch, .delete]
    return Response(status: .noContent, additional: [HeaderField(.allow, methods.allow)])
  }

  /// Answers what is no request, or none to be served, and ends the connection.
  func refuse(_ connection: Connection, _ refusal: Refusal) {
    counters.refusedRequests.add(1)
    if let head = refusal.head ?? connection.reader.headOfBody {
      take(connection, head, [])
    } else {
      requestSerial += 1
      connection.traits = RequestTraits(serial: requestSerial, grant: encoder.crossOrigin?.everyones)
      // The client of a proxy's earlier request need not have sent this one.
      (connection.client, connection.request) = (connection.peer, nil)
    }
    end(connection, with: refusal.response(retryAfter: shared.limits.retryAfter))
  }

  /// The last response of a connection, which the client is to see whatever it still sends.
  private func end(_ connection: Connection, with response: Response) {
    (connection.unread, connection.heldUnread) = ([], nil)
    (connection.reader, connection.heldInput) = (RequestReader(), nil)
    connection.mayHaveInput = true
    connection.machine.refused()
    if let log = shared.accessLog {
      log(answered(connection, response, response.byteCount, nil))
      connection.request = nil
    }
    write(connection, response)
    flush(connection)
  }

  /// Reads and throws away what a client still sends after its last response.
  private func discard(_ connection: Connection) {
    for _ in 0..<EventLoop.readsPerTurn {
      switch Socket.receive(connection.descriptor, input) {
      case .wouldBlock:
        watch(connection)
        return
      case .transferred(0), .failed:
        close(connection)
        return
      case .transferred(let count):
        connection.discarded += count
        guard connection.discarded < EventLoop.discardLimit else { return close(connection) }
      }
    }
    watch(connection)
    resumable.append(Woken(slot: connection.descriptor, exchange: connection.generation))
  }

  /// The last response has been taken: ends the connection so that the client gets to see it.
  func finishClosing(_ connection: Connection) {
    guard connection.mayHaveInput || !connection.unread.isEmpty else {
      close(connection)
      return
    }
    // RFC 9112 section 9.6: closing over unread input resets the connection, and the response may be lost with it.
    Socket.shutWriting(connection.descriptor)
    (connection.unread, connection.heldUnread, connection.heldInput) = ([], nil, nil)
    connection.machine.lingers(now: clock.now, shared.timeouts)
    wheel.schedule(connection.descriptor, at: connection.machine.deadline)
    discard(connection)
  }
}
