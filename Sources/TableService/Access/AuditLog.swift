import Definitions
import Dispatch
import Foundation
import HTTPServer
import JSON
import Logging
import Synchronization

/// The audit log: a line for each edit says who changed what, and how it ended. A line is in the file, and the file on
/// the disk, before the edit is answered; those that come together are written together. `@unchecked Sendable`: the
/// file is touched on the queue alone.
final class AuditLog: @unchecked Sendable {
  private let definition: AuditDefinition
  private let logger: Logger
  private let queue = DispatchQueue(label: "tablecast.audit")
  private let waiting = Mutex<[(lines: [UInt8], completion: @Sendable () -> Void)]>([])
  private var file: FileHandle?
  private let recent = Mutex(RecentEntries())

  /// - Throws: where the file can't be opened: words for the operator.
  init(_ definition: AuditDefinition, _ logger: Logger) throws {
    (self.definition, self.logger) = (definition, logger)
    file = try Self.open(definition)
    if case .file(let path) = definition.destination { recent.withLock { $0.append(Self.lastLines(of: path)) } }
  }

  /// Returns the last lines of a file, as far as they are shown.
  private static func lastLines(of path: String) -> [[UInt8]] {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else { return [] }
    let start = end > UInt64(RecentEntries.maximumBytes) ? end - UInt64(RecentEntries.maximumBytes) : 0
    guard (try? file.seek(toOffset: start)) != nil, let data = try? file.readToEnd() else { return [] }
    let lines = data.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    // The first may have begun before, and what is cut off is no JSON; nor is what somebody else has written there.
    return (start == 0 ? lines : Array(lines.dropFirst())).filter { (try? JSONValue(parsing: $0)) != nil }
  }

  /// Lines have the edits' bodies, too.
  var hasBodies: Bool { definition.hasBodies }

  /// The newest entries, each a JSON object, newest first.
  func newest(_ count: Int) -> [[UInt8]] { recent.withLock { $0.newest(count) } }

  private static func open(_ definition: AuditDefinition) throws -> FileHandle {
    guard case .file(let path) = definition.destination else { return .standardError }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else {
      throw AuditError(description: "audit: \(path) can't be opened: \(String(cString: strerror(errno)))")
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Opens the file anew, which may have been renamed. Where that fails, the old one is written on.
  func reopen() {
    queue.async { [self] in
      do { file = try Self.open(definition) } catch {
        logger.error("The record of edits can't be opened anew", metadata: ["reason": "\(error)"])
      }
    }
  }

  /// The one of the next configuration: this one with its file opened anew, where it says the same.
  fileprivate func following(_ next: AuditDefinition) throws -> AuditLog {
    guard next == definition else { return try AuditLog(next, logger) }
    reopen()
    return self
  }

  /// Writes a line for each, and calls when they are where they stay, on another queue. What can't be written is said in the
  /// log: the edit is done, whatever becomes of this.
  func write(_ entries: [AuditEntry], _ status: Status, _ completion: @escaping @Sendable () -> Void) {
    let time = Self.time(Date())
    let written = entries.map { $0.line(time, status, hasBody: definition.hasBodies) }
    recent.withLock { $0.append(written) }
    let lines = written.flatMap { $0 + [UInt8(ascii: "\n")] }
    waiting.withLock { $0.append((lines, completion)) }
    queue.async { [self] in flush() }
  }

  private func flush() {
    let taken = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !taken.isEmpty else { return }
    do {
      try file?.write(contentsOf: Data(taken.flatMap(\.lines)))
      if case .file = definition.destination { try file?.synchronize() }
    } catch {
      logger.error(
        "Edits can't be recorded",
        metadata: ["edits": .stringConvertible(taken.count), "reason": "\((error as NSError).localizedDescription)"]
      )
    }
    for entry in taken { entry.completion() }
  }

  /// RFC 3339, in UTC, with milliseconds.
  private static func time(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

/// Why nothing could be recorded.
struct AuditError: Error, CustomStringConvertible {
  var description: String
}

extension AuditLog? {
  /// The one of the next configuration.
  ///
  /// - Throws: where its file can't be opened; then this one goes on.
  func following(_ next: AuditDefinition?, _ logger: Logger) throws -> AuditLog? {
    guard let next else { return nil }
    return try self?.following(next) ?? AuditLog(next, logger)
  }
}
