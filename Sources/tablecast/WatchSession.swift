import Dispatch
import Foundation
import TablecastClient

/// The display of a watched table's states.
protocol WatchDisplay: Sendable {
  func show(_ change: TableChange)
  /// Reads keys, where there are any; `quit` ends the program.
  func start(quit: @escaping @Sendable () -> Void)
  /// Leaves the terminal as it was.
  func end()
}

/// Watches until it is told to end, the time is over, or the service refuses the table.
final class WatchSession: Sendable {
  private let client: TablecastClient<AnyCell>
  private let table: LiveTable<AnyCell>
  private let display: any WatchDisplay
  private let ended = DispatchSemaphore(value: 0)

  init(_ client: TablecastClient<AnyCell>, _ table: LiveTable<AnyCell>, _ display: any WatchDisplay) {
    (self.client, self.table, self.display) = (client, table, display)
  }

  /// Returns the exit status.
  func run(seconds: Double?) -> Int32 {
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
    let observation = table.observe { [display, ended] change in
      display.show(change)
      if change.snapshot.isRefused { ended.signal() }
    }
    _ = ended.wait(timeout: seconds.map { .now() + $0 } ?? .distantFuture)
    let isRefused = table.snapshot?.isRefused ?? false
    observation.cancel()
    client.flush()
    display.end()
    for source in signals { source.cancel() }
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

  func show(_ change: TableChange) {
    guard change.snapshot.connection != .connecting else { return }
    let line = change.snapshot.json
    guard line != last else { return }
    last = line
    StandardOutput.write(line + "\n")
  }

  func start(quit: @escaping @Sendable () -> Void) {}
  func end() {}
}

enum StandardOutput {
  /// Whole and at once: no buffer keeps a state back.
  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { return }
      rest = rest.dropFirst(max(count, 0))
    }
  }
}
