import Foundation
import Logging

/// Where log lines go: standard error, as text on a terminal, as JSON lines otherwise.
enum Logs {
  static func bootstrap(level: Logger.Level) {
    let isTerminal = isatty(2) == 1
    LoggingSystem.bootstrap { label in
      LineLogHandler(label: label, logLevel: level, isJSON: !isTerminal)
    }
  }
}

/// One line a message.
struct LineLogHandler: LogHandler {
  let label: String
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  let isJSON: Bool

  init(label: String, logLevel: Logger.Level, isJSON: Bool) {
    (self.label, self.logLevel, self.isJSON) = (label, logLevel, isJSON)
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let time = Date().formatted(.iso8601.time(includingFractionalSeconds: true))
    let line =
      isJSON ? json(event, fields, time) : text(event, fields, time)
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  private func text(_ event: LogEvent, _ fields: Logger.Metadata, _ time: String) -> String {
    let members = fields.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }.joined()
    return
      "\(time) \(event.level.rawValue.uppercased().padding(toLength: 8, withPad: " ", startingAt: 0)) \(event.message)\(members)"
  }

  private func json(_ event: LogEvent, _ fields: Logger.Metadata, _ time: String) -> String {
    var object = fields.mapValues { "\($0)" }
    object["time"] = time
    object["level"] = event.level.rawValue
    object["message"] = "\(event.message)"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? "\(object)"
  }
}
