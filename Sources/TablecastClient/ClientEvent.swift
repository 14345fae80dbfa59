/// An event in a client, for an app's log and for debugging.
///
/// It names tables, rows and searches, but never tokens, header fields or bodies.
public struct ClientEvent: Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// A request was sent: its path and query.
    case sent(method: String, target: String)
    /// A request was answered.
    case answered(method: String, target: String, status: Int, bytes: Int, seconds: Double)
    /// A request failed, with the reason.
    case failed(method: String, target: String, reason: String, seconds: Double)
    /// A state of a table was shown. `change` says how: by stages, from the start, or with the same rows.
    case shown(table: String, change: String, rows: Int, connection: TableConnection)
    case edit(EditID, table: String, EditState)
    case trouble(ClientTrouble)
    /// The edit store failed, with the reason: a table's edits would not outlive the program as they are.
    case notKept(table: String, reason: String)
  }

  /// Seconds since 1970.
  public let date: Double
  public let kind: Kind

  /// Whether a developer should know of it: a request that failed or was refused, or a failed edit.
  public var isError: Bool {
    switch kind {
    case .failed, .trouble, .notKept: true
    case .answered(_, _, let status, _, _): status >= 400
    case .edit(_, _, .refused), .edit(_, _, .unknown): true
    case .sent, .shown, .edit: false
    }
  }

  public var description: String {
    func time(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
    return switch kind {
    case .sent(let method, let target): "→ \(method) \(target)"
    case .answered(let method, let target, let status, let bytes, let seconds):
      "← \(status) \(method) \(target), \(bytes) bytes after \(time(seconds))"
    case .failed(let method, let target, let reason, let seconds):
      "✗ \(method) \(target) after \(time(seconds)): \(reason)"
    case .shown(let table, let change, let rows, let connection):
      "\(table): \(change), \(rows) rows, \(connection.rawValue)"
    case .edit(let id, let table, let state): "edit \(id) of \(table): \(state.word)"
    case .trouble(let trouble): "trouble: \(trouble)"
    case .notKept(let table, let reason): "edits of \(table) are not kept: \(reason)"
    }
  }
}

extension EditState {
  /// In one word, and why where it was refused.
  fileprivate var word: String {
    switch self {
    case .local: "local"
    case .sent: "sent"
    case .acknowledged: "acknowledged"
    case .confirmed: "confirmed"
    case .refused(let problem): "refused, \(problem)"
    case .unknown: "unknown"
    }
  }
}
