public import Definitions
public import HTTPServer
import Logging
import Synchronization
import TableModel
import TableStore

/// The HTTP face: routes, long polls, event streams, edits, views.
///
/// `handle` runs on the event loops and only looks things up; what takes longer happens on the tables' queues.
public final class TableService: RequestHandler {
  let context: ServiceContext
  let catalog: Catalog
  let authorizer: Mutex<Authorizer>
  private let writeOrigins: WriteOrigins
  let isDraining = Mutex(false)
  private let cellsListing: Mutex<Representation>

  /// A service with the tables of a definition, restored from the store where it has them.
  ///
  /// - Throws: ``StartError`` where a table can't be made of its definition, or the store can't be read.
  public init(_ definition: ServiceDefinition, environment: ServiceEnvironment) throws {
    context = try ServiceContext(definition, environment)
    catalog = Catalog(context)
    authorizer = Mutex(Authorizer(definition.auth, isOpen: environment.isOpenForEdits))
    writeOrigins = WriteOrigins(definition.cors)
    cellsListing = Mutex(Self.cellsRepresentation(definition))
    try catalog.load(definition)
  }

  /// Gives the service the server that it answers on, and starts fetching.
  public func start(on server: Server) {
    context.attach(server)
    catalog.startSources()
  }

  /// Goes on with another definition (SIGHUP). Tables that both have keep their versions and waiters; what changed
  /// in them reaches clients as a changeset.
  ///
  /// - Throws: as `init`; then everything is as it was.
  public func reload(_ definition: ServiceDefinition) throws {
    try catalog.load(definition)
    authorizer.withLock { $0 = Authorizer(definition.auth, isOpen: $0.isOpen) }
    cellsListing.withLock { $0 = Self.cellsRepresentation(definition) }
    catalog.startSources()
  }

  /// `/readyz` says 503 from now on.
  public func drain() { isDraining.withLock { $0 = true } }

  /// Stops fetching and writes what is left to write. Calls `completion` when done.
  public func close(_ completion: @escaping @Sendable () -> Void) {
    catalog.stopSources()
    context.store.flush { _ in completion() }
  }

  private static func cellsRepresentation(_ definition: ServiceDefinition) -> Representation {
    let listing = CellRegistry(definition.cells).listing
    return Representation(
      body: listing,
      contentType: "application/json",
      entityTag: contentTag(listing),
      cacheControl: "no-cache"
    )
  }

  // MARK: Requests

  public func handle(_ request: Request, _ exchange: Exchange) -> Reply {
    guard let route = request.inquiry.route else {
      return .response(
        ServiceError.notFound("There is nothing at `\(request.rawPath)`: see /v1/openapi.json.").response
      )
    }
    if let answer = request.answer(allowing: route.methods) { return .response(answer) }
    do throws(ServiceError) {
      try writeOrigins.authorize(request)
      try authorize(request, route)
      return try reply(to: route, request, exchange)
    } catch {
      return .response(error.response)
    }
  }

  private func reply(to route: Route, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    switch route {
    case .inspector: return .response(Inspector.page.response(to: request))
    case .openAPI: return .response(OpenAPI.document.response(to: request))
    case .health: return .response(Self.alive)
    case .readiness: return .response(readiness())
    case .metrics: return .response(Metrics.response(context, catalog))
    case .cells: return .response(cellsListing.withLock { $0 }.response(to: request))
    case .tables: return .response(tables(readableBy: request).response(to: request))
    case .changes: return try multiPoll(request, exchange)
    case .hook(let source): return try hook(source, request)
    case .table(let reference, let route):
      let table = try catalog.table(reference, for: caller(request))
      guard table.isAwaitingUpstream else {
        return try reply(to: route, of: table, request, exchange, mayWait: true)
      }
      let patience = route == .changes ? try request.inquiry.wait.get() : FirstFetch.patience
      return FirstFetch(of: [table], patience: patience) { [self] exchange, mayWait in
        do throws(ServiceError) {
          return try reply(to: route, of: table, request, exchange, mayWait: mayWait)
        } catch {
          return .response(error.response)
        }
      }.begin(exchange)
    }
  }

  private func reply(
    to route: Route.TableRoute,
    of table: LiveTable,
    _ request: Request,
    _ exchange: Exchange,
    mayWait: Bool
  ) throws(ServiceError) -> Reply {
    if let refusal = table.refusal, route != .refresh { throw refusal }
    switch route {
    case .snapshot: return try snapshot(of: table, request, exchange)
    case .changes: return try poll(table, request, exchange, mayWait: mayWait)
    case .stream: return try stream(table, request)
    case .rows:
      let path = try request.indexPath()
      return try row(of: table, request, exchange) { _ in path }
    case .row(let id): return try row(of: table, request, exchange) { $0.indexPath(of: id) }
    case .tap(let row): return try tap(row, of: table, request, exchange)
    case .items: return try add(to: table, request, exchange)
    case .item(let row):
      switch request.method {
      case .patch: return try patch(row, of: table, request, exchange)
      case .delete: return try edit(table, [.delete(row: row)], .one, request, exchange)
      case .get, .head, .post, .put, .options, .trace: return item(row, of: table, request, exchange)
      }
    case .move(let row): return try move(row, of: table, request, exchange)
    case .edits: return try batch(table, request, exchange)
    case .refresh: return refresh(table, request, exchange)
    }
  }

  private func tables(readableBy request: Request) -> Representation {
    let authorizer = authorizer.withLock { $0 }
    return TableList.representation(
      authorizer.readable(catalog.all, request),
      isCallers: authorizer.isRestricted(.read)
    )
  }

  private static let alive = Response(
    status: .ok,
    headers: HeaderBlock([HeaderField(.contentType, "application/json"), HeaderField(.cacheControl, "no-store")]),
    body: Array("{\"status\":\"ok\"}".utf8)
  )

  private func readiness() -> Response {
    let loading = catalog.all.filter { $0.feed.current.table.state == .loading }.map(\.name)
    if isDraining.withLock({ $0 }) {
      return .problem(
        .serviceUnavailable,
        detail: "The service is shutting down.",
        headers: [HeaderField(.retryAfter, "5")]
      )
    }
    guard loading.isEmpty else {
      return .problem(
        .serviceUnavailable,
        detail: "Not loaded yet: \(loading.joined(separator: ", ")).",
        headers: [HeaderField(.retryAfter, "1")]
      )
    }
    return Self.alive
  }
}

/// An entity tag for content that has no version of its own: the same wherever the content is.
func contentTag(_ bytes: [UInt8]) -> String {
  // FNV-1a: stable across processes, as a per-process fingerprint is not.
  let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  return String(hash, radix: 16)
}
