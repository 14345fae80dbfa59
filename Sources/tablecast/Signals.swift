import Foundation

/// Signals, each waited for by a thread of its own.
///
/// A source of Dispatch's loses a signal that comes while the main thread is on its way to `dispatchMain`, or the process dies of
/// it: there the handler raises the signal again for the main thread alone.
enum Signals {
  /// All threads that start from now on leave SIGTERM, SIGINT and SIGHUP to ``handle(_:by:)``. A signal waits until then.
  static func block() { mask(SIG_BLOCK, [SIGTERM, SIGINT, SIGHUP]) }

  /// Calls `handler` with each signal of these numbers, one after the other.
  static func handle(_ numbers: [Int32], by handler: @escaping @Sendable (Int32) -> Void) {
    Thread.detachNewThread {
      var signals = set(of: numbers)
      while true {
        var number: Int32 = 0
        if sigwait(&signals, &number) == 0 { handler(number) }
      }
    }
  }

  /// Ends the process as if the signal were not handled.
  static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    mask(SIG_UNBLOCK, [number])
    raise(number)
    exit(128 + number)
  }

  /// Leaves the rest to the other threads. `dispatchMain` would take blocked signals, too.
  static func park() -> Never { while true { pause() } }

  private static func mask(_ how: Int32, _ numbers: [Int32]) {
    var signals = set(of: numbers)
    pthread_sigmask(how, &signals, nil)
  }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    return signals
  }
}
