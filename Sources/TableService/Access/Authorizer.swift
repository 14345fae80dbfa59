import Definitions
import Digests
import FieldValues
import HTTPServer
import Identity
import JSON
import TableEngine

/// A capability of a caller.
typealias Capability = AuthDefinition.Capability

/// The judge of requests: bearer tokens (RFC 6750) against the hashes that the configuration has, and those of its
/// issuers (RFC 7519).
///
/// Reading is open unless the configuration closes it. Editing is closed unless a token allows it, or the service was
/// started open and no tokens are configured. Where issuers are configured, credentials that are nobody's are refused
/// everywhere, but for tables whose upstreams are sent them: a caller with credentials is not answered as nobody.
///
/// It decides by the request and the configuration, before any table is looked up: neither an answer nor its time tells
/// a refused caller whether a table is there.
final class Authorizer: Sendable {
  private let rules: AuthDefinition
  private let issuers: TokenIssuers
  /// The tables whose upstreams are sent the callers' own credentials.
  private let tablesForwardingCredentials: Set<String>
  /// Without tokens, whoever reaches the service may edit.
  let isOpen: Bool
  /// Other configurations' judges, while one takes another one's place: all have to allow a request.
  private let others: [Authorizer]
  /// The tables for which the others count; nil: all.
  private let shared: Set<String>?

  private var tokens: [AuthDefinition.Token] { rules.tokens }

  /// - Parameter keepers: of the issuers' keys, in the configuration's order.
  init(_ definition: ServiceDefinition, _ keepers: [KeyKeeper], isOpen: Bool) {
    (rules, self.isOpen, others, shared) = (definition.auth, isOpen, [], nil)
    issuers = TokenIssuers(definition.auth.issuers, keepers, environment: definition.environment)
    tablesForwardingCredentials = Set(definition.tables.lazy.filter(\.forward.nameCredentials).map(\.name))
  }

  /// The judge while one configuration takes another one's place: some tables show what the other one alone may allow. Each of those
  /// that either had to ask counts, once.
  ///
  /// - Parameter tables: those that show it; nil: all may.
  init(_ present: Authorizer, and other: Authorizer, for tables: Set<String>? = nil) {
    (rules, issuers, isOpen, shared) = (present.rules, present.issuers, present.isOpen, tables)
    tablesForwardingCredentials = present.tablesForwardingCredentials
    var others = present.others
    for other in [Authorizer(alone: other)] + other.others
    where !other.isLike(present) && !others.contains(where: other.isLike) { others.append(other) }
    self.others = others
  }

  /// The number of configurations whose rules count.
  var count: Int { others.count + 1 }

  var isAlone: Bool { count == 1 }

  private init(alone other: Authorizer) {
    (rules, issuers, isOpen, others, shared) = (other.rules, other.issuers, other.isOpen, [], nil)
    tablesForwardingCredentials = other.tablesForwardingCredentials
  }

  /// Returns whether another one decides the same by itself.
  private func isLike(_ other: Authorizer) -> Bool {
    rules == other.rules && isOpen == other.isOpen && issuers.haveEnvironment(of: other.issuers)
      && tablesForwardingCredentials == other.tablesForwardingCredentials
  }

  var rememberedTokens: Int { issuers.rememberedTokens }

  // MARK: Who asks

  /// The credentials of a request: nothing that could be sent in its place, so that a long wait keeps no secret.
  struct Credentials: Sendable {
    fileprivate var digest: [UInt8]?
    /// The request has an `Authorization`, of whatever kind.
    fileprivate var areThere = false
    fileprivate var standing = Bearer.Standing.unjudged

    /// They are nobody's: a request without `Authorization` has them.
    var areNone: Bool { digest == nil && !areThere }

    /// An issuer's token, which ends by itself.
    fileprivate var verified: VerifiedToken? { if case .verified(let token) = standing { token } else { nil } }
  }

  /// Finds out whose an issuer's token is, before anything else is asked of this. Nil where that is known now; else whose keys
  /// are awaited: then it is to be called again.
  ///
  /// - Parameter mayWait: false where the request has waited already.
  func identify(_ request: Request, mayWait: Bool = true) -> KeyKeeper? {
    if issuers.isEmpty, let other = others.first(where: { !$0.issuers.isEmpty }) {
      return other.identify(request, mayWait: mayWait)
    }
    guard !issuers.isEmpty, let bearer = request.parsed.bearer, find(bearer.digest) == nil,
      let text = request.bearerToken
    else { return nil }
    switch issuers.judge(text, bearer) {
    case .standing(let standing): bearer.note(standing)
    case .pending(let keeper):
      if mayWait { return keeper }
      bearer.note(.unavailable(retryAfter: keeper.pause))
    }
    return nil
  }

