import Dispatch
import Foundation

/// The terminal: keys in, lines out. Left as it was found.
///
/// `@unchecked Sendable`: `former` and `settings` are written once, before keys are read; the sources likewise.
final class WatchTerminal: @unchecked Sendable {
  enum Key: Sendable { case up, down, tap, refresh, more, quit }

  /// True if standard output is a terminal: else lines are printed as they are.
  let isOne = isatty(1) == 1
  private var former: termios?
  /// Those that keys are read by.
  private var settings = termios()
  /// Held while something is written, and as long as the process is stopped.
  private let output = NSLock()
  private var source: (any DispatchSourceRead)?
  private var sizes: (any DispatchSourceSignal)?
  private var stops: (any DispatchSourceSignal)?

  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard isOne, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return (Int.max / 2, 120) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// - Parameter resized: called when the terminal has another size, or is this program's again after Ctrl-Z.
  func start(_ receive: @escaping @Sendable (Key) -> Void, resized: @escaping @Sendable () -> Void) {
    guard isOne, isatty(0) == 1, tcgetattr(0, &settings) == 0 else { return }
    former = settings
    // Keys come one by one and aren't echoed; Ctrl-C and Ctrl-Z stay signals.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    enter()
    let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .global())
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(0, &bytes, bytes.count)
      guard count > 0 else { return receive(.quit) }
      for key in Self.keys(bytes.prefix(count)) { receive(key) }
    }
    source.resume()
    self.source = source
    let sizes = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
    sizes.setEventHandler(handler: resized)
    sizes.resume()
    self.sizes = sizes
    let stops = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: .global())
    stops.setEventHandler { [weak self] in
      self?.stop()
      resized()
    }
    stops.resume()
    self.stops = stops
  }

  /// Another screen, without a cursor.
  private func enter() {
    tcsetattr(0, TCSANOW, &settings)
    StandardOutput.write("\u{1B}[?1049h\u{1B}[?25l")
  }

  /// The terminal as it was.
  private func leave() {
    guard var former else { return }
    tcsetattr(0, TCSANOW, &former)
    StandardOutput.write("\u{1B}[?25h\u{1B}[?1049l")
  }

  /// Ctrl-Z: the shell has the terminal as it was until the process goes on.
  private func stop() {
    output.withLock {
      leave()
      // Of this thread, which therefore doesn't go on before the process does.
      raise(SIGSTOP)
      enter()
    }
  }

  /// Arrows as terminals send them, in either of their modes. Other sequences are nothing.
  static func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    let text = String(decoding: Array(bytes), as: UTF8.self)
      .replacingOccurrences(of: "\u{1B}[\\[O]A", with: "k", options: .regularExpression)
      .replacingOccurrences(of: "\u{1B}[\\[O]B", with: "j", options: .regularExpression)
      .replacingOccurrences(of: "\u{1B}[\\[O][0-9;]*[ -~]", with: "", options: .regularExpression)
    return text.compactMap { character in
      switch character {
      case "k": .up
      case "j": .down
      case " ", "\n": .tap
      case "r": .refresh
      case "m": .more
      case "q": .quit
      default: nil
      }
    }
  }

  /// Draws over what was there: without a flash. What was there goes before the line comes: behind one that fills its
  /// line the cursor still stands on its last character.
  ///
  /// - Returns: false if the output can't be written.
  func show(_ lines: [String]) -> Bool {
    guard isOne else { return StandardOutput.write(lines.joined(separator: "\n") + "\n\n") }
    let last = lines.last ?? ""
    return output.withLock {
      StandardOutput.write("\u{1B}[H" + lines.dropLast().map { "\u{1B}[2K\($0)\n" }.joined() + "\u{1B}[J\(last)")
    }
  }

  func end() {
    source?.cancel()
    sizes?.cancel()
    stops?.cancel()
    output.withLock { leave() }
  }
}
