import Definitions
import Digests
import HTTPServer
import TableEngine

/// What a caller may be allowed.
typealias Capability = AuthDefinition.Capability

/// Who may do what: bearer tokens (RFC 6750) against the hashes that the configuration has.
///
/// Reading is open unless the configuration closes it. Editing is closed unless a token allows it, or the service
/// was started open and no tokens are configured.
///
/// It decides by the request and the configuration, before any table is looked up: neither an answer nor its time tells
/// who is refused whether a table is there.
final class Authorizer: Sendable {
  private let tokens: [AuthDefinition.Token]
  private let reading: AuthDefinition.Reading
  /// The tables whose upstreams are sent the callers' own credentials.
  private let tablesForwardingCredentials: Set<String>
  /// Without tokens, whoever reaches the service may edit.
  let isOpen: Bool

  init(_ definition: AuthDefinition, isOpen: Bool, tables: [TableDefinition]) {
    (tokens, reading, self.isOpen) = (definition.tokens, definition.reading, isOpen)
    tablesForwardingCredentials = Set(tables.lazy.filter(\.forward.nameCredentials).map(\.name))
  }

  /// What a request proves itself with: a digest, so that who waits long keeps no secret.
  struct Credentials: Sendable {
    fileprivate var digest: [UInt8]?
  }

  func credentials(of request: Request) -> Credentials {
    Credentials(digest: bearerToken(request).map { SHA256.digest(of: Array($0)) })
  }

  /// Refuses what the request's token does not allow. Nil table: what belongs to none.
  func authorize(_ request: Request, _ capability: Capability, table: String?) throws(ServiceError) {
    guard isRestricted(capability) else { return }
    if let refusal = refusal(of: credentials(of: request), capability, table: table) { throw refusal }
  }

  /// Why credentials don't allow something; nil where they do.
  func refusal(of credentials: Credentials, _ capability: Capability, table: String?) -> ServiceError? {
    guard isRestricted(capability) else { return nil }
    guard let digest = credentials.digest else {
      return ServiceError(
        status: .unauthorized,
        detail: "This needs a token that allows `\(capability.rawValue)`: `Authorization: Bearer …`.",
        headers: [HeaderField(.wwwAuthenticate, "Bearer realm=\"tablecast\"")]
      )
    }
    guard let token = find(digest) else {
      return ServiceError(
        status: .unauthorized,
        detail: "The token is not known here.",
        headers: [HeaderField(.wwwAuthenticate, "Bearer realm=\"tablecast\", error=\"invalid_token\"")]
      )
    }
    // The same for a table that there is and one that there is not.
    guard allows(token, capability), table.map({ token.covers(table: $0) }) ?? true else {
      let place = table.map { " in table `\($0.prefix(80))`" } ?? ""
      return ServiceError(
        status: .forbidden,
        detail: "The token `\(token.name)` does not allow `\(capability.rawValue)`\(place).",
        headers: [HeaderField(.wwwAuthenticate, "Bearer realm=\"tablecast\", error=\"insufficient_scope\"")]
      )
    }
    return nil
  }

  /// Who allows a change of a table's items: this service, or nobody here, where the caller's own credentials are sent to
  /// the table's upstream, which judges them.
  ///
  /// - Throws: where the request's token does not allow it, and its credentials are sent nowhere, or are those of a caller
  ///   who may not even read the table.
  func editAuthority(of request: Request, table: String) throws(ServiceError) -> EditAuthority {
    guard isRestricted(.edit), let refusal = refusal(of: credentials(of: request), .edit, table: table) else {
      return .granted
    }
    guard request.header(.authorization) != nil, token(of: request) == nil, !isRestricted(.read),
      tablesForwardingCredentials.contains(table)
    else { throw refusal }
    return .callersCredentials(else: TableError(.unauthenticated, detail: refusal.detail))
  }

  /// Whether the request's token allows something.
  func allows(_ request: Request, _ capability: Capability, table: String) -> Bool {
    refusal(of: credentials(of: request), capability, table: table) == nil
  }

  /// Whether the request's token lets it read a table: what a list shows.
  func isReadable(_ table: String, _ request: Request) -> Bool {
    guard isRestricted(.read) else { return true }
    guard let token = token(of: request), allows(token, .read) else { return false }
    return token.covers(table: table)
  }

  /// The token that the request's credentials are: they are then for this service alone, and no upstream is shown them.
  func token(of request: Request) -> AuthDefinition.Token? {
    tokens.isEmpty ? nil : credentials(of: request).digest.flatMap(find)
  }

  /// Whether it takes a token.
  func isRestricted(_ capability: Capability) -> Bool {
    switch capability {
    case .read: reading == .tokens
    case .edit, .admin: !(tokens.isEmpty && isOpen)
    }
  }

  private func allows(_ token: AuthDefinition.Token, _ capability: Capability) -> Bool {
    token.allows.contains(capability) || token.allows.contains(.admin)
  }

  /// Compares with every token, each in constant time: neither which one nor how much of it was right can be told
  /// from the time.
  private func find(_ digest: [UInt8]) -> AuthDefinition.Token? {
    var found: AuthDefinition.Token?
    for candidate in tokens where candidate.sha256.equalsInConstantTime(digest) { found = candidate }
    return found
  }

  private func bearerToken(_ request: Request) -> ArraySlice<UInt8>? {
    guard let field = request.valueBytes(.authorization), let end = field.firstIndex(of: UInt8(ascii: " ")),
      field[..<end].isText("bearer")
    else { return nil }
    return field[end...].withoutBlanks
  }
}
