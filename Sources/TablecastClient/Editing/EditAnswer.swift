/// What a reply to an edit says, and who says it: only the service's own words are an answer.
///
/// Everything else was said by something on the way (a proxy, a hotel's network, a login page): the edit is sent again,
/// or waits until somebody does something about it.
enum EditAnswer: Hashable, Sendable {
  /// Done; with the body of the answer and the cursor of a version that has the edit.
  case done(JSONText, TableCursor)
  /// The row is there already under the identity that this client has made: an earlier attempt got through.
  case isThere
  /// The table takes no identities from clients.
  case takesNoIdentity
  case refused(Problem)
  /// The service could not tell (504).
  case unknown(Problem)
  case paused(ClientTrouble)
  /// A failure of the way.
  case failed(retryAfter: Double?)

  /// - Parameter isPut: the request adds a row under an identity that this client has made.
  init(_ response: TransportResponse, isPut: Bool) {
    let problem = response.isProblem ? Problem(response) : nil
    switch response.status {
    case 200..<300: self = Self.done(response) ?? .failed(retryAfter: nil)
    case 408, 425, 429, 503: self = .failed(retryAfter: retryAfter(response))
    case 401: self = .paused(.signInNeeded(Problem(response)))
    case 400..<500:
      guard let problem else { self = .paused(.unreachable(Problem(response))); return }
      switch response.status {
      case 405 where isPut: self = .takesNoIdentity
      case 412 where isPut: self = .isThere
      default: self = .refused(problem)
      }
    case 500...:
      guard let problem else { self = .failed(retryAfter: retryAfter(response)); return }
      self = response.status == 504 ? .unknown(problem) : .refused(problem)
    default: self = .failed(retryAfter: nil)
    }
  }

  /// An object with a cursor that can be one of a table, and no table itself: a proxy may repeat an old snapshot.
  private static func done(_ response: TransportResponse) -> EditAnswer? {
    guard let json = try? JSONText(response.body), json.isObject, json["sections"] == nil, json["table"] == nil,
      let cursor = json["cursor"]?.string.flatMap({ TableCursor($0) }), cursor.namesVersion
    else { return nil }
    return .done(json, cursor)
  }
}
