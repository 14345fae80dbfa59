import Definitions
import HTTPServer
import Identity
import TableEngine

/// A capability of a caller.
typealias Capability = AuthDefinition.Capability

/// The judge of requests, by the rules of the configuration; by those of several, while one takes another one's place.
///
/// Reading is open unless the configuration closes it. Editing is closed unless a token allows it, or the service was
/// started open and no tokens are configured. Where issuers are configured, credentials that are nobody's are refused
/// everywhere, but for tables whose upstreams are sent them: a caller with credentials is not answered as nobody.
///
/// It decides by the request and the configuration, before any table is looked up: neither an answer nor its time tells
/// a refused caller whether a table is there.
final class Authorizer: Sendable {
  private let rules: AccessRules
  /// Other configurations' rules: all have to allow a request.
  private let others: [AccessRules]
  /// The tables for which the others count; nil: all.
  private let shared: Set<String>?

  private init(_ rules: AccessRules, _ others: [AccessRules], for shared: Set<String>?) {
    (self.rules, self.others, self.shared) = (rules, others, shared)
  }

  /// - Parameter keepers: of the issuers' keys, in the configuration's order.
  convenience init(_ definition: ServiceDefinition, _ keepers: [KeyKeeper], isOpen: Bool) {
    self.init(AccessRules(definition, keepers, isOpen: isOpen), [], for: nil)
  }

  /// The judge while one configuration takes another one's place: some tables show what the other one alone may allow. All rules that
  /// either has to ask count, each once.
  ///
  /// - Parameter tables: those that show it; nil: all may.
  convenience init(_ present: Authorizer, and other: Authorizer, for tables: Set<String>? = nil) {
    var others = present.others
    for rules in [other.rules] + other.others
    where !rules.areLike(present.rules) && !others.contains(where: rules.areLike) { others.append(rules) }
    self.init(present.rules, others, for: tables)
  }

  /// The number of configurations whose rules count.
  var count: Int { others.count + 1 }

  var isAlone: Bool { others.isEmpty }

  /// Without tokens, whoever reaches the service may edit.
  var isOpen: Bool { rules.isOpen }

  var rememberedTokens: Int { rules.rememberedTokens }

  // MARK: Who asks

  /// Finds out whose an issuer's token is, before anything else is asked of this. Nil where that is known now; else whose keys
  /// are awaited: then it is to be called again.
  ///
  /// - Parameter mayWait: false where the request has waited already.
  func identify(_ request: Request, mayWait: Bool = true) -> KeyKeeper? {
    rulesOfIssuers?.identify(request, mayWait: mayWait)
  }

  /// Returns whether ``identify(_:mayWait:)`` would verify a signature.
  func mustVerify(_ request: Request) -> Bool { rulesOfIssuers?.mustVerify(request) ?? false }

  /// The first rules with issuers, whose word on a token is taken.
  private var rulesOfIssuers: AccessRules? { rules.haveIssuers ? rules : others.first(where: \.haveIssuers) }

  func credentials(of request: Request) -> Credentials {
    guard let bearer = request.parsed.bearer else {
      return Credentials(areThere: request.header(.authorization) != nil)
    }
    let standing = rulesOfIssuers == nil ? .unjudged : bearer.standing
    return Credentials(digest: bearer.digest, areThere: true, standing: standing)
  }

  /// Returns the caller of a request's credentials: they are then for this service alone, and no upstream is shown
  /// them.
  func caller(of request: Request) -> Caller? { rules.caller(with: credentials(of: request)) }

  /// Some callers are users, known by issuer and subject: their views are their own.
  var haveUsers: Bool { rules.haveIssuers }

  /// Returns the engine's name of a view. A user's views are nobody else's, whatever others call theirs. Callers who
  /// are no users share views by their names. No client can name a user's view, as clients' names have no `~`.
  func viewName(_ name: String?, of request: Request) -> String? {
    guard let name, haveUsers, case .user(let user)? = caller(of: request) else { return name }
    return "\(name)~\(user.callerDigest)"
  }

  /// How long a caller's token is still taken, in seconds; nil where it doesn't end.
  func timeLeft(of credentials: Credentials) -> Double? { rules.timeLeft(of: credentials) }

  // MARK: What they may

  /// Refuses what the request's token does not allow. Nil table: what belongs to none.
  func authorize(_ request: Request, _ capability: Capability, table: String?) throws(ServiceError) {
    guard mustJudge(capability) else { return }
    if let refusal = refusal(of: credentials(of: request), capability, table: table) { throw refusal }
  }

  /// Why credentials don't allow something; nil where they do.
  func refusal(of credentials: Credentials, _ capability: Capability, table: String?) -> ServiceError? {
    rules.refusal(of: credentials, capability, table: table)
      ?? others(for: table).lazy.compactMap { $0.refusal(of: credentials, capability, table: table) }.first
  }

  /// As ``AccessRules/refusalBeyondTables(of:)``.
  func refusalBeyondTables(of request: Request) -> ServiceError? {
    let credentials = credentials(of: request)
    return rules.refusalBeyondTables(of: credentials)
      ?? others(for: nil).lazy.compactMap { $0.refusalBeyondTables(of: credentials) }.first
  }

  private func others(for table: String?) -> [AccessRules] {
    guard let shared else { return others }
    return table.map(shared.contains) ?? false ? others : []
  }

  /// Why credentials are nobody's, or somebody's no longer, whatever is asked for; nil where that is not so, and where an
  /// upstream of one of the tables is to judge them.
  func refusal(ofCredentials credentials: Credentials, for tables: [String]) -> ServiceError? {
    rules.refusal(ofCredentials: credentials, for: tables)
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
    rules.areJudgedUpstream(credentials, table) && !isRestricted(.read)
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
  var distinguishesEditors: Bool { rules.distinguishCallers && mustJudge(.edit) }

  /// Returns whether the request's token allows something.
  func allows(_ request: Request, _ capability: Capability, table: String) -> Bool {
    refusal(of: credentials(of: request), capability, table: table) == nil
  }

  /// Returns whether the request's token lets it read a table, so that a list shows it.
  func isReadable(_ table: String, _ request: Request) -> Bool { allows(request, .read, table: table) }

  /// Returns whether the capability takes a token.
  func isRestricted(_ capability: Capability) -> Bool {
    rules.restrict(capability) || others.contains { $0.restrict(capability) }
  }

  /// Returns whether a request's credentials count at all.
  private func mustJudge(_ capability: Capability) -> Bool {
    rules.mustJudge(capability) || others.contains { $0.mustJudge(capability) }
  }
}
