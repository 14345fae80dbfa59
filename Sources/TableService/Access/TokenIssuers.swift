import Definitions
import Expressions
import FieldValues
import Foundation
import Identity
import JSON
import Synchronization

/// The issuers of one configuration, and the tokens of theirs that were verified under it.
final class TokenIssuers: Sendable {
  private let issuers: [Issuer]
  private let environment: [String: String]
  private let memory = Mutex(TokenMemory())

  private struct Issuer: Sendable {
    var rules: TokenRules
    var allows: [AuthDefinition.Capability: PermissionsDefinition.Rule]
    var keeper: KeyKeeper
  }

  /// - Parameter keepers: of each issuer's keys, in the same order.
  init(_ definitions: [JWTDefinition], _ keepers: [KeyKeeper], environment: [String: String]) {
    self.environment = environment
    issuers = zip(definitions, keepers).map { definition, keeper in
      let rules = TokenRules(
        issuer: definition.issuer,
        audience: definition.audience,
        algorithms: Set(definition.algorithms.compactMap { SignatureAlgorithm(rawValue: $0.rawValue) }),
        leeway: definition.leeway / .seconds(1)
      )
      return Issuer(rules: rules, allows: definition.allows, keeper: keeper)
    }
  }

  var isEmpty: Bool { issuers.isEmpty }

  /// Returns whether `${env.…}` has the same values for another configuration's rules.
  func haveEnvironment(of other: TokenIssuers) -> Bool { environment == other.environment }

  /// How many verified tokens are remembered.
  var rememberedTokens: Int { memory.withLock { $0.count } }

  private static var now: Double { Date().timeIntervalSince1970 }

  private func issuer(_ name: String) -> Issuer? { issuers.first { $0.rules.issuer.isExactly(name) } }

  // MARK: Judging

  enum Judgement {
    case standing(Bearer.Standing)
    /// Its key is being looked for.
    case pending(KeyKeeper)
  }

  /// Returns whether a token was verified before. O(1).
  func remembers(_ bearer: Bearer) -> Bool {
    if case .verified = bearer.standing { return true }
    return memory.withLock { $0[bearer.digest] != nil }
  }

  /// Judges a token that a request has sent. One that was verified before costs a look-up. Fetches keys where one is
  /// missing.
  func judge(_ text: ArraySlice<UInt8>, _ bearer: Bearer) -> Judgement {
    let known: VerifiedToken? =
      if case .verified(let token) = bearer.standing { token } else { memory.withLock { $0[bearer.digest] } }
    if let known {
      do throws(TokenRefusal) {
        try check(known)
        return .standing(.verified(known))
      } catch {
        memory.withLock { $0.forget(bearer.digest) }
        // Of another configuration's issuer, whose keys have not come to this one's yet.
        if error.kind != .unknownKey { return .standing(.refused(error)) }
      }
    }
    do throws(TokenRefusal) {
      let token = try SignedToken(Array(text))
      guard case .string(let name)? = token.claims["iss"], let issuer = issuer(name) else {
        return .standing(.refused(.unknownIssuer))
      }
      let haveKeysCome = issuer.keeper.haveCome
      do throws(TokenRefusal) {
        let verified = try issuer.rules.verify(token, with: issuer.keeper.keys, now: Self.now)
        memory.withLock { $0.remember(verified, bearer.digest, bytes: text.count) }
        return .standing(.verified(verified))
      } catch  where error.kind == .unknownKey {
        if issuer.keeper.miss() { return .pending(issuer.keeper) }
        return .standing(haveKeysCome ? .refused(error) : .unavailable(retryAfter: issuer.keeper.pause))
      }
    } catch {
      return .standing(.refused(error))
    }
  }

  /// Judges a token anew that was verified before, perhaps under another configuration, and without its text: by its time,
  /// and by what is configured and published now.
  func check(_ token: VerifiedToken) throws(TokenRefusal) {
    guard let issuer = issuer(token.issuer) else { throw .unknownIssuer }
    try issuer.rules.verify(token, with: issuer.keeper.keys, now: Self.now)
  }

  /// Returns whether a token can't be judged yet, as its issuer's keys have not come.
  func awaitsKeys(of token: VerifiedToken) -> Bool { issuer(token.issuer).map { !$0.keeper.haveCome } ?? false }

  /// When a token is no longer taken, in seconds from now.
  func timeLeft(of token: VerifiedToken) -> Double {
    issuer(token.issuer).map { $0.rules.end(of: token.times) - Self.now } ?? 0
  }

  // MARK: What is allowed

  /// Returns whether an issuer's rules allow something to the holder of a token. An expression that fails allows
  /// nothing.
  func allows(_ token: VerifiedToken, _ capability: Capability) -> Bool {
    guard let rules = issuer(token.issuer)?.allows else { return false }
    return holds(rules[capability], token) || capability != .admin && holds(rules[.admin], token)
  }

  private func holds(_ rule: PermissionsDefinition.Rule?, _ token: VerifiedToken) -> Bool {
    switch rule {
    case nil, .whereEditable?: return false
    case .constant(let value)?: return value
    case .expression(let expression)?:
      var scope = Scope()
      scope.caller = Value(token.caller(headers: .object([])))
      scope.environment = environment
      return (try? expression.isTrue(in: scope)) ?? false
    }
  }
}

extension TokenRefusal {
  fileprivate static let unknownIssuer = TokenRefusal(
    told: .unknownIssuer,
    "The token is of no issuer that is known here."
  )
}

extension VerifiedToken {
  /// `$caller`.
  func caller(headers: JSONValue) -> JSONValue {
    .object([
      .init(name: "name", value: .string(subject)), .init(name: "claims", value: claims),
      .init(name: "headers", value: headers),
    ])
  }
}
