import Definitions
import FieldValues
import HTTPServer
import JSON
import TableEngine

/// One resource: where it is, what can be done with it, and what that takes. All there are stand in ``all``. A class, as its
/// operations are: each request is handed its own.
final class Route: Sendable {
  /// `/v1/tables/{table}/rows/{row}`: a name in braces takes any one segment.
  let path: String
  let operations: [Operation]
  let methods: AllowedMethods
  private let segments: [Segment]
  /// True if unknown query parameters are mistakes here.
  private let isStrict: Bool
  /// The media type of the answer to `GET`.
  private let mediaType: MediaType
  /// A refresh asks an upstream anew that has refused the caller.
  private let asksAnew: Bool
  /// Its requests have several edits.
  private let isBatch: Bool

  /// The operation of one method.
  final class Operation: Sendable {
    let method: Method
    /// The capability that a caller needs.
    let requirement: Requirement
    /// The query parameters that it knows: any other is refused, where it lies below `/v1`.
    let query: [String]
    /// The parameters that may stand more than once.
    let repeatable: [String]
    let handler: Handler

    init(_ method: Method, _ requirement: Requirement, query: [String], repeatable: [String] = [], _ handler: Handler) {
      (self.method, self.requirement, self.query, self.repeatable, self.handler) = (
        method, requirement, query, repeatable, handler
      )
    }

    /// Requests for it may have a body of any size.
    var takesContent: Bool {
      switch method {
      case .post, .put, .patch: true
      case .get, .head, .delete, .options, .trace: false
      }
    }

    /// Returns whether a request for it polls from a cursor, for a time of its own.
    fileprivate func isPoll(_ parsed: ParsedRequest) -> Bool {
      query.contains("wait") && !parsed.hasSlot && (try? parsed.after.get()) != nil
    }

    /// It is a poll, or a stream.
    fileprivate var follows: Bool { method == .get && query.contains("after") }

    /// Returns whether who asks for it wants to wait for something to happen.
    fileprivate func asksToWait(_ parsed: ParsedRequest) -> Bool {
      follows && (!query.contains("wait") || parsed.hasSlot || (try? parsed.wait.get()) != 0)
    }

    /// `GET` brings `HEAD` with it.
    fileprivate var allowed: AllowedMethods {
      switch method {
      case .get, .head: .get
      case .post: .post
      case .put: .put
      case .patch: .patch
      case .delete: .delete
      case .options, .trace: []
      }
    }
  }

  /// The capability that the caller needs; in the table that the path names, where it names one.
  enum Requirement: Sendable {
    case nothing
    case capability(Capability)
    /// A change of the table's items. Where the caller's own credentials go to the upstream, it is for that to judge.
    case edit
    /// A tap: of a view of the caller's own it is a kind of reading, else an edit, too. It is answered with the row.
    case tap
    /// A look at items that only editors get.
    case inspection
    /// Each of the tables that the request names is looked at when they are known.
    case each

    var isReading: Bool { if case .capability(.read) = self { true } else { false } }
    var isNothing: Bool { if case .nothing = self { true } else { false } }
  }

  enum Handler: Sendable {
    case service(Operation.ServiceHandler)
    /// With the table that the path names; a family's member has heard from its upstream, if that answers in time.
    case table(Operation.TableHandler)
  }

  private enum Segment: Sendable {
    case text(String)
    case name(String)
  }

  init(_ path: String, _ operations: Operation...) {
    (self.path, self.operations) = (path, operations)
    segments = path.split(separator: "/").map { part in
      part.first == "{" ? .name(String(part.dropFirst().dropLast())) : .text(String(part))
    }
    methods = AllowedMethods(operations.map(\.allowed))
    isStrict = path.hasPrefix("/v1/")
    mediaType = path.hasSuffix("/stream") ? .eventStream : path.hasSuffix(".js") ? .script : .json
    asksAnew = path.hasSuffix("/refresh")
    isBatch = path.hasSuffix("/edits")
  }

  // MARK: Matching

