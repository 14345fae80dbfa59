import Definitions
import HTTPServer
import Identity
import JSON
import LineLog
import TableEngine

/// One edit, as it is recorded: who asked for what. Holds no credentials.
struct AuditEntry: Sendable {
  private let request: String
  private let caller: String?
  private let issuer: String?
  private let address: String
  private let table: String
  private var operation: String
  private var row: String?
  private var body: [UInt8]

  /// Nil where the request is no edit of a table's items.
  ///
  /// - Parameter authorizer: nil where the request's credentials name nobody.
  init?(_ request: Request, _ match: RouteMatch, _ authorizer: Authorizer?) {
    guard let table = match.table, let operation = match.editOperation(request) else { return nil }
    self.request = request.requestID
    switch authorizer?.caller(of: request) {
    case .token(let token)?: (caller, issuer) = (token.name, nil)
    case .user(let token)?: (caller, issuer) = (token.subject, token.issuer)
    case nil: (caller, issuer) = (nil, nil)
    }
    address = request.client.host
    (self.table, self.operation, row) = (table.canonical, operation, match.row)
    body = authorizer == nil ? [] : request.body
  }

  init?(_ call: Call) { self.init(call.request, call.match, call.state.authorizer) }

  /// The lines of a request: for a batch that was done one line for each of its edits, with its part of the body; else one.
  ///
  /// - Parameter hasBodies: false: nobody looks at the parts.
  func entries(for edits: [Edit], hasBodies: Bool) -> [AuditEntry] {
    guard operation == Self.batch else { return [self] }
    let list = hasBodies ? ListedText.edits(of: body) : nil
    return edits.enumerated().map { index, edit in
      var entry = self
      (entry.operation, entry.row, entry.body) = (edit.verb, edit.row, [])
      if let list, list.elements.indices.contains(index) { entry.body = list.withBytes(of: index) { Array($0) } }
      return entry
    }
  }

  fileprivate static let batch = "batch"

  /// The row is known by now.
  func naming(_ row: String?) -> AuditEntry {
    var entry = self
    entry.row = entry.row ?? row
    return entry
  }

  /// After a 504 nobody knows whether the edit was done.
  private static func outcome(_ status: Status) -> String {
    if status == .gatewayTimeout { return "unknown" }
    return status.code < 300 ? "done" : "refused"
  }

  /// `{"time","request","caller","issuer","address","op","table","row","outcome","status"}`
  func line(_ time: String, _ status: Status, hasBody: Bool) -> [UInt8] {
    func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
    var members: [JSONValue.Member] = [
      .init(name: "time", value: .string(time)), .init(name: "request", value: .string(request)),
      .init(name: "caller", value: text(caller)), .init(name: "issuer", value: text(issuer)),
      .init(name: "address", value: .string(address)), .init(name: "op", value: .string(operation)),
      .init(name: "table", value: .string(table)), .init(name: "row", value: text(row)),
      .init(name: "outcome", value: .string(Self.outcome(status))),
      .init(name: "status", value: .integer(Int64(status.code))),
    ]
    // A caller who may not edit fills no disk.
    if hasBody, !body.isEmpty, ![.unauthorized, .forbidden, .tooManyRequests].contains(status) {
      members.append(
        .init(name: "body", value: (try? JSONValue(parsing: body)) ?? .string(String(decoding: body, as: UTF8.self)))
      )
    }
    return PrintableText.printing(minified: JSONValue.object(members).bytes)
  }
}

extension RouteMatch {
  fileprivate var row: String? { self["row"].isEmpty ? nil : self["row"] }

  /// How an edit is called in the record; nil for what is none.
  fileprivate func editOperation(_ request: Request) -> String? {
    guard route.changesItems(request) else { return nil }
    let last = route.path.split(separator: "/").last ?? ""
    switch (request.method, last) {
    case (.put, _): return "put"
    case (.patch, _): return "patch"
    case (.delete, _): return "delete"
    case (_, "items"): return "insert"
    case (_, "{action}"): return "action \(self["action"])"
    case (_, "edits"): return AuditEntry.batch
    case (_, let name): return String(name)
    }
  }
}
