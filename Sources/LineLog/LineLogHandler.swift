import Foundation
public import Logging

/// Writes log messages to standard error, a line each.
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

  public init(logLevel: Logger.Level, format: Format) {
    (self.logLevel, self.format) = (logLevel, format)
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let line = LogLine(
      time: Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
      level: event.level.rawValue,
      message: event.message.description,
      fields: metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { _, new in new }
    )
    switch format {
    case .text: Self.write(line.text)
    case .json: Self.write(line.json)
    }
  }

  /// A line that can't be written is lost: a log that nobody takes must not end the service.
  private static func write(_ line: [UInt8]) {
    var bytes = line[...]
    bytes.append(UInt8(ascii: "\n"))
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
