import Definitions
import Identity
import JSON

/// The credentials of a request: nothing that could be sent in its place, so that a long wait keeps no secret.
struct Credentials: Sendable {
  var digest: [UInt8]?
  /// The request has an `Authorization`, of whatever kind.
  var areThere = false
  var standing = Bearer.Standing.unjudged

  /// They are nobody's: a request without `Authorization` has them.
  var areNone: Bool { digest == nil && !areThere }

  /// An issuer's token, which ends by itself.
  var verified: VerifiedToken? { if case .verified(let token) = standing { token } else { nil } }
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
