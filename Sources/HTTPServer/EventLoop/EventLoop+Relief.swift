/// Giving up those who do not take what they asked for, before it takes the memory of all.
extension EventLoop {
  /// Milliseconds without taking anything after which a client is no reader.
  private static let stall = 1000

  /// Counts what a connection's client has not taken. Where that is too much in all, this loop gives up its own who have
  /// taken nothing for the longest time; the connection in hand last, and only where others' output waits, too.
  func holdOutput(of connection: Connection) {
    connection.output.hold(in: shared.output)
    let total = shared.output.total
    guard total > shared.output.comfortable else { return }
    let stalled = clock.now + shared.timeouts.write - EventLoop.stall
    // Mostly nobody has stalled, and there is nothing to be put in order.
    let waiting = connections.lazy.compactMap { $0 }.filter { [shared] in
      $0.machine.hasOutput && $0 !== connection
        && (total > shared.output.limit || $0.machine.patience <= stalled)
    }
    for other in waiting.sorted(by: { $0.machine.patience < $1.machine.patience }) {
      let total = shared.output.total
      guard total > shared.output.comfortable, total > shared.output.limit || other.machine.patience <= stalled else {
        return
      }
      perform(.cutOff, other)
    }
    let rest = shared.output.total
    if rest > shared.output.limit, rest > connection.output.size { perform(.cutOff, connection) }
  }
}
