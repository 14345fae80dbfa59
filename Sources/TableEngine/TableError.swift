/// Why something can't be done with a table: a kind that whoever asked can act on, and words for a person.
package struct TableError: Error, Equatable, Sendable {
  /// The kind of the refusal, in the domain's terms; the face of the service decides its status.
  package enum Kind: String, Sendable, CaseIterable {
    /// The request is not in a form that means anything.
    case malformed
    case unauthenticated
    case forbidden
    /// It can't be done to anything here, whoever asks.
    case notAllowed
    /// No such table, row, item or action.
    case unknown
    /// The identity is taken.
    case conflict
    /// The table is not at the version that the request named.
    case conditionFailed
    case tooLarge
    /// Understood, but impossible.
    case impossible
    case tooMany
    /// The upstream refused, or could not be reached.
    case upstream
    /// For now: it may be tried again.
    case unavailable
    /// It is not known whether it was done.
    case unanswered
    case storeFull
    case failed
  }

  /// A complaint about one member of the body; its name is dotted.
  package struct FieldFault: Equatable, Sendable {
    package var name: String
    package var reasons: [String]
  }

  package var kind: Kind
  package var title: String?
  package var detail: String
  /// The parameter, header field or member to blame.
  package var field: String?
  /// An upstream's reasons against single members.
  package var fields: [FieldFault] = []
  /// The number of the edit of a batch to blame.
  package var at: Int?
  /// The status from 400 to 499 with which an upstream refused its own caller: passed on as it is.
  package var upstreamStatus: Int?
  /// How to authenticate (RFC 9110 section 11.6.1), where the upstream said so.
  package var challenge: String?
  /// When it may be tried again.
  package var retryAfter: Duration?

  package init(_ kind: Kind, title: String? = nil, detail: String, field: String? = nil, retryAfter: Duration? = nil) {
    (self.kind, self.title, self.detail, self.field) = (kind, title, detail, field)
    self.retryAfter = retryAfter
  }

  package static func malformed(_ detail: String, field: String? = nil) -> TableError {
    TableError(.malformed, detail: detail, field: field)
  }

  package static func notFound(_ detail: String) -> TableError { TableError(.unknown, detail: detail) }

  static func noRow(_ row: String, of table: String) -> TableError {
    .notFound("The table `\(table)` has no row `\(row)`.")
  }

  package static func forbidden(_ detail: String) -> TableError { TableError(.forbidden, detail: detail) }

  /// Understood, but impossible.
  package static func unprocessable(_ detail: String, field: String? = nil) -> TableError {
    TableError(.impossible, detail: detail, field: field)
  }

  /// As what is wrong with one edit of a batch.
  package func ofEdit(_ index: Int) -> TableError {
    var error = self
    // The method of a batch is allowed in any case.
    if kind == .notAllowed { error.kind = .impossible }
    error.detail = "Edit \(index): \(detail)"
    error.field = "edits[\(index)]" + (field.map { ".\($0)" } ?? "")
    error.at = index
    return error
  }

  /// True if it is a judgement of the request, which a repeat gets again, and not of the state of things at the time.
  package var isJudgement: Bool {
    if let upstreamStatus { return [404, 409, 412, 422].contains(upstreamStatus) }
    switch kind {
    case .unknown, .conflict, .conditionFailed, .impossible: return true
    case .malformed, .unauthenticated, .forbidden, .notAllowed, .tooLarge, .tooMany, .upstream, .unavailable,
      .unanswered,
      .storeFull, .failed:
      return false
    }
  }
}
