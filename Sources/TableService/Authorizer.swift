import Definitions
import Digests
import HTTPServer
import Synchronization
import TableModel

/// Who may do what: bearer tokens (RFC 6750) against the hashes that the configuration has.
///
/// Reading is open unless the configuration closes it. Editing is closed unless a token allows it, or the service
/// was started open and no tokens are configured.
struct Authorizer: Sendable {
  private let tokens: [AuthDefinition.Token]
  private let reading: AuthDefinition.Reading
  /// Without tokens, whoever reaches the service may edit.
  let isOpen: Bool

  init(_ definition: AuthDefinition, isOpen: Bool) {
    (tokens, reading, self.isOpen) = (definition.tokens, definition.reading, isOpen)
  }

  /// Refuses what the request's token does not allow. Nil table: what belongs to none.
  func authorize(_ request: Request, _ capability: AuthDefinition.Capability, table: String?) throws(ServiceError) {
    guard isRestricted(capability) else { return }
    guard let token = bearerToken(request) else {
      throw ServiceError(
        status: .unauthorized,
        detail: "This needs a token that allows `\(capability.rawValue)`: `Authorization: Bearer …`.",
        headers: [HeaderField(.wwwAuthenticate, "Bearer realm=\"tablecast\"")]
      )
    }
    guard let known = find(token) else {
      throw ServiceError(
        status: .unauthorized,
        detail: "The token is not known here.",
        headers: [HeaderField(.wwwAuthenticate, "Bearer realm=\"tablecast\", error=\"invalid_token\"")]
      )
    }
    guard allows(known, capability), table.map({ covers(known, $0) }) ?? true else {
      let place = table.map { " in table `\($0)`" } ?? ""
      throw ServiceError(
        status: .forbidden,
        detail: "The token `\(known.name)` does not allow `\(capability.rawValue)`\(place).",
        headers: [HeaderField(.wwwAuthenticate, "Bearer realm=\"tablecast\", error=\"insufficient_scope\"")]
      )
    }
  }

  /// Whether the request's token allows something.
  func allows(_ request: Request, _ capability: AuthDefinition.Capability, table: String) -> Bool {
    do throws(ServiceError) {
      try authorize(request, capability, table: table)
      return true
    } catch {
      return false
    }
  }

  /// The tables that the request's token lets it read: what a list shows.
  func readable(_ tables: [LiveTable], _ request: Request) -> [LiveTable] {
    guard isRestricted(.read) else { return tables }
    guard let token = bearerToken(request).flatMap(find), allows(token, .read) else { return [] }
    return tables.filter { covers(token, $0.name) }
  }

  /// Whether the request's credentials are one of the tokens: then they are for this service alone, and no upstream
  /// is shown them.
  func knows(_ request: Request) -> Bool { !tokens.isEmpty && bearerToken(request).flatMap(find) != nil }

  /// Whether it takes a token.
  func isRestricted(_ capability: AuthDefinition.Capability) -> Bool {
    switch capability {
    case .read: reading == .tokens
    case .edit, .admin: !(tokens.isEmpty && isOpen)
    }
  }

  private func allows(_ token: AuthDefinition.Token, _ capability: AuthDefinition.Capability) -> Bool {
    token.allows.contains(capability) || token.allows.contains(.admin)
  }

  private func covers(_ token: AuthDefinition.Token, _ table: String) -> Bool {
    token.tables.isEmpty || token.tables.contains { Self.matches(table[...], pattern: $0[...]) }
  }

  /// Compares with every token, each in constant time: neither which one nor how much of it was right can be told
  /// from the time.
  private func find(_ token: String) -> AuthDefinition.Token? {
    let digest = SHA256.digest(of: Array(token.utf8))
    var found: AuthDefinition.Token?
    for candidate in tokens where candidate.sha256.equalsInConstantTime(digest) { found = candidate }
    return found
  }

  private func bearerToken(_ request: Request) -> String? {
    guard let field = request.header(.authorization) else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return parts[1].trimmingSpaces
  }

  /// `*` stands for any text.
  private static func matches(_ name: Substring, pattern: Substring) -> Bool {
    guard let star = pattern.firstIndex(of: "*") else { return name == pattern }
    guard name.hasPrefix(pattern[..<star]) else { return false }
    let rest = pattern[pattern.index(after: star)...]
    var from = name.index(name.startIndex, offsetBy: pattern.distance(from: pattern.startIndex, to: star))
    while true {
      if matches(name[from...], pattern: rest) { return true }
      guard from < name.endIndex else { return false }
      from = name.index(after: from)
    }
  }
}

extension TableService {
  /// The caller's own header fields, as far as upstreams may be shown them.
  func caller(_ request: Request) -> CallerFields {
    CallerFields(request, credentialsAreOurs: authorizer.withLock { $0 }.knows(request))
  }

  /// What a route needs. A tap changes a view of the caller's own, unless it has none.
  func authorize(_ request: Request, _ route: Route) throws(ServiceError) {
    let authorizer = authorizer.withLock { $0 }
    switch route {
    case .inspector, .health, .readiness, .metrics, .openAPI, .cells, .hook: return
    case .tables: try authorizer.authorize(request, .read, table: nil)
    // Each of its tables is looked at when they are known.
    case .changes: return
    case .table(let reference, let tableRoute):
      let capability: AuthDefinition.Capability
      switch tableRoute {
      case .snapshot, .changes, .stream, .rows, .row: capability = .read
      case .tap: capability = request.query.first("view") == nil ? .edit : .read
      case .item: capability = request.method == .get || request.method == .head ? .read : .edit
      case .items, .move, .edits, .refresh: capability = .edit
      }
      // Credentials that go to the upstream are for the upstream to judge.
      let isJudgedUpstream =
        capability != .read && request.header(.authorization) != nil && catalog.forwardsCredentials(reference.name)
        && !authorizer.knows(request)
      guard !isJudgedUpstream else { return }
      try authorizer.authorize(request, capability, table: reference.name)
    }
  }
}
