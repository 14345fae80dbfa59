import Logging
import TableStore
import Upstream

extension TransferReport {
  /// Says at the level `debug` what was asked of an upstream, and what came of it. The report has no secrets.
  func log(_ logger: Logger) {
    logger.debug(
      "\(purpose == .edit ? "An upstream was sent an edit" : "An upstream was asked")",
      metadata: [
        "source": "\(source)", "method": "\(method)", "url": "\(url)",
        "status": status.map { .stringConvertible($0) } ?? "-",
        "milliseconds": .stringConvertible(elapsed.milliseconds),
        "bytes": .stringConvertible(bytes), "error": "\(error?.title ?? "-")",
      ]
    )
  }
}
