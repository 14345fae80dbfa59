import Dispatch
import Foundation

/// The terminal: keys in, lines out. Left as it was found.
///
/// `@unchecked Sendable`: `former` is written once, before keys are read; `source` likewise.
final class WatchTerminal: @unchecked Sendable {
  enum Key: Sendable { case up, down, tap, refresh, more, quit }

  /// Whether standard output is one: else lines are printed as they are.
  let isOne = isatty(1) == 1
  private var former: termios?
  private var source: (any DispatchSourceRead)?

  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard isOne, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return (Int.max / 2, 120) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  func start(_ receive: @escaping @Sendable (Key) -> Void) {
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
  }

  static func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    let text = String(decoding: Array(bytes), as: UTF8.self)
      .replacingOccurrences(of: "\u{1B}[A", with: "k").replacingOccurrences(of: "\u{1B}[B", with: "j")
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

  /// Draws over what was there: without a flash.
  func show(_ lines: [String]) {
    guard isOne else { return StandardOutput.write(lines.joined(separator: "\n") + "\n\n") }
    StandardOutput.write("\u{1B}[H" + lines.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J")
  }

  func end() {
    source?.cancel()
    guard var former else { return }
    tcsetattr(0, TCSANOW, &former)
    StandardOutput.write("\u{1B}[?25h\u{1B}[?1049l")
  }
}
