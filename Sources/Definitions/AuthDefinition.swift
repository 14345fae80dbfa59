public struct AuthDefinition: Equatable, Sendable {
  public var tokens: [Token] = []
  public var reading = Reading.open
  /// Issuers whose tokens are taken: each `issuer` stands once.
  public var issuers: [JWTDefinition] = []
  /// Callers without credentials may edit, as far as tables allow it.
  public var anonymousMayEdit = false

  public init() {}

  /// The callers who may read.
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

    /// Returns whether the token counts for a table of this name, whether such a table exists or not. A name of more
    /// than ``longestName`` bytes is compared with no pattern. Complexity: O(name and patterns).
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
  public var keys: Keys
  /// RFC 7518 section 3.1, RFC 8037.
  public var algorithms: [Algorithm]
  /// For clocks that differ.
  public var leeway: Duration
  /// The capabilities that a token gives: constants, or expressions of `$caller`.
  public var allows: [AuthDefinition.Capability: PermissionsDefinition.Rule]

  public static let standardLeeway = Duration.seconds(30)

  public init(
    issuer: String,
    audience: String,
    keys: Keys,
    algorithms: [Algorithm] = Algorithm.allCases,
    leeway: Duration = standardLeeway,
    allows: [AuthDefinition.Capability: PermissionsDefinition.Rule] = [:]
  ) {
    (self.issuer, self.audience, self.keys) = (issuer, audience, keys)
    (self.algorithms, self.leeway, self.allows) = (algorithms, leeway, allows)
  }

  /// The place of the issuer's keys (RFC 7517).
  public enum Keys: Equatable, Sendable {
    case url(String)
    case file(String)
    /// The address that the issuer's discovery document names (OpenID Connect Discovery 1.0).
    case discovered
  }

  public enum Algorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case es384 = "ES384"
    case edDSA = "EdDSA"
  }
}

/// The place where the audit log, a line for each edit, is written.
public struct AuditDefinition: Equatable, Sendable {
  public enum Destination: Equatable, Sendable {
    case file(path: String)
    case standardError
  }

  public var destination: Destination
  /// Lines have the request's body, too.
  public var hasBodies: Bool

  public init(_ destination: Destination, hasBodies: Bool = false) {
    (self.destination, self.hasBodies) = (destination, hasBodies)
  }
}
