public import Definitions
public import HTTPServer
import Logging
import Synchronization
import TableEngine
import TableStore

/// The HTTP face of the engine: routes, long polls, event streams, edits, views.
///
/// `handle` runs on the event loops and only looks things up; what takes longer happens on the tables' queues. What there
/// is at which path stands in ``Route/all``.
public final class TableService: RequestHandler {
  let engine: Engine
  let server = WakingServer()
  let joinedReplies = JoinedReplies()
  let callerLimits = CallerLimits()
  let longRequests = LongRequests()
  /// Streams whose callers' tokens end.
  let tokenEndings = TokenEndings()
  private let issuerKeys: IssuerKeyrings
  let logger: Logger
  let present: PresentState
  /// How often another one has taken its place.
  private let changes = Atomic(0)
  private let isOpen: Bool
  private let draining = Atomic(false)

  /// A service with the tables of a definition, restored from the store where it has them.
  ///
  /// - Throws: where a table can't be made of its definition, or the store can't be read: words for the operator.
  public init(_ definition: ServiceDefinition, environment: ServiceEnvironment) async throws {
    engine = try await Engine(
      definition,
      EngineEnvironment(store: environment.store, logger: environment.logger, notifier: server)
    )
    isOpen = environment.isOpenForEdits
    logger = environment.logger
    issuerKeys = IssuerKeyrings(environment.logger) { [engine] in engine.wakeAll() }
    let audit = try definition.audit.map { try AuditLog($0, environment.logger) }
    let authorizer = Authorizer(definition, issuerKeys.keepers(of: definition.auth.issuers), isOpen: isOpen)
    present = PresentState(ServiceState(definition, engine.catalog, authorizer, audit))
  }

  /// Gives the service the server that it answers on, before that has any client: one who waits would not be woken.
  public func attach(_ server: Server) { self.server.attach(server) }

  /// Starts fetching, when it is served.
  public func start() async { await engine.start() }

  /// Goes on with another definition (SIGHUP). Tables that both have keep their versions and waiters; what changed
  /// in them reaches clients as a changeset. Whoever waits and may no longer read is told at once. To be called again when it has
  /// returned.
  ///
  /// - Throws: as `init`; then everything is as it was.
  public func reload(_ definition: ServiceDefinition) async throws {
    // Edits are refused between the end of a table and the state in which requests find another one: nothing is waited for there.
    try await withTaskExecutorPreference(engine.loading) { try await takeOver(definition) }
  }

  private func takeOver(_ definition: ServiceDefinition) async throws {
    let next = try await engine.prepare(definition)
    let audit: AuditLog?
    do { audit = try state.audit.following(definition.audit, logger) } catch {
      engine.cancel(next)
      throw error
    }
    let before = state
    let authorizer = Authorizer(definition, issuerKeys.keepers(of: definition.auth.issuers), isOpen: isOpen)
    // Tables show what they have become one after the other. Until all do, each configuration has to allow what is done whose rows some
    // may show.
    goOn(with: before.beside(authorizer))
    do {
      let own = ServiceState(definition, try await engine.adopt(next), authorizer, audit)
      let present = own.beside(before.authorizer)
      goOn(with: present)
      engine.wakeAll()
      // Clients that wait for a table whose place a family has taken ask again, and find the family from here on.
      for table in before.catalog.tables where table.absence != nil { table.wakeAll() }
      settle(present)
    } catch {
      goOn(with: before)
      _ = issuerKeys.keepers(of: before.catalog.definition.auth.issuers)
      settle(before)
      throw error
    }
  }

  /// Opens the record of edits anew, as a reload does: it may have been renamed beside a configuration that can't be used.
  public func reopenAudit() { state.audit?.reopen() }

  /// Answers by another state from now on.
  ///
  /// - Parameter present: where this is not the present state any more, nothing is done: false.
  @discardableResult private func goOn(with next: ServiceState, after present: ServiceState? = nil) -> Bool {
    let isNews = self.present.current.withLock { current in
      guard present == nil || current === present else { return false }
      current = next
      changes.add(1, ordering: .acquiringAndReleasing)
      return true
    }
    // Heads remember tables and the state by which they were found: nobody else may need these any more.
    if isNews { server.forgetHeads() }
    return isNews
  }

