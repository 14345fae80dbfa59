import HTTPServer
import TableStore

/// What a request is answered with when it can't be done: a status and words that a person can act on.
struct ServiceError: Error {
  var status: Status
  var title: String?
  var detail: String
  /// The parameter, header field or payload field to blame.
  var field: String?
  var headers: [HeaderField] = []

  static func malformed(_ detail: String, field: String? = nil) -> ServiceError {
    ServiceError(status: .badRequest, detail: detail, field: field)
  }

  static func notFound(_ detail: String) -> ServiceError {
    ServiceError(status: .notFound, detail: detail)
  }

  static func forbidden(_ detail: String) -> ServiceError {
    ServiceError(status: .forbidden, detail: detail)
  }

  /// Understood, but impossible.
  static func unprocessable(_ detail: String, field: String? = nil) -> ServiceError {
    ServiceError(status: .unprocessableContent, detail: detail, field: field)
  }

  /// As what is wrong with one edit of a batch.
  func ofEdit(_ index: Int) -> ServiceError {
    var error = self
    error.detail = "Edit \(index): \(detail)"
    error.field = "edits[\(index)]" + (field.map { ".\($0)" } ?? "")
    return error
  }

  var response: Response {
    if let field {
      return .problem(status, title: title, detail: detail, members: ["field": .string(field)], headers: headers)
    }
    return .problem(status, title: title, detail: detail, headers: headers)
  }
}

extension ServiceError {
  /// What the protocol answers to an edit that the store did not take.
  init(_ error: StoreError) {
    switch error {
    case .full:
      self.init(status: .insufficientStorage, detail: "There is no room left to store the edit: nothing has changed.")
    case .superseded, .closed:
      self.init(
        status: .serviceUnavailable,
        detail: "\(error): nothing has changed.",
        headers: [HeaderField(.retryAfter, "1")]
      )
    case .newerVersion, .corrupt, .foreign, .locked, .cannotOpen, .failed:
      self.init(status: .internalServerError, detail: "The edit could not be stored: nothing has changed.")
    }
  }
}
