/// Giving up those who do not take what they asked for, before it takes the memory of all.
extension EventLoop {
  /// Milliseconds without taking anything after which a client is no reader.
  private static let stall = 1000

  /// Counts what a connection's client has not taken. Where that is too much in all, this loop gives up its own who have
  /// taken nothing for the longest time; the connection in hand last, and only where others' output waits, too.
  func holdOutput(of connection: Connection) {
    connection.output.hold(in: shared.output)
    guard shared.output.total > shared.output.comfortable else { return }
    let waiting = connections.compactMap { $0 }.filter { $0.machine.hasOutput && $0 !== connection }
      .sorted { $0.machine.patience < $1.machine.patience }
    let stalled = clock.now + shared.timeouts.write - EventLoop.stall
    for other in waiting {
      let total = shared.output.total
      guard total > shared.output.comfortable, total > shared.output.limit || other.machine.patience <= stalled else {
        return
      }
      perform(.cutOff, other)
    }
    let total = shared.output.total
    if total > shared.output.limit, total > connection.output.size { perform(.cutOff, connection) }
  }
}
