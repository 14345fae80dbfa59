import ArgumentParser
import Dispatch
import Foundation
import Synchronization
import TablecastClient

/// The display of a watched table's states.
protocol WatchDisplay: Sendable {
  /// - Returns: false if the output can't be written.
  func show(_ change: TableChange) -> Bool
  /// Reads keys, where there are any; `quit` ends the program.
  func start(quit: @escaping @Sendable () -> Void)
  /// Leaves the terminal as it was.
  func end()
}

/// Watches until it is told to end, the time is over, the service refuses the table, or the output can't be written.
final class WatchSession: Sendable {
  private let client: TablecastClient<AnyCell>
  private let table: LiveTable<AnyCell>
  private let display: any WatchDisplay
  private let ended = DispatchSemaphore(value: 0)
  private let isUnwritable = Atomic(false)

  init(_ client: TablecastClient<AnyCell>, _ table: LiveTable<AnyCell>, _ display: any WatchDisplay) {
    (self.client, self.table, self.display) = (client, table, display)
  }

  /// Returns the exit status.
  ///
  /// - Throws: where the output can't be written, which is said.
  func run(seconds: Double?) throws -> Int32 {
    // Without a reader writing fails, and the terminal is left as it was.
    signal(SIGPIPE, SIG_IGN)
    // The default action would end the program before the state is kept and the terminal as it was.
    let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [ended] in ended.signal() }
      source.resume()
      return source
    }
    // First the terminal's other screen, which hides what was drawn before.
    display.start { [ended] in ended.signal() }
    let observation = table.observe { [self] change in
      let isShown = display.show(change)
      if !isShown { isUnwritable.store(true, ordering: .releasing) }
      if !isShown || change.snapshot.isRefused { ended.signal() }
    }
    _ = ended.wait(timeout: seconds.map { .now() + $0 } ?? .distantFuture)
    let isRefused = table.snapshot?.isRefused ?? false
    observation.cancel()
    client.flush()
    display.end()
    for source in signals { source.cancel() }
    if isUnwritable.load(ordering: .acquiring) { throw CleanExit.failure("the output can't be written") }
    return isRefused ? 1 : 0
  }
}

extension TableSnapshot {
  /// The table, or what is looked for in it.
  fileprivate var isRefused: Bool { connection == .refused || searchProblem != nil }
}

/// A line of JSON for each state.
///
/// `@unchecked Sendable`: `last` is used on the client's queue alone.
final class WatchLines: WatchDisplay, @unchecked Sendable {
  private var last: String?

  func show(_ change: TableChange) -> Bool {
    guard change.snapshot.connection != .connecting else { return true }
    let line = change.snapshot.json
    guard line != last else { return true }
    last = line
    return StandardOutput.write(line + "\n")
  }

  func start(quit: @escaping @Sendable () -> Void) {}
  func end() {}
}

enum StandardOutput {
  /// Whole and at once: no buffer keeps a state back. Waits while the output takes nothing.
  ///
  /// - Returns: false if it can't be written.
  @discardableResult
  static func write(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
      if count < 0 {
        switch errno {
        case EINTR: continue
        case EAGAIN:
          var output = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
          _ = poll(&output, 1, -1)
        default: return false
        }
      }
      rest = rest.dropFirst(max(count, 0))
    }
    return true
  }
}
