/// All that a configuration file says, checked and compiled. `Configuration` makes it from YAML.
public struct ServiceDefinition: Sendable {
  public var listen = ListenAddress()
  public var store = StoreDefinition.memory
  /// How many versions of a table are held for changesets.
  public var history = 64
  public var views = ViewsDefinition()
  public var cors = CORSDefinition()
  public var auth = AuthDefinition()
  /// Nil: nothing is written of edits.
  public var audit: AuditDefinition?
  public var limits = LimitsDefinition()
  /// BCP 47 tags; the first is the default. Empty: tables don't depend on `Accept-Language`, and there is no `$locale`.
  public var locales: [String] = []
  /// Names that requests may be for, beside loopback's own and IP addresses; in lower case. Empty: only on loopback is
  /// `Host` checked.
  public var hosts: [String] = []
  /// The proxies whose `Forwarded` and `X-Forwarded-For` fields count.
  public var trustedProxies: [AddressRange] = []
  public var problems = ProblemDetail.public
  /// The generation of this configuration: of several replicas' configurations the highest one counts.
  public var generation = 0
  public var sources: [SourceDefinition] = []
  public var cells: [CellDefinition] = []
  /// Shared by all tables: by type of item. `$default` takes what nothing else does.
  public var representations: [String: RepresentationDefinition] = [:]
  public var tables: [TableDefinition] = []
  /// The environment variables that expressions name, with their values: what `env` is for them. Never printed.
  public var environment: [String: String] = [:]
  /// By what processes know whether they have the same configuration.
  public var contents = ContentDigests()

  /// The store's default path, relative to the working directory.
  public static let defaultStorePath = "data/tablecast.sqlite"

  public init() {}
}

public enum StoreDefinition: Equatable, Sendable {
  case memory
  case sqlite(path: String)
  /// A connection string for libpq: a URI or `key=value` pairs. Never printed.
  case postgres(String)
}

/// How much readers are told of an upstream's failure.
public enum ProblemDetail: String, Sendable, CaseIterable {
  /// Its kind and its host.
  case `public`
  /// The upstream's own words too.
  case full
}

public struct ViewsDefinition: Equatable, Sendable {
  /// A view idle for so long is dropped.
  public var idle = Duration.seconds(30 * 60)
  /// How many views are held in all; of more the oldest one of whoever holds most goes.
  public var maximum = 100_000

  public init() {}
}

public struct CORSDefinition: Equatable, Sendable {
  /// Origins that may read replies; `*` for all. Empty: no CORS headers.
  public var origins: [String] = []
  /// Origins that may also edit; `*` for all.
  public var writes: [String] = []

  public init() {}
}
