import HTTPServer
import TableEngine

/// The answer to a request that can't be done: a status and words that a person can act on.
struct ServiceError: Error {
  var status: Status
  var title: String?
  var detail: String
  /// The parameter, header field or payload field to blame.
  var field: String?
  /// Reasons against single members of the body.
  var fields: [(name: String, texts: [String])] = []
  /// The number of the edit to blame.
  var at: Int?
  var headers: [HeaderField] = []

  static func malformed(_ detail: String, field: String? = nil) -> ServiceError {
    ServiceError(status: .badRequest, detail: detail, field: field)
  }

  static func notFound(_ detail: String) -> ServiceError { ServiceError(status: .notFound, detail: detail) }

  /// Understood, but impossible.
  static func unprocessable(_ detail: String, field: String? = nil) -> ServiceError {
    ServiceError(status: .unprocessableContent, detail: detail, field: field)
  }

  /// Nobody can tell in time what was committed: by other replicas, or here, where it could not be shown.
  static let unreadable = ServiceError(
    TableError(
      .unavailable,
      detail: "What was committed can't be read in time: ask again.",
      retryAfter: .seconds(1)
    )
  )

  /// The rows shown now were made by another configuration, and can't be searched by this one.
  static let unsearchable = ServiceError(
    TableError(
      .unavailable,
      detail: "The table's rows can't be searched yet: another configuration has made them. Ask again.",
      retryAfter: .seconds(1)
    )
  )

  var response: Response {
    let members: [(name: String, value: ProblemMember)] = [
      field.map { ("field", .string($0)) }, at.map { ("at", .integer($0)) },
      fields.isEmpty ? nil : ("fields", .texts(fields)),
    ].compactMap(\.self)
    return .problem(status, title: title, detail: detail, members: members, headers: headers)
  }
}

extension ServiceError {
  /// Takes an error of the engine, as the protocol answers it.
  init(_ error: TableError) {
    self.init(
      status: error.upstreamStatus.map { Status($0) } ?? Status(error.kind),
      title: error.title,
      detail: error.detail,
      field: error.field,
      fields: error.fields.map { ($0.name, $0.reasons) },
      at: error.at
    )
    if status == .unauthorized { headers.append(HeaderField(.wwwAuthenticate, error.challenge ?? "Bearer")) }
    if let pause = error.retryAfter ?? status.pause {
      headers.append(HeaderField(.retryAfter, "\(max(pause.components.seconds, 1))"))
    }
  }
}

extension Status {
  /// When to come again where nobody knows better; nil where that is no use.
  fileprivate var pause: Duration? { self == .tooManyRequests || self == .serviceUnavailable ? .seconds(5) : nil }

  init(_ kind: TableError.Kind) {
    self =
      switch kind {
      case .malformed: .badRequest
      case .unauthenticated: .unauthorized
      case .forbidden: .forbidden
      case .notAllowed: .methodNotAllowed
      case .unknown: .notFound
      case .conflict: .conflict
      case .conditionFailed: .preconditionFailed
      case .tooLarge: .contentTooLarge
      case .impossible: .unprocessableContent
      case .tooMany: .tooManyRequests
      case .upstream: .badGateway
      case .unavailable: .serviceUnavailable
      case .unanswered: .gatewayTimeout
      case .storeFull: .insufficientStorage
      case .failed: .internalServerError
      }
  }
}

/// Runs what the engine may refuse.
func asked<Value>(_ body: () throws(TableError) -> Value) throws(ServiceError) -> Value {
  do throws(TableError) { return try body() } catch { throw ServiceError(error) }
}

extension ServiceError {
  static func standsTwice(_ table: String) -> ServiceError {
    .malformed("The table `\(table)` stands twice: each is named once.", field: "after")
  }

  static func unreadableName(_ table: Substring) -> ServiceError {
    .notFound(
      "There is no table `\(String(table.unicodeScalars.prefix(200)))`: its name can't be read. /v1/tables lists those there are."
    )
  }
}
