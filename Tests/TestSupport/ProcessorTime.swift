import Glibc

/// The processor time that `body` takes on this thread, the least of three runs: whoever else wants the processor
/// meanwhile doesn't count, so that costs can be compared on a busy machine.
public func processorTime(_ body: () throws -> Void) rethrows -> Duration {
  var least = Duration.seconds(Int64.max)
  for _ in 0..<3 {
    let start = threadTime()
    try body()
    least = min(least, threadTime() - start)
  }
  return least
}

private func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
