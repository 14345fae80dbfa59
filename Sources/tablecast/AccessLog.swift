import Dispatch
import HTTPServer
import Logging
import Synchronization

/// A line in the log for each request that is answered: `serve --access-log`. Lines are written on a queue of their own; where the
/// log is not taken as fast as requests come, some are lost, which is said.
final class AccessLog: Sendable {
  private let logger: Logger
  private let queue = DispatchQueue(label: "tablecast.access")
  private let waiting = Atomic<Int>(0)
  private let lost = Atomic<Int>(0)

  /// So many lines may wait.
  private static let mostWaiting = 10_000

  init() {
    var logger = Logger(label: "tablecast.access")
    // The access log is written whatever the level of other messages.
    logger.logLevel = .info
    self.logger = logger
  }

  /// On any thread; does not block.
  ///
  /// - Parameter caller: as the lines of edits call them.
  func write(_ answered: AnsweredRequest, caller: String?) {
    guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
      waiting.wrappingSubtract(1, ordering: .relaxed)
      lost.wrappingAdd(1, ordering: .relaxed)
      return
    }
    // Made here: a waiting line keeps no request, whose head may be long.
    let fields = Self.fields(answered, caller)
    queue.async { [self] in
      waiting.wrappingSubtract(1, ordering: .relaxed)
      reportLostLines()
      logger.info("A request was answered", metadata: fields)
    }
  }

  /// Waits until the lines up to now are written, at most for the given time: the log may be taken by nobody.
  func flush(within bound: DispatchTimeInterval) {
    let written = DispatchSemaphore(value: 0)
    queue.async { [self] in
      reportLostLines()
      written.signal()
    }
    _ = written.wait(timeout: .now() + bound)
  }

  /// On the queue.
  private func reportLostLines() {
    let missing = lost.exchange(0, ordering: .relaxed)
    guard missing > 0 else { return }
    logger.warning("Lines of the access log were lost", metadata: ["lines": .stringConvertible(missing)])
  }

  /// More bytes than the log writes of a value: the rest of a longer path is not kept.
  private static let mostOfPath = 5000

  private static func fields(_ answered: AnsweredRequest, _ caller: String?) -> Logger.Metadata {
    var path = answered.request?.rawPath ?? "-"
    if path.utf8.count > mostOfPath { path = String(decoding: path.utf8.prefix(mostOfPath), as: UTF8.self) }
    var fields: Logger.Metadata = [
      "method": "\(answered.request?.method.name ?? "-")", "path": "\(path)",
      "status": .stringConvertible(answered.status.code), "bytes": .stringConvertible(answered.byteCount),
      "address": "\(answered.client.host)", "caller": "\(caller ?? "-")", "request": "\(answered.requestID)",
    ]
    if let nanoseconds = answered.nanoseconds {
      fields["milliseconds"] = .stringConvertible(Double(nanoseconds / 1000) / 1000)
    }
    return fields
  }
}
