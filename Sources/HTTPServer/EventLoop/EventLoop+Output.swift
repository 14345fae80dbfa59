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
      .length(response.body.count),
      keepsAlive: keepsAlive,
      into: &scratch
    )
    guard !connection.traits.isHead, !response.status.forbidsBody, !response.body.isEmpty else { return }
    if response.body.count <= EventLoop.copyLimit {
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
      connection.output.append(Array(scratch))
      scratch.removeAll(keepingCapacity: true)
    } else {
      let outcome = scratch.withUnsafeBytes { Socket.send(connection.descriptor, $0) }
      wrote(connection, outcome, body: [])
    }
  }

  /// Writes what is in `scratch`, and `body` behind it.
  private func flush(_ connection: Connection, with body: [UInt8]) {
    guard connection.output.isEmpty else {
      connection.output.append(Array(scratch))
      connection.output.append(body)
      scratch.removeAll(keepingCapacity: true)
      return
    }
    let outcome = scratch.withUnsafeBytes { head in
      body.withUnsafeBytes { Socket.send(connection.descriptor, head, $0) }
    }
    wrote(connection, outcome, body: body)
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

  /// Writes what is queued, as far as the client takes it.
  func writeQueued(_ connection: Connection) {
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
        return
      case .failed:
        close(connection)
        return
      }
    }
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
