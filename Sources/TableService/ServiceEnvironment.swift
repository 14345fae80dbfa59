public import Logging
public import TableStore

/// What a service is given from outside: where it keeps things, how it logs, whom it trusts.
public struct ServiceEnvironment: Sendable {
  public var store: any Store
  public var logger: Logger
  /// Whoever reaches the service may edit, where no tokens are configured: on loopback, or by `--insecure`.
  public var isOpenForEdits: Bool

  public init(store: any Store, logger: Logger, isOpenForEdits: Bool) {
    (self.store, self.logger, self.isOpenForEdits) = (store, logger, isOpenForEdits)
  }
}
