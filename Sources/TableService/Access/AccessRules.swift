import Definitions
import Digests
import HTTPServer
import Identity

/// One configuration's rules of who may do what: bearer tokens (RFC 6750) against the hashes that it has, and those of its issuers
/// (RFC 7519).
struct AccessRules: Sendable {
  private let rules: AuthDefinition
  private let issuers: TokenIssuers
  /// The tables whose upstreams are sent the callers' own credentials.
  private let tablesForwardingCredentials: Set<String>
  /// Without tokens, whoever reaches the service may edit.
  let isOpen: Bool

  private var tokens: [AuthDefinition.Token] { rules.tokens }

  /// - Parameter keepers: of the issuers' keys, in the configuration's order.
  init(_ definition: ServiceDefinition, _ keepers: [KeyKeeper], isOpen: Bool) {
    (rules, self.isOpen) = (definition.auth, isOpen)
    issuers = TokenIssuers(definition.auth.issuers, keepers, environment: definition.environment)
    tablesForwardingCredentials = Set(definition.tables.lazy.filter(\.forward.nameCredentials).map(\.name))
  }

  /// Returns whether other rules decide the same.
  func areLike(_ other: AccessRules) -> Bool {
    rules == other.rules && isOpen == other.isOpen && issuers.haveEnvironment(of: other.issuers)
      && tablesForwardingCredentials == other.tablesForwardingCredentials
  }

  var haveIssuers: Bool { !issuers.isEmpty }

  var rememberedTokens: Int { issuers.rememberedTokens }

  // MARK: Who asks

  /// As ``Authorizer/identify(_:mayWait:)``.
  func identify(_ request: Request, mayWait: Bool) -> KeyKeeper? {
    guard haveIssuers, let bearer = request.parsed.bearer, find(bearer.digest) == nil,
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

  /// As ``Authorizer/mustVerify(_:)``.
  func mustVerify(_ request: Request) -> Bool {
    guard haveIssuers, let bearer = request.parsed.bearer, find(bearer.digest) == nil else { return false }
    return !issuers.remembers(bearer)
  }

  func caller(with credentials: Credentials) -> Caller? {
    if haveIssuers, let verified = credentials.verified { return .user(verified) }
    return tokens.isEmpty ? nil : credentials.digest.flatMap(find).map(Caller.token)
  }

  /// How long a caller's token is still taken, in seconds; nil where it doesn't end.
  func timeLeft(of credentials: Credentials) -> Double? {
    haveIssuers ? credentials.verified.map(issuers.timeLeft) : nil
  }

  // MARK: What they may

  /// Why credentials don't allow something; nil where they do.
  func refusal(of credentials: Credentials, _ capability: Capability, table: String?) -> ServiceError? {
    guard haveIssuers || restrict(capability) else { return nil }
    if let refusal = refusal(ofCredentials: credentials, for: table.map { [$0] } ?? []) { return refusal }
    if let verified = credentials.verified {
      return issuers.allows(verified, capability) ? nil : .insufficient("The token", capability, table)
    }
    guard restrict(capability) else { return nil }
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

  /// Why credentials don't allow what belongs to no table, and tells of all: their token names tables. Nil where it
  /// names none.
  func refusalBeyondTables(of credentials: Credentials) -> ServiceError? {
    guard case .token(let token)? = caller(with: credentials), !token.tables.isEmpty else { return nil }
    return .insufficient("The token `\(token.name)`, which is for some tables alone,", .admin, nil)
  }

  /// Why credentials are nobody's, or somebody's no longer, whatever is asked for; nil where that is not so, and where an
  /// upstream of one of the tables is to judge them.
  func refusal(ofCredentials credentials: Credentials, for tables: [String]) -> ServiceError? {
    guard haveIssuers else { return nil }
    // A token of the configuration is no issuer's to judge. Remembered heads keep the refusal of before it was added.
    if credentials.verified == nil, credentials.digest.flatMap(find) != nil { return nil }
    switch credentials.standing {
    // Found out when it asks again: what it has sent is not kept.
    case .unjudged:
      guard credentials.digest != nil else { return nil }
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

  /// Returns whether credentials are nobody's here, and sent to the table's upstream, which judges them.
  func areJudgedUpstream(_ credentials: Credentials, _ table: String) -> Bool {
    credentials.areThere && caller(with: credentials) == nil && !restrict(.read)
      && tablesForwardingCredentials.contains(table)
  }

  /// Callers differ in what they may.
  var distinguishCallers: Bool { haveIssuers || !tokens.isEmpty }

  /// Returns whether the capability takes a token.
  func restrict(_ capability: Capability) -> Bool {
    switch capability {
    case .read: rules.reading == .tokens
    case .edit: !rules.anonymousMayEdit && (distinguishCallers || !isOpen)
    case .admin: (distinguishCallers || !isOpen)
    }
  }

  /// Returns whether a request's credentials count at all.
  func mustJudge(_ capability: Capability) -> Bool { haveIssuers || restrict(capability) }

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
