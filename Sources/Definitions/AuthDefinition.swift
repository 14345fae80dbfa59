public struct AuthDefinition: Equatable, Sendable {
  public var tokens: [Token] = []
  public var reading = Reading.open
  public var jwt: JWTDefinition?

  public init() {}

  /// Who may read.
  public enum Reading: String, Sendable, CaseIterable {
    case open
    /// Only who has a token that allows `read` of the table.
    case tokens
  }

  public struct Token: Equatable, Sendable {
    public var name: String
    /// SHA-256 of the token, 32 bytes.
    public var sha256: [UInt8]
    public var allows: Set<Capability>
    /// Table name patterns with `*`; empty: all tables.
    public var tables: [String]

    /// Whether it counts for a table of this name, be there one or not. A name of more than ``longestName`` bytes is
    /// compared with no pattern. Complexity: O(name and patterns).
    public func covers(table name: String) -> Bool {
      tables.isEmpty || name.utf8.count <= Self.longestName && tables.contains { Glob($0).matches(name) }
    }

    /// In bytes.
    public static let longestName = 1024

    public init(name: String, sha256: [UInt8], allows: Set<Capability>, tables: [String]) {
      (self.name, self.sha256, self.allows, self.tables) = (name, sha256, allows, tables)
    }
  }

  public enum Capability: String, Sendable, CaseIterable { case read, edit, admin }
}

/// Callers with a JSON Web Token (RFC 7519) of an issuer.
public struct JWTDefinition: Equatable, Sendable {
  /// `iss` of the tokens, and `aud`, which names this service.
  public var issuer: String
  public var audience: String
  /// Where the issuer's keys stand: a URL or a file (RFC 7517).
  public var keys: String
  /// RFC 7518 §3.1.
  public var algorithms: [Algorithm]
  /// What a token allows: constants, or expressions of `$caller`.
  public var allows: [AuthDefinition.Capability: PermissionsDefinition.Rule]

  public init(
    issuer: String,
    audience: String,
    keys: String,
    algorithms: [Algorithm] = [.rs256, .es256],
    allows: [AuthDefinition.Capability: PermissionsDefinition.Rule] = [:]
  ) {
    (self.issuer, self.audience, self.keys) = (issuer, audience, keys)
    (self.algorithms, self.allows) = (algorithms, allows)
  }

  public enum Algorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
  }
}
