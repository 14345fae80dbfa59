internal import CEventPoll

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
      let deadline = connection.machine.deadline
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