  /// Returns whether a path is this one, whatever its names stand for.
  fileprivate func matches(_ path: [String]) -> Bool {
    guard path.count == segments.count else { return false }
    // Paths that differ do so at their ends.
    for index in segments.indices.reversed() {
      switch segments[index] {
      case .text(let expected): guard expected == path[index] else { return false }
      case .name: guard !path[index].isEmpty else { return false }
      }
    }
    return true
  }

  /// Returns the index of a name in the path.
  fileprivate func index(of name: String) -> Int? {
    segments.firstIndex { if case .name(name) = $0 { true } else { false } }
  }

  // MARK: Limits

  /// True if limits on a caller count requests for it: operators' own tools are free.
  var isLimited: Bool { isStrict }

  /// Returns how many edits a request for it counts as: a batch as many as it has, and one where that can't be read, or
  /// has not come yet. A tap in a view of the caller's own is a kind of reading.
  func editCount(_ request: Request) -> Int {
    switch operations.first(where: { $0.method == request.method })?.requirement {
    case .edit?: isBatch ? max(ListedText.edits(of: request.body)?.count ?? 1, 1) : 1
    case .capability(let capability)?: capability != .read && request.method != .get ? 1 : 0
    case .tap?: request.query.first("view") == nil ? 1 : 0
    case .nothing?, .inspection?, .each?, nil: 0
    }
  }

  /// Returns whether a request for it asks for a change of a table's items.
  func changesItems(_ request: Request) -> Bool {
    switch operations.first(where: { $0.method == request.method })?.requirement {
    case .edit?: true
    case .tap?: request.query.first("view") == nil
    case .capability?, .inspection?, .nothing?, .each?, nil: false
    }
  }

  // MARK: Answering

  /// Returns the operation of a request.
  ///
  /// - Throws: where it can't be asked, or names what means nothing here.
  fileprivate func operation(_ request: Request) throws(ServiceError) -> Operation {
    let method = request.method == .head ? Method.get : request.method
    guard let operation = operations.first(where: { $0.method == method }) else {
      throw ServiceError(status: .methodNotAllowed, detail: "Only \(methods) can be asked of `\(path)`.")
    }
    if isStrict { try request.checkQuery(operation.query, repeatable: operation.repeatable) }
    if isStrict, method == .get { try request.checkAccept(mediaType) }
    return operation
  }

  /// Answers a request for it, if the caller may.
  ///
  /// - Parameter mayFindAnother: false once the table was found again: it has made room, or a configuration was read meanwhile.
  func answer(_ call: Call, of service: TableService, mayFindAnother: Bool = true) throws(ServiceError) -> Reply {
    let operation = try call.match.operation.get()
    switch operation.handler {
    case .service(let handler):
      try call.authorize(operation.requirement)
      return try handler(service)(call)
    case .table(let handler):
      let first = try TableCall(call, operation.requirement)
      guard first.table.isAwaitingUpstream else {
        return try answer(first, of: service, operation, handler, mayFindAnother: mayFindAnother)
      }
      let patience = try operation.query.contains("wait") ? call.parsed.wait.get() : FirstFetch.patience
      let begun = ContinuousClock.now
      let isAskedFor = operation.asksToWait(call.parsed)
      return FirstFetch(of: first.table, patience: patience, isAskedFor: isAskedFor) { [self] exchange, mayWait in
        let now = service.state
        // A change is done with the rights, and written into the record, of the configuration that judges it.
        let isAnew = now !== call.state && !operation.requirement.isReading && mayFindAnother
        let call = isAnew ? first.again(exchange, under: now) : call
        do throws(ServiceError) {
          guard !isAnew else { return try answer(call, of: service, mayFindAnother: false) }
          let waited = begun.duration(to: .now) / .seconds(1)
          let later = try first.after(exchange, mayWait: mayWait, waited: waited, under: now)
          return try answer(later, of: service, operation, handler, mayFindAnother: mayFindAnother)
        } catch {
          return service.refuse(call, error, exchange)
        }
      }.begin(call.exchange)
    }
  }

