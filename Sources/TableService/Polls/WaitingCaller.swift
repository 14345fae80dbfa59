import Definitions
import HTTPServer
import TableEngine

/// The caller of a request that waits: what it may do by the configuration that counts now, which may be another one than that
/// which let it in. Of the request nothing is kept that could be sent in its place.
struct WaitingCaller: Sendable {
  private let credentials: Credentials
  private weak let service: TableService?
  /// The configuration that has let it in.
  private weak let state: ServiceState?
  /// The judge, where it is the same for several tables.
  private var known: (authorizer: Authorizer, isOther: Bool)?

  /// - Parameter state: the configuration that has let it in.
  init(_ request: Request, _ state: ServiceState, of service: TableService) {
    (credentials, self.state, self.service) = (state.authorizer.credentials(of: request), state, service)
  }

  /// It has no credentials of any kind: all such callers may do the same.
  var isNobody: Bool { credentials.areNone }

  /// The judge by the present configuration, and whether that is another one than the one that let the caller in; nil where the
  /// service has ended.
  private var present: (authorizer: Authorizer, isOther: Bool)? {
    if let known { return known }
    return service.map { service in
      let now = service.state
      return (now.authorizer, now !== state)
    }
  }

  /// The same, as the configuration that counts now has it, whatever is read meanwhile: several tables are judged alike.
  var now: WaitingCaller {
    var now = self
    now.known = present
    return now
  }

  /// Another configuration counts than the one that has let it in: what others may do has changed, too.
  var isUnderAnother: Bool { present?.isOther ?? true }

  /// How long its token lets it wait, in seconds from now; nil: the token doesn't end.
  var patience: Double? { present?.authorizer.timeLeft(of: credentials) }

  /// Why it may no longer read a table; nil where it may. O(1) while the configuration is the same and its token doesn't end.
  func refusal(_ table: LiveTable) -> ServiceError? {
    guard let (authorizer, isOther) = present, isOther || authorizer.timeLeft(of: credentials) != nil else {
      return nil
    }
    return authorizer.refusal(of: credentials, .read, table: table.reference.name)
  }

  /// The query, as the table's rows offer edits to the caller now: then the reply leads there. O(1) while the configuration is
  /// the same.
  func query(_ query: TableQuery, of table: LiveTable) -> TableQuery {
    guard table.offersEdits || query.lens.isReadOnly, let authorizer = successor else { return query }
    return TableQuery(query.kind, table.lens(query.lens, mayEdit: authorizer.mayEdit(credentials, table)))
  }

  /// The same of a request.
  func request(_ request: LensRequest, of table: LiveTable) -> LensRequest {
    guard table.offersEdits || !request.mayEdit, let authorizer = successor else { return request }
    var request = request
    request.mayEdit = authorizer.mayEdit(credentials, table)
    return request
  }

  /// Nil where the configuration that counts is the one that let the caller in.
  private var successor: Authorizer? { present.flatMap { $0.isOther ? $0.authorizer : nil } }
}
