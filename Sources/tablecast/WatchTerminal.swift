import Dispatch
import Foundation

/// The terminal: keys in, lines out. Left as it was found.
///
/// `@unchecked Sendable`: `former` is written once, before keys are read; the sources likewise.
final class WatchTerminal: @unchecked Sendable {
  enum Key: Sendable { case up, down, tap, refresh, more, quit }

  /// True if standard output is a terminal: else lines are printed as they are.
  let isOne = isatty(1) == 1
  private var former: termios?
  private var source: (any DispatchSourceRead)?
  private var sizes: (any DispatchSourceSignal)?

  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard isOne, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return (Int.max / 2, 120) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// - Parameter resized: called when the terminal has another size.
  func start(_ receive: @escaping @Sendable (Key) -> Void, resized: @escaping @Sendable () -> Void) {
    var settings = termios()
    guard isOne, isatty(0) == 1, tcgetattr(0, &settings) == 0 else { return }
    former = settings
    // Keys come one by one and aren't echoed; Ctrl-C stays a signal.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(0, TCSANOW, &settings)
    // Another screen, without a cursor.
    StandardOutput.write("\u{1B}[?1049h\u{1B}[?25l")
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
  func show(_ lines: [String]) {
    guard isOne else { return StandardOutput.write(lines.joined(separator: "\n") + "\n\n") }
    let last = lines.last ?? ""
    StandardOutput.write("\u{1B}[H" + lines.dropLast().map { "\u{1B}[2K\($0)\n" }.joined() + "\u{1B}[J\(last)")
  }

  func end() {
    source?.cancel()
    sizes?.cancel()
    guard var former else { return }
    tcsetattr(0, TCSANOW, &former)
    StandardOutput.write("\u{1B}[?25h\u{1B}[?1049l")
  }
}