  private func answer(
    _ call: TableCall,
    of service: TableService,
    _ operation: Operation,
    _ handler: @escaping Operation.TableHandler,
    mayFindAnother: Bool
  ) throws(ServiceError) -> Reply {
    if !asksAnew { try call.checkUpstreamsRefusal() }
    guard operation.method == .get, let behind = call.behind else {
      try call.checkIsThere()
      return try handler(service)(call)
    }
    let begun = ContinuousClock.now
    let wait = BarrierWait(of: [behind], service.server) { [self] exchange, outcome in
      do throws(ServiceError) {
        let waited = begun.duration(to: .now) / .seconds(1)
        let isLate = outcome == .late
        // A member that has made room meanwhile need not show what was answered before: another one is made, once.
        if behind.table.hasMadeRoom {
          guard mayFindAnother else { throw .unreadable }
          return try answer(call.again(exchange, under: service.state), of: service, mayFindAnother: false)
        }
        // A poll continues at its cursor; other requests would be given state that may be old.
        guard !isLate || operation.isPoll(call.parsed) else { throw .unreadable }
        // A request that has waited for the first fetch as long as it may doesn't wait again.
        let call = try call.after(
          exchange,
          mayWait: !isLate && call.mayWait,
          isLate: isLate,
          waited: waited,
          under: service.state
        )
        // Another table has come in its place, and may not show yet what this one was found to.
        guard isLate || call.table === behind.table else {
          return try answer(call, of: service, operation, handler, mayFindAnother: mayFindAnother)
        }
        try call.checkIsThere()
        return try handler(service)(call)
      } catch {
        return .response(error.response)
      }
    }
    guard operation.follows else { return wait.begin(call.exchange) }
    return wait.begin(isAskedFor: operation.asksToWait(call.parsed))
  }
}

/// A route, and what its path's names stand for. Found once for all requests with the same head, and shared by them.
final class RouteMatch: Sendable {
  let route: Route
  private let path: [String]
  /// The table that the path names.
  let table: TableReference?
  /// The operation of the route, or the error why there is none.
  let operation: Result<Route.Operation, ServiceError>
  /// Among ``RequestKind/all``.
  let kind: Int
  /// The operation takes no right, and its answer is the same for all callers.
  let isForEverybody: Bool

  /// The route of a request; nil where there is none.
  init?(_ request: Request) {
    let path = request.path
    guard let route = Route.all.first(where: { $0.matches(path) }) else { return nil }
    (self.route, self.path) = (route, path)
    operation = Result { () throws(ServiceError) in try route.operation(request) }
    kind = (try? operation.get()).map { RequestKind.number(of: $0) } ?? 0
    isForEverybody = (try? operation.get()).map { $0.requirement.isNothing } ?? false
    guard let index = route.index(of: "table") else {
      table = nil
      return
    }
    // A table's parameters are told apart before they are decoded.
    guard let segment = request.rawSegment(index), let reference = TableReference(pathSegment: segment) else {
      return nil
    }
    table = reference
  }

  /// Returns the value of a name in the path, percent-decoded.
  subscript(name: String) -> String { route.index(of: name).map { path[$0] } ?? "" }
}

extension Request {
  /// A segment of the path as it was sent.
  fileprivate func rawSegment(_ index: Int) -> Substring? {
    let segments = rawPath.utf8.split(
      separator: UInt8(ascii: "/"),
      maxSplits: index + 2,
      omittingEmptySubsequences: false
    )
    // The path begins with a slash.
    return segments.count > index + 1 ? Substring(segments[index + 1]) : nil
  }
}

extension TableReference {
  /// Reads a path segment. What `encodeURIComponent` makes of `modules;q=async` is the same member as without it.
  init?(pathSegment segment: Substring) {
    guard segment.utf8.contains(UInt8(ascii: "%")), !segment.utf8.contains(UInt8(ascii: ";")),
      let decoded = PercentCoding.decodeText(segment), decoded.utf8.contains(UInt8(ascii: ";"))
    else {
      self.init(segment: segment)
      return
    }
    self.init(segment: decoded)
  }
}
