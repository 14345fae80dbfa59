internal import Dispatch
internal import Synchronization

extension EventLoop {
  /// Brings every connection to its end in good order. Until those that there are have ended new ones are taken, for
  /// one request each: whoever asks meanwhile whether the service is ready is told that it ends.
  func drain() {
    guard !isDraining else { return }
    isDraining = true
    let open = connections.compactMap { $0 }
    for connection in open { connection.isAwaited = true }
    awaited = open.count
    for connection in open { perform(connection.machine.drainBegan(), connection) }
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
    guard isDraining, awaited == 0 else { return }
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
