/// Why a token is not taken. Its words name no content of the token: they go to whoever sent it, and into logs.
public struct TokenRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// It is no signed token, or has what no token may have here.
    case malformed
    /// It is of no issuer that is known here.
    case unknownIssuer
    /// Its issuer has no key of this name and algorithm, as far as is known.
    case unknownKey
    case signature
    /// It is over, or has not begun.
    case time
    /// It is for somebody else.
    case audience
  }

  public var kind: Kind
  public var description: String

  init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

  package init(told kind: Kind, _ description: String) { self.init(kind, description) }

  static func malformed(_ description: String) -> TokenRefusal { TokenRefusal(.malformed, description) }
}
