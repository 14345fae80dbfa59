import Definitions
import HTTPServer
import JSON
import TableEngine
import TableModel

/// A request on its way through the service, with the configuration under which it is answered. A class, as it is handed
/// from hand to hand.
final class Call: Sendable {
  let request: Request
  let parsed: ParsedRequest
  let exchange: Exchange
  let match: RouteMatch
  let state: ServiceState

  init(_ request: Request, _ parsed: ParsedRequest, _ match: RouteMatch, _ exchange: Exchange, state: ServiceState) {
    (self.request, self.parsed, self.match) = (request, parsed, match)
    (self.exchange, self.state) = (exchange, state)
  }

  /// It changes nothing.
  var isReading: Bool { request.method == .get || request.method == .head }

  /// The caller: its own header fields, as far as upstreams may be shown them, and the owner of its idempotency keys.
  var caller: CallerFields {
    let (request, caller) = (request, state.authorizer.caller(of: request))
    // Credentials that are for this service are shown to nobody else.
    let fields = { @Sendable in
      request.headers.filter { caller == nil || $0.name.lowercased() != "authorization" }
    }
    // Of fields with one name the first counts, as it does for those that are sent on.
    let headers = { @Sendable in
      JSONValue.object(fields().map { .init(name: $0.name.lowercased(), value: .string($0.value)) })
    }
    return CallerFields(
      fields(),
      identity: caller?.name,
      share: caller?.share(at: request.share) ?? request.share,
      address: request.client.network.host,
      values: caller?.values(headers: headers()) ?? .object([.init(name: "headers", value: headers())])
    )
  }

  /// Refuses a caller who may not do it, with what belongs to no table.
  func authorize(_ requirement: Route.Requirement) throws(ServiceError) {
    try requirement.authorize(request, state.authorizer)
  }

  /// The table of a reference, which the caller may read.
  func readable(_ reference: TableReference, _ budget: inout MemberBudget) throws(ServiceError) -> LiveTable {
    try state.authorizer.authorize(request, .read, table: reference.name)
    let table = try asked { () throws(TableError) in
      try state.catalog.table(reference, in: locale, for: caller, &budget)
    }
    return present(of: table)
  }

  /// The table that is in the place of one by now, in the language that the caller is given there; the table itself where none is.
  func present(of table: LiveTable) -> LiveTable {
    let latest = table.latest
    return latest === table ? table : latest.shown(to: parsed.languages)
  }

  /// The language to answer in; nil where the configuration names none.
  var locale: String? { parsed.languages.locale(of: state.catalog.definition.locales) }
}

/// A request about one table.
final class TableCall: Sendable {
  private let call: Call
  private let requirement: Route.Requirement
  let table: LiveTable
  /// The authority that has allowed an edit.
  let authority: EditAuthority
  let exchange: Exchange
  /// False where the request has waited as long as it may.
  let mayWait: Bool
  /// Nobody can tell in time what other replicas have written: what is known here may be old.
  let isLate: Bool
  /// The seconds that the request has waited.
  let waited: Double

  var request: Request { call.request }
  var parsed: ParsedRequest { call.parsed }
  /// One caller's share of those who wait; nil where there is no limit.
  func waitingShare(_ limits: CallerLimits) -> WaitingShare? { limits.waitingShare(of: call) }
  var state: ServiceState { call.state }
  var caller: CallerFields { call.caller }

  /// Returns the value of a name in the path.
  subscript(name: String) -> String { call.match[name] }

  /// Finds the table, for a caller who may do what is needed.
  init(_ call: Call, _ requirement: Route.Requirement) throws(ServiceError) {
    (self.call, self.requirement, exchange, mayWait, isLate) = (call, requirement, call.exchange, true, false)
    waited = 0
    if requirement.isReading, let table = call.parsed.table(under: call.state) {
      try call.state.authorizer.authorize(call.request, .read, table: table.reference.name)
      (self.table, authority) = (call.present(of: table), .granted)
      return
    }
    guard let reference = call.match.table else { throw .notFound("There is nothing at `\(call.request.rawPath)`.") }
    authority = try Self.authority(call.request, call.state.authorizer, requirement, reference.name)
    var budget = MemberBudget()
    let table = try asked { () throws(TableError) in
      try call.state.catalog.table(reference, in: call.locale, for: call.caller, &budget)
    }
    // Another one may be in its place already: edits are answered from there.
    self.table = requirement.isReading ? call.present(of: table) : table
    if !table.isMember { call.parsed.note(table, under: call.state) }
  }

  private init(_ call: TableCall, _ exchange: Exchange, mayWait: Bool, isLate: Bool, waited: Double) {
    (self.call, requirement, authority) = (call.call, call.requirement, call.authority)
    table = call.requirement.isReading ? call.call.present(of: call.table) : call.table
    (self.exchange, self.mayWait, self.isLate, self.waited) = (exchange, mayWait, isLate, waited)
  }

  /// The same from the beginning.
  func again(_ exchange: Exchange, under now: ServiceState) -> Call {
    Call(request, parsed, call.match, exchange, state: now)
  }

