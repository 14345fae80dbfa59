import Foundation
public import Logging

/// Writes log messages to standard error, a line each. Where nobody reads them as fast, they wait or are lost, and their
/// threads go on.
public struct LineLogHandler: LogHandler {
  public enum Format: Sendable {
    /// For people: time, level, message and fields.
    case text
    /// For programs: an object a line.
    case json
  }

  public var logLevel: Logger.Level
  public var metadata: Logger.Metadata = [:]
  private let format: Format
  private let output: LineOutput
  private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  public init(logLevel: Logger.Level, format: Format) {
    self.init(logLevel: logLevel, format: format, output: .standardError)
  }

  init(logLevel: Logger.Level, format: Format, output: LineOutput) {
    (self.logLevel, self.format, self.output) = (logLevel, format, output)
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let fields = metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { _, new in new }
    output.write(line(event.level, event.message.description, fields)) { lost in
      line(.warning, "Lines of the log were lost", ["lines": .stringConvertible(lost)])
    }
  }

  private func line(_ level: Logger.Level, _ message: String, _ fields: Logger.Metadata) -> [UInt8] {
    let line = LogLine(
      time: Date().formatted(Self.timeStyle),
      level: level.rawValue,
      message: message,
      fields: fields
    )
    return switch format {
    case .text: line.text
    case .json: line.json
    }
  }

  /// Waits until what was logged is written, but no longer than some time: before the process ends.
  public static func flush(within time: Duration) { LineOutput.standardError.flush(within: time) }
}