  func credentials(of request: Request) -> Credentials {
    guard let bearer = request.parsed.bearer else {
      return Credentials(areThere: request.header(.authorization) != nil)
    }
    let haveIssuers = !issuers.isEmpty || others.contains { !$0.issuers.isEmpty }
    let standing = haveIssuers ? bearer.standing : .unjudged
    return Credentials(digest: bearer.digest, areThere: true, standing: standing)
  }

  /// The identity of a caller.
  enum Caller {
    case token(AuthDefinition.Token)
    case user(VerifiedToken)

    /// The owner of idempotency keys, views and quotas: a token's name, or issuer and subject, which are not stored in
    /// clear.
    var name: String {
      switch self {
      case .token(let token): return token.name
      case .user(let token): return "subject " + token.callerDigest
      }
    }

    /// The key that members of families are counted by: users of one network don't displace each other's. Not for
    /// tokens of the configuration, which many clients may have.
    ///
    /// - Parameter address: empty for this machine, which has no share.
    func share(at address: String) -> String {
      if case .user = self, !address.isEmpty { name } else { address }
    }

    /// `$caller`.
    func values(headers: JSONValue) -> JSONValue {
      switch self {
      case .token(let token):
        .object([.init(name: "name", value: .string(token.name)), .init(name: "headers", value: headers)])
      case .user(let token): token.caller(headers: headers)
      }
    }
  }

  /// Returns the caller of a request's credentials: they are then for this service alone, and no upstream is shown
  /// them.
  func caller(of request: Request) -> Caller? { caller(with: credentials(of: request)) }

  private func caller(with credentials: Credentials) -> Caller? {
    if !issuers.isEmpty, let verified = credentials.verified { return .user(verified) }
    return tokens.isEmpty ? nil : credentials.digest.flatMap(find).map(Caller.token)
  }

  /// How long a caller's token is still taken, in seconds; nil where it doesn't end.
  func timeLeft(of credentials: Credentials) -> Double? {
    issuers.isEmpty ? nil : credentials.verified.map(issuers.timeLeft)
  }

  // MARK: What they may

  /// Refuses what the request's token does not allow. Nil table: what belongs to none.
  func authorize(_ request: Request, _ capability: Capability, table: String?) throws(ServiceError) {
    guard mustJudge(capability) else { return }
    if let refusal = refusal(of: credentials(of: request), capability, table: table) { throw refusal }
  }

  /// Why credentials don't allow something; nil where they do.
  func refusal(of credentials: Credentials, _ capability: Capability, table: String?) -> ServiceError? {
    ownRefusal(of: credentials, capability, table: table)
      ?? others(for: table).lazy.compactMap { $0.refusal(of: credentials, capability, table: table) }.first
  }

  private func others(for table: String?) -> [Authorizer] {
    guard let shared else { return others }
    return table.map(shared.contains) ?? false ? others : []
  }

  private func ownRefusal(of credentials: Credentials, _ capability: Capability, table: String?) -> ServiceError? {
    guard !issuers.isEmpty || restrictsItself(capability) else { return nil }
    if let refusal = refusal(ofCredentials: credentials, for: table.map { [$0] } ?? []) { return refusal }
    if let verified = credentials.verified {
      return issuers.allows(verified, capability) ? nil : .insufficient("The token", capability, table)
    }
    guard restrictsItself(capability) else { return nil }
    guard let digest = credentials.digest else {
      return .unauthorized("This needs a token that allows `\(capability.rawValue)`: `Authorization: Bearer …`.", nil)
    }
    guard let token = find(digest) else { return .unauthorized("The token is not known here.", "") }
    // The same for a table that there is and one that there is not.
    guard allows(token, capability), table.map({ token.covers(table: $0) }) ?? true else {
      return .insufficient("The token `\(token.name)`", capability, table)
    }
    return nil
  }

  /// Why credentials are nobody's, or somebody's no longer, whatever is asked for; nil where that is not so, and where an
  /// upstream of one of the tables is to judge them.
  func refusal(ofCredentials credentials: Credentials, for tables: [String]) -> ServiceError? {
    guard !issuers.isEmpty else { return nil }
    switch credentials.standing {
    // Found out when it asks again: what it has sent is not kept.
    case .unjudged:
      guard let digest = credentials.digest, find(digest) == nil else { return nil }
      return tables.contains(where: tablesForwardingCredentials.contains) ? nil : .notIdentified
    case .verified(let token):
      guard !issuers.awaitsKeys(of: token) else { return .notIdentified }
      do throws(TokenRefusal) { try issuers.check(token) } catch {
        return .unauthorized(error.description, error.description)
      }
      return nil
    case .refused(let refusal):
      if tables.contains(where: tablesForwardingCredentials.contains) { return nil }
      return .unauthorized(refusal.description, refusal.description)
    case .unavailable(let pause):
      if tables.contains(where: tablesForwardingCredentials.contains) { return nil }
      return ServiceError(
        status: .serviceUnavailable,
        detail: "The keys of the token's issuer can't be had now: ask again.",
        headers: [HeaderField(.retryAfter, "\(pause)")]
      )
    }
  }

