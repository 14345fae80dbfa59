internal import Dispatch
internal import Synchronization

extension EventLoop {
  /// Stops accepting, and brings every connection to its end in good order.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    stopListening()
    for connection in connections.compactMap({ $0 }) {
      perform(connection.machine.drainBegan(), connection)
    }
    reportIfEmpty()
  }

  /// Closes what is left.
  func abort() {
    isDraining = true
    stopListening()
    for connection in connections.compactMap({ $0 }) { close(connection) }
    stop()
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
    if isDraining, counters.connections.load(ordering: .relaxed) == 0 { stop() }
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
