import Glibc
import LineLog
import Logging

/// The output of log lines: standard error, as text on a terminal, as JSON lines otherwise.
enum Logs {
  static func bootstrap(level: Logger.Level) {
    let isTerminal = isatty(STDERR_FILENO) == 1
    atexit { LineLogHandler.flush(within: .milliseconds(100)) }
    LoggingSystem.bootstrap { _ in LineLogHandler(logLevel: level, format: isTerminal ? .text : .json) }
  }
}
