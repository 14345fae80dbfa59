/// All that a configuration file says, checked and compiled. `Configuration` makes it from YAML.
public struct ServiceDefinition: Sendable {
  public var listen = ListenAddress()
  public var store = StoreDefinition.memory
  /// How many versions of a table are held for changesets.
  public var history = 64
  public var views = ViewsDefinition()
  public var cors = CORSDefinition()
  public var auth = AuthDefinition()
  public var limits = LimitsDefinition()
  public var sources: [SourceDefinition] = []
  public var cells: [CellDefinition] = []
  /// Shared by all tables: by type of item. `$default` takes what nothing else does.
  public var representations: [String: RepresentationDefinition] = [:]
  public var tables: [TableDefinition] = []
  /// The environment variables that expressions name, with their values: what `env` is for them. Never printed.
  public var environment: [String: String] = [:]

  /// Where the store is if the configuration says nothing: relative to the working directory.
  public static let defaultStorePath = "data/tablecast.sqlite"

  public init() {}
}

public struct ListenAddress: Equatable, Sendable {
  public var host = "127.0.0.1"
  /// 0: the kernel chooses.
  public var port: UInt16 = 8080

  public init() {}
}

public enum StoreDefinition: Equatable, Sendable {
  case memory
  case sqlite(path: String)
}

public struct ViewsDefinition: Equatable, Sendable {
  /// A view idle for so long is dropped.
  public var idle = Duration.seconds(30 * 60)
  /// How many views are held in all; the least recently used goes first.
  public var maximum = 100_000

  public init() {}
}

public struct CORSDefinition: Equatable, Sendable {
  /// Origins that may read replies; `*` for all. Empty: no CORS headers.
  public var origins: [String] = []

  public init() {}
}

/// What a peer may cost. Nil: the server's default.
public struct LimitsDefinition: Equatable, Sendable {
  public var connections: Int?
  public var connectionsPerAddress: Int?
  public var waiters: Int?
  public var waitersPerAddress: Int?
  public var requestBody: Int?

  public init() {}
}

public struct AuthDefinition: Equatable, Sendable {
  public var tokens: [Token] = []
  public var reading = Reading.open

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

    public init(name: String, sha256: [UInt8], allows: Set<Capability>, tables: [String]) {
      (self.name, self.sha256, self.allows, self.tables) = (name, sha256, allows, tables)
    }
  }

  public enum Capability: String, Sendable, CaseIterable { case read, edit, admin }
}
