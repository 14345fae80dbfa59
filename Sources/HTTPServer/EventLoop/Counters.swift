import Synchronization

/// The counters of one event loop. Only the loop writes, anyone may read.
final class Counters: Sendable {
  let connections = Atomic<Int>(0)
  let waiters = Atomic<Int>(0)
  let streams = Atomic<Int>(0)
  let accepted = Atomic<Int>(0)
  let refusedConnections = Atomic<Int>(0)
  let requests = Atomic<Int>(0)
  let refusedRequests = Atomic<Int>(0)
  let informational = Atomic<Int>(0)
  let successful = Atomic<Int>(0)
  let redirections = Atomic<Int>(0)
  let clientErrors = Atomic<Int>(0)
  let serverErrors = Atomic<Int>(0)
  let woken = Atomic<Int>(0)
  let timedOut = Atomic<Int>(0)
  let abandoned = Atomic<Int>(0)
  let slowReaders = Atomic<Int>(0)
  let bytesRead = Atomic<Int>(0)
  let bytesWritten = Atomic<Int>(0)
  let latencies: Latencies

  /// - Parameter kinds: of requests.
  init(kinds: Int) { latencies = Latencies(kinds: kinds) }

  func countResponse(_ status: Status) {
    switch status.code / 100 {
    case 2: successful.add(1)
    case 3: redirections.add(1)
    case 4: clientErrors.add(1)
    default: serverErrors.add(1)
    }
  }

  /// Adds what this loop has counted.
  func add(to statistics: inout Statistics) {
    statistics.connections += connections.load(ordering: .relaxed)
    statistics.waiters += waiters.load(ordering: .relaxed)
    statistics.streams += streams.load(ordering: .relaxed)
    statistics.accepted += accepted.load(ordering: .relaxed)
    statistics.refusedConnections += refusedConnections.load(ordering: .relaxed)
    statistics.requests += requests.load(ordering: .relaxed)
    statistics.refusedRequests += refusedRequests.load(ordering: .relaxed)
    statistics.responses[1] += informational.load(ordering: .relaxed)
    statistics.responses[2] += successful.load(ordering: .relaxed)
    statistics.responses[3] += redirections.load(ordering: .relaxed)
    statistics.responses[4] += clientErrors.load(ordering: .relaxed)
    statistics.responses[5] += serverErrors.load(ordering: .relaxed)
    statistics.woken += woken.load(ordering: .relaxed)
    statistics.timedOut += timedOut.load(ordering: .relaxed)
    statistics.abandoned += abandoned.load(ordering: .relaxed)
    statistics.slowReaders += slowReaders.load(ordering: .relaxed)
    statistics.bytesRead += bytesRead.load(ordering: .relaxed)
    statistics.bytesWritten += bytesWritten.load(ordering: .relaxed)
    latencies.add(to: &statistics)
  }
}

extension Atomic where Value == Int {
  /// Adds where there is one writer only: no locked instruction is needed.
  @inline(__always)
  func add(_ amount: Int) { store(load(ordering: .relaxed) &+ amount, ordering: .relaxed) }
}
