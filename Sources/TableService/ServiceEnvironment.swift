public import Logging
public import TableStore

/// What a service is given from outside: where it keeps things, how it logs, what the environment says.
public struct ServiceEnvironment: Sendable {
  public var store: any Store
  public var logger: Logger
  /// For `${env.NAME}`: never logged, never shown.
  public var variables: [String: String]
  /// Whoever reaches the service may edit, where no tokens are configured: on loopback, or by `--insecure`.
  public var isOpenForEdits: Bool

  public init(store: any Store, logger: Logger, variables: [String: String] = [:], isOpenForEdits: Bool) {
    (self.store, self.logger, self.variables, self.isOpenForEdits) = (store, logger, variables, isOpenForEdits)
  }
}