  /// Ends the time in which several configurations count, for one table after the other: when it shows what it is by the last one.
  private func settle(_ present: ServiceState) {
    guard let (settled, former) = present.next else { return }
    let shown = Mutex(present)
    engine.whenShown(present.catalog) { [weak self] left in
      guard let self else { return }
      let next = left.isEmpty ? settled : settled.beside(former, for: left)
      // Where another configuration was read since, its own transition ends later.
      let isNews = shown.withLock { shown in
        defer { shown = next }
        return goOn(with: next, after: shown)
      }
      guard isNews else { return }
      engine.wakeAll()
      if !left.isEmpty {
        logger.notice(
          "Tables show rows of the configuration before: its rules count for them, too",
          metadata: ["tables": "\(left.sorted().prefix(10).joined(separator: ", "))"]
        )
      }
    }
  }

  /// `/readyz` says 503 from now on.
  public func drain() { draining.store(true, ordering: .releasing) }

  /// Stops fetching and writes what is left to write. Calls `completion` when done.
  public func close(_ completion: @escaping @Sendable () -> Void) { engine.close(completion) }

  var isDraining: Bool { draining.load(ordering: .acquiring) }

  /// The state by the present configuration.
  var state: ServiceState { present.state }

  // MARK: Requests

  public var requestKinds: Int { RequestKind.all.count }

  /// Returns the name of a request's caller, as the log gives it; nil where the service knows nobody.
  public func callerName(of answered: AnsweredRequest) -> String? {
    answered.request.flatMap { state.authorizer.caller(of: $0)?.name }
  }

  public func handle(_ request: Request, _ exchange: Exchange) -> Reply {
    let parsed = request.parsed
    guard let match = parsed.match else { return .response(ServiceError.nothing(at: request).response) }
    exchange.note(kind: match.kind)
    if parsed.hasTwoCredentials {
      let response = ServiceError.twoCredentials.response
      guard let audit = state.audit, let entry = AuditEntry(request, match, nil) else { return .response(response) }
      return refuse(response, entry, in: audit, exchange)
    }
    if let answer = request.answer(allowing: match.route.methods) { return .response(answer) }
    guard match.isLong(bodyCount: request.body.count) else {
      return identify(request, parsed, match, exchange, isCounted: false)
    }
    return longRequests.answer(exchange) { [self] in
      if let refusal = exchange.weigh(match.route.weight(of: request)) { return .response(refusal) }
      return identify(request, parsed, match, exchange, isCounted: false)
    }
  }

  /// Finds out whose a request is, and answers it. On any queue.
  ///
  /// - Parameter isCounted: limits on its caller have counted it.
  private func identify(
    _ request: Request,
    _ parsed: ParsedRequest,
    _ match: RouteMatch,
    _ exchange: Exchange,
    isCounted: Bool
  ) -> Reply {
    let before = state
    do throws(ServiceError) {
      if !isCounted { try callerLimits.checkAddress(of: request, to: match.route, under: before) }
    } catch {
      return refuse(Call(request, parsed, match, exchange, state: before), error, exchange)
    }
    if let keeper = identify(request, at: match, under: before) {
      let isWaiting = keeper.wait { [self] in
        _ = state.authorizer.identify(request, mayWait: false)
        exchange.finish(answer(request, parsed, match, exchange, isCounted: isCounted))
      }
      if isWaiting { return .later }
      _ = state.authorizer.identify(request, mayWait: false)
    }
    return answer(request, parsed, match, exchange, isCounted: isCounted)
  }

  /// As ``Authorizer/identify(_:mayWait:)``. For what everybody is given no token is verified, and no keys are waited for:
  /// a caller whose token was verified before is counted by name there, too.
  private func identify(_ request: Request, at match: RouteMatch, under state: ServiceState) -> KeyKeeper? {
    guard match.isForEverybody else { return state.authorizer.identify(request) }
    if !state.authorizer.mustVerify(request) { _ = state.authorizer.identify(request, mayWait: false) }
    return nil
  }