  /// Returns the authority for a change of a table's items: this service, or nobody here, where the caller's own
  /// credentials are sent to the table's upstream, which judges them.
  ///
  /// - Throws: where the request's token does not allow it, and its credentials are sent nowhere, or are those of a caller
  ///   who may not even read the table.
  func editAuthority(of request: Request, table: String) throws(ServiceError) -> EditAuthority {
    guard mustJudge(.edit) else { return .granted }
    let credentials = credentials(of: request)
    guard let refusal = refusal(of: credentials, .edit, table: table) else { return .granted }
    guard areJudgedUpstream(credentials, table) else { throw refusal }
    return .callersCredentials(else: TableError(.unauthenticated, detail: refusal.detail))
  }

  /// Returns whether credentials are nobody's here, and sent to the table's upstream, which judges them.
  private func areJudgedUpstream(_ credentials: Credentials, _ table: String) -> Bool {
    credentials.areThere && caller(with: credentials) == nil && !isRestricted(.read)
      && tablesForwardingCredentials.contains(table)
      && others(for: table).allSatisfy { $0.areJudgedUpstream(credentials, table) }
  }

  /// Returns whether a caller may change a table's items, as far as the table lets anybody: then its rows offer that. True, without a
  /// look at the caller, where rows offer no edit to anybody.
  func mayEdit(_ request: Request, _ table: LiveTable) -> Bool {
    !table.offersEdits || !mustJudge(.edit) || mayEdit(credentials(of: request), table)
  }

  func mayEdit(_ credentials: Credentials, _ table: LiveTable) -> Bool {
    guard table.offersEdits else { return true }
    let table = table.reference.name
    // Most readers have none: no refusal is put into words for them.
    guard credentials.areThere else { return !isRestricted(.edit) }
    return refusal(of: credentials, .edit, table: table) == nil || areJudgedUpstream(credentials, table)
  }

  /// Some callers may edit, and others may not.
  var distinguishesEditors: Bool { !(tokens.isEmpty && issuers.isEmpty) && mustJudge(.edit) }

  /// Returns whether the request's token allows something.
  func allows(_ request: Request, _ capability: Capability, table: String) -> Bool {
    refusal(of: credentials(of: request), capability, table: table) == nil
  }

  /// Returns whether the request's token lets it read a table, so that a list shows it.
  func isReadable(_ table: String, _ request: Request) -> Bool { allows(request, .read, table: table) }

  /// Returns whether the capability takes a token.
  func isRestricted(_ capability: Capability) -> Bool {
    restrictsItself(capability) || others.contains { $0.restrictsItself(capability) }
  }

  private func restrictsItself(_ capability: Capability) -> Bool {
    switch capability {
    case .read: rules.reading == .tokens
    case .edit: !rules.anonymousMayEdit && !(tokens.isEmpty && issuers.isEmpty && isOpen)
    case .admin: !(tokens.isEmpty && issuers.isEmpty && isOpen)
    }
  }

  /// Returns whether a request's credentials count at all.
  private func mustJudge(_ capability: Capability) -> Bool {
    !issuers.isEmpty || restrictsItself(capability) || others.contains { $0.mustJudge(capability) }
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
}

extension ServiceError {
  /// RFC 6750 section 3: without credentials, no code; with them, `invalid_token`.
  ///
  /// - Parameter description: nil: there are no credentials; empty: nothing is said of them.
  fileprivate static func unauthorized(_ detail: String, _ description: String?) -> ServiceError {
    var challenge = "Bearer realm=\"tablecast\""
    if let description {
      challenge += ", error=\"invalid_token\""
      let text = String(
        description.unicodeScalars.filter { (0x20...0x7E).contains($0.value) && !"\"\\`".unicodeScalars.contains($0) }
      )
      if !text.isEmpty { challenge += ", error_description=\"\(text)\"" }
    }
    return ServiceError(status: .unauthorized, detail: detail, headers: [HeaderField(.wwwAuthenticate, challenge)])
  }

  /// A poll has waited while a configuration was read whose issuers are not those of the one before.
  fileprivate static var notIdentified: ServiceError {
    ServiceError(
      status: .serviceUnavailable,
      detail: "Whose the token is has to be found out by another configuration: ask again.",
      headers: [HeaderField(.retryAfter, "1")]
    )
  }

  fileprivate static func insufficient(_ who: String, _ capability: Capability, _ table: String?) -> ServiceError {
    let place = table.map { " in table `\($0.prefix(80))`" } ?? ""
    return ServiceError(
      status: .forbidden,
      detail: "\(who) does not allow `\(capability.rawValue)`\(place).",
      headers: [HeaderField(.wwwAuthenticate, "Bearer realm=\"tablecast\", error=\"insufficient_scope\"")]
    )
  }
}
