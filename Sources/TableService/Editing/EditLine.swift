import Definitions
import HTTPServer
import Logging
import TableEngine

/// The log's line for a request to edit, at the level `info`: the caller, the edit, the outcome. Nothing of the items
/// is in it.
struct EditLine: Sendable {
  private let logger: Logger
  private let metadata: Logger.Metadata

  init(_ call: TableCall, _ edits: [Edit], _ logger: Logger) {
    self.logger = logger
    guard logger.logLevel <= .info else {
      metadata = [:]
      return
    }
    var metadata: Logger.Metadata = [
      "caller": "\(call.state.authorizer.caller(of: call.request)?.name ?? "-")",
      "table": "\(call.table.reference.name)",
      "op": "\(edits.count == 1 ? edits[0].name : "batch")", "request": "\(call.request.requestID)",
    ]
    if edits.count == 1, let row = edits[0].row { metadata["row"] = "\(row)" }
    if edits.count > 1 { metadata["edits"] = .stringConvertible(edits.count) }
    self.metadata = metadata
  }

  func log(_ outcome: Result<EditAnswer, TableError>, _ status: Status) {
    guard !metadata.isEmpty else { return }
    var fields = metadata
    fields["status"] = .stringConvertible(status.code)
    switch outcome {
    case .success(let answer):
      fields["outcome"] = answer.isRepeated ? "repeated" : "done"
      if let row = answer.rows.first ?? nil, answer.rows.count == 1 { fields["row"] = "\(row)" }
    case .failure(let error): fields["outcome"] = "\(error.kind.rawValue)"
    }
    logger.info("An edit was answered", metadata: fields)
  }
}

extension Edit {
  /// As requests call it.
  fileprivate var name: String {
    if case .insert = self { "add" } else { verb }
  }
}
