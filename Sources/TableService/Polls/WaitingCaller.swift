import Definitions
import HTTPServer
import TableEngine

/// The caller of a request that waits: what it may do by the configuration that counts now, which may be another one than that
/// which let it in. Of the request nothing is kept that could be sent in its place.
struct WaitingCaller: Sendable {
  /// The languages that it asks for.
  let languages: LanguagePreferences
  private let credentials: Credentials
  private let present: PresentState
  /// The number of the configuration that has let it in.
  private let number: Int

  /// - Parameter state: the configuration that has let it in.
  init(_ request: Request, _ state: ServiceState, of service: TableService) {
    (credentials, number, present) = (state.authorizer.credentials(of: request), state.number, service.present)
    languages = request.parsed.languages.owned
  }

  /// It has no credentials of any kind: all such callers may do the same.
  var isNobody: Bool { credentials.areNone }

  /// It has the token of an issuer, which holds for all tables or for none.
  var isIssuers: Bool { credentials.verified != nil }

  /// The same, as the configuration that counts now has it, whatever is read meanwhile: several tables are judged alike.
  var now: JudgedCaller {
    let state = present.state
    return JudgedCaller(credentials: credentials, authorizer: state.authorizer, isUnderAnother: state.number != number)
  }

  /// Another configuration counts than the one that has let it in: what others may do has changed, too.
  var isUnderAnother: Bool { present.state.number != number }

  /// How it is answered that a table has ended, which it waits for. One in whose place a family comes ends when requests find that.
  func ending(of table: LiveTable) -> WaitEnding? {
    let ending = table.ending
    guard case .withoutNews? = ending, !table.isMember else { return ending }
    let original = table.untranslated
    return present.state.catalog.tables.contains { $0 === original } ? nil : ending
  }

  /// How long its token lets it wait, in seconds from now; nil: the token doesn't end.
  var patience: Double? { now.timeLeft }

  /// Why it may no longer read a table; nil where it may. O(1) while the configuration is the same and its token doesn't end.
  func refusal(_ table: LiveTable) -> ServiceError? { now.refusal(table) }

  /// The query, as the table's rows offer edits to the caller now: then the reply leads there. O(1) while the configuration is
  /// the same.
  func query(_ query: TableQuery, of table: LiveTable) -> TableQuery { now.query(query, of: table) }

  /// The same of a request.
  func request(_ request: LensRequest, of table: LiveTable) -> LensRequest {
    guard table.offersEdits || !request.mayEdit else { return request }
    var request = request
    if let mayEdit = now.mayEdit(table) { request.mayEdit = mayEdit }
    return request
  }
}

/// A waiting request's caller, judged by one configuration.
struct JudgedCaller {
  fileprivate let credentials: Credentials
  /// The judge by that configuration.
  fileprivate let authorizer: Authorizer
  /// It is another configuration than the one that has let the caller in.
  let isUnderAnother: Bool

  /// How long its token is taken, in seconds; nil: the token doesn't end.
  fileprivate var timeLeft: Double? { authorizer.timeLeft(of: credentials) }

  /// As ``WaitingCaller/refusal(_:)``.
  fileprivate func refusal(_ table: LiveTable) -> ServiceError? {
    guard isUnderAnother || timeLeft != nil else { return nil }
    return authorizer.refusal(of: credentials, .read, table: table.reference.name)
  }

  /// As ``WaitingCaller/query(_:of:)``.
  func query(_ query: TableQuery, of table: LiveTable) -> TableQuery {
    guard table.offersEdits || query.lens.isReadOnly, let mayEdit = mayEdit(table) else { return query }
    return TableQuery(query.kind, table.lens(query.lens, mayEdit: mayEdit))
  }

  /// The permission to edit a table; nil: unchanged since the caller was let in.
  fileprivate func mayEdit(_ table: LiveTable) -> Bool? {
    isUnderAnother ? authorizer.mayEdit(credentials, table) : nil
  }
}