  /// The same, when its table's upstream has answered or the time for it is over.
  ///
  /// - Parameter more: the seconds that this took.
  /// - Throws: where the caller's token has ended meanwhile, or a configuration that was read no longer lets them in.
  func after(
    _ exchange: Exchange,
    mayWait: Bool,
    isLate: Bool = false,
    waited more: Double,
    under now: ServiceState
  ) throws(ServiceError) -> TableCall {
    try judge(under: now)
    return TableCall(self, exchange, mayWait: mayWait, isLate: isLate, waited: waited + more)
  }

  /// Answers with what was made of the table since the caller was let in: by a configuration that was read meanwhile it may be for
  /// others.
  func finish(_ response: Response, under now: ServiceState) {
    do throws(ServiceError) {
      try judge(under: now)
      exchange.finish(response)
    } catch {
      exchange.finish(error.response)
    }
  }

  /// Refuses a caller whose token is over by now, or whom a configuration that was read meanwhile does not let in.
  private func judge(under now: ServiceState) throws(ServiceError) {
    guard now !== state || now.authorizer.timeLeft(of: now.authorizer.credentials(of: request)) != nil else { return }
    _ = try Self.authority(call.request, now.authorizer, requirement, table.reference.name)
  }

  /// Records what has become of edits, where that is configured, and calls then; at once where it is not.
  var record: @Sendable ([Edit], [String?], Response, @escaping @Sendable () -> Void) -> Void {
    guard let audit = state.audit, let entry = AuditEntry(call) else { return { _, _, _, completion in completion() } }
    return { edits, rows, response, completion in
      // A batch is refused as one.
      let isDone = response.status.code < 300
      let entries = isDone ? entry.entries(for: edits, hasBodies: audit.hasBodies) : [entry]
      let named = entries.enumerated().map { index, entry in
        entry.naming(rows.indices.contains(index) ? rows[index] : nil)
      }
      audit.write(named, response.status, completion)
    }
  }

  /// Passes the upstream's refusal of the caller on.
  func checkUpstreamsRefusal() throws(ServiceError) {
    if let refusal = table.refusal { throw ServiceError(refusal) }
  }

  /// Tables that replicas share can be shown once the store has them.
  func checkIsThere() throws(ServiceError) {
    if let absence = table.absence { throw ServiceError(absence) }
  }

  fileprivate static func authority(
    _ request: Request,
    _ authorizer: Authorizer,
    _ requirement: Route.Requirement,
    _ table: String
  ) throws(ServiceError) -> EditAuthority {
    switch requirement {
    case .nothing, .each: return .granted
    case .capability(let capability): try authorizer.authorize(request, capability, table: table)
    case .tap where request.query.first("view") != nil: try authorizer.authorize(request, .read, table: table)
    case .tap, .inspection:
      try authorizer.authorize(request, .edit, table: table)
      // Rows that everybody may read are shown to editors without `read`, too.
      if authorizer.isRestricted(.read) { try authorizer.authorize(request, .read, table: table) }
    case .edit: return try authorizer.editAuthority(of: request, table: table)
    }
    return .granted
  }

  // MARK: What it asks

  /// How the client sees the table, at a cursor where it has one.
  func lens(after: Cursor? = nil) throws(ServiceError) -> Lens {
    let lens = try lensRequest
    try table.checkFinding(lens.find)
    return table.lens(lens, after: after)
  }

  /// How the client asks to see the table, in a view of its caller's, and whether it may edit it.
  var lensRequest: LensRequest {
    get throws(ServiceError) {
      var lens = try parsed.lens.get()
      lens.view = state.authorizer.viewName(lens.view, of: request)
      lens.mayEdit = state.authorizer.mayEdit(request, table)
      return lens
    }
  }

  /// The things that its reply depends on beside the table and the version.
  var scope: ReplyScope {
    ReplyScope(
      forwards: table.forwards,
      isTokenHolders: state.authorizer.isRestricted(.read),
      distinguishesEditors: table.offersEdits && state.authorizer.distinguishesEditors,
      locale: table.locale
    )
  }

  /// The same of what is shown at a cursor: a view in which something was tapped may be its user's own.
  func replyScope(at cursor: Cursor) -> ReplyScope {
    var scope = scope
    scope.isOfUser = state.authorizer.haveUsers && cursor.taps > 0
    return scope
  }
}

extension Route.Requirement {
  /// Refuses a caller who may not do it, with what belongs to no table.
  fileprivate func authorize(_ request: Request, _ authorizer: Authorizer) throws(ServiceError) {
    switch self {
    case .nothing, .each: return
    case .capability(let capability): try authorizer.authorize(request, capability, table: nil)
    case .edit, .tap, .inspection: try authorizer.authorize(request, .edit, table: nil)
    }
  }
}

extension RouteMatch {
  /// Refuses what can't be asked so, and a caller who may not ask it, before the request's content is known.
  func authorize(_ request: Request, under state: ServiceState) throws(ServiceError) {
    let operation = try operation.get()
    guard operation.takesContent else {
      throw ServiceError(status: .contentTooLarge, detail: "`\(operation.method.name) \(route.path)` takes no content.")
    }
    guard let table else { return try operation.requirement.authorize(request, state.authorizer) }
    _ = try TableCall.authority(request, state.authorizer, operation.requirement, table.name)
  }
}

extension LiveTable {
  /// Its URL path.
  var path: String { "/v1/tables/\(reference.segment)" }
}
