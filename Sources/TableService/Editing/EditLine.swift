import Definitions
import HTTPServer
import Logging
import TableEngine

/// The log's line for a request to edit, at the level `info`: the caller, the edit, the outcome. Nothing of the items
/// is in it.
struct EditLine: Sendable {
  private let logger: Logger
  /// Nil: nobody reads the log at this level.
  private let asked: Asked?

  private struct Asked: Sendable {
    let caller: String
    let table: String
    let operation: String
    let request: String
    /// The row; nil for several edits.
    let row: String?
    /// The number of edits, where there is not one.
    let count: Int?
  }

  init(_ call: TableCall, _ edits: [Edit], _ logger: Logger) {
    self.logger = logger
    guard logger.logLevel <= .info else {
      asked = nil
      return
    }
    asked = Asked(
      caller: call.state.authorizer.caller(of: call.request)?.name ?? "-",
      table: call.table.reference.name,
      operation: edits.count == 1 ? edits[0].name : "batch",
      request: call.request.requestID,
      row: edits.count == 1 ? edits[0].row : nil,
      count: edits.count > 1 ? edits.count : nil
    )
  }

  func log(_ outcome: Result<EditAnswer, TableError>, _ status: Status) {
    guard let asked else { return }
    var fields = Logger.Metadata(minimumCapacity: 8)
    fields["caller"] = .string(asked.caller)
    fields["table"] = .string(asked.table)
    fields["op"] = .string(asked.operation)
    fields["request"] = .string(asked.request)
    fields["edits"] = asked.count.map { .stringConvertible($0) }
    fields["status"] = .stringConvertible(status.code)
    var row = asked.row
    switch outcome {
    case .success(let answer):
      fields["outcome"] = answer.isRepeated ? "repeated" : "done"
      if answer.rows.count == 1, let made = answer.rows[0] { row = made }
    case .failure(let error): fields["outcome"] = .string(error.kind.rawValue)
    }
    fields["row"] = row.map { .string($0) }
    logger.info("An edit was answered", metadata: fields)
  }
}

extension Edit {
  /// As requests call it.
  fileprivate var name: String {
    if case .insert = self { "add" } else { verb }
  }
}