  /// Answers a request whose caller is known. On any queue.
  private func answer(
    _ request: Request,
    _ parsed: ParsedRequest,
    _ match: RouteMatch,
    _ exchange: Exchange,
    isCounted: Bool
  ) -> Reply {
    let changesBefore = changes.load(ordering: .acquiring)
    let call = Call(request, parsed, match, exchange, state: state)
    do throws(ServiceError) {
      if !isCounted { try callerLimits.admit(request, to: match.route, under: call.state) }
      try call.state.writeOrigins.authorize(request)
      let reply = try match.route.answer(call, of: self)
      // The answer may have another configuration's rows, which the caller may not read.
      if case .response = reply, changes.load(ordering: .acquiring) != changesBefore, call.isReading {
        return identify(request, parsed, match, exchange, isCounted: true)
      }
      return reply
    } catch {
      return refuse(call, error, exchange)
    }
  }

  /// Answers with a refusal; that of an edit comes after its line in the record.
  func refuse(_ call: Call, _ error: ServiceError, _ exchange: Exchange) -> Reply {
    let response = error.response(under: call.state)
    guard let audit = call.state.audit, let entry = AuditEntry(call) else { return .response(response) }
    return refuse(response, entry, in: audit, exchange)
  }

  private func refuse(_ response: Response, _ entry: AuditEntry, in audit: AuditLog, _ exchange: Exchange) -> Reply {
    audit.write([entry], response.status) { exchange.finish(response) }
    return .later
  }

  /// An edit may have been done: clients repeat it with its key where no answer comes, and not after a 504.
  public func unfinished(kind: Int) -> Response? {
    let isRepeatable = !RequestKind.all.indices.contains(kind) || RequestKind.all[kind].isRepeatable
    return isRepeatable ? ServiceError.ending.response : nil
  }

  /// Large bodies are parsed when their turn has come (``LongRequests``).
  public func weight(of request: Request, bodyCount: Int) -> Int {
    guard let match = request.parsed.match, !match.isLong(bodyCount: bodyCount) else { return 1 }
    return match.route.weight(of: request)
  }

  public func refusal(of request: Request) -> Response? {
    guard let match = request.parsed.match else { return ServiceError.nothing(at: request).response }
    let state = state
    if request.parsed.hasTwoCredentials {
      // Its line in the record of edits comes before the answer.
      let isRecorded = state.audit != nil && AuditEntry(request, match, nil) != nil
      return isRecorded ? nil : ServiceError.twoCredentials.response
    }
    if let answer = request.answer(allowing: match.route.methods) { return answer }
    // The line in the record of edits is written before the answer, which takes its time: the content is read first.
    let isRecorded = { state.audit != nil && AuditEntry(request, match, state.authorizer) != nil }
    do throws(ServiceError) {
      try callerLimits.checkAddress(of: request, to: match.route, under: state)
      // While an issuer's keys are fetched, the caller waits for its answer.
      guard identify(request, at: match, under: state) == nil else { return nil }
      try callerLimits.admitHead(of: request, to: match.route, under: state)
      let refused = Result { () throws(ServiceError) in
        try state.writeOrigins.authorize(request)
        try match.authorize(request, under: state)
      }
      guard case .failure(let refusal) = refused, !isRecorded() else { return nil }
      // A caller that tries one token after another is counted here, too.
      try callerLimits.admit(request, to: match.route, under: state)
      throw refusal
    } catch {
      return isRecorded() ? nil : error.response(under: state)
    }
  }
}

extension ServiceError {
  /// RFC 9110 section 11.6.2: the field has one value.
  fileprivate static var twoCredentials: ServiceError {
    .malformed("`Authorization` stands twice: send it once.", field: "Authorization")
  }

  /// A request that has changed nothing is not finished when the process ends.
  fileprivate static let ending = ServiceError(
    TableError(.unavailable, detail: "The service is ending: ask again.", retryAfter: .seconds(1))
  )

  fileprivate static func nothing(at request: Request) -> ServiceError {
    notFound("There is nothing at `\(request.rawPath)`: see /v1/openapi.json.")
  }

  /// A refusal of one caller is not given to another.
  fileprivate func response(under state: ServiceState) -> Response {
    var response = response
    if state.authorizer.isRestricted(.read) { response.additional.append(HeaderField(.vary, "Authorization")) }
    return response
  }
}

/// An entity tag for content that has no version of its own: the same wherever the content is.
func contentTag(_ bytes: [UInt8]) -> String {
  // FNV-1a: stable across processes, as a per-process fingerprint is not.
  let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  return String(hash, radix: 16)
}
