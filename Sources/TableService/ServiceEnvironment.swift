public import Logging
public import TableStore

/// A service's surroundings: the store, the log, and the callers that it trusts.
public struct ServiceEnvironment: Sendable {
  public var store: any Store
  public var logger: Logger
  /// True if every caller that reaches the service may edit, where no tokens are configured: on loopback, or by
  /// `--insecure`.
  public var isOpenForEdits: Bool

  public init(store: any Store, logger: Logger, isOpenForEdits: Bool) {
    (self.store, self.logger, self.isOpenForEdits) = (store, logger, isOpenForEdits)
  }
}
