package import Logging
package import Queues
package import TableStore
package import Upstream

/// An engine's surroundings: the store, the log, and the waking of waiters.
package struct EngineEnvironment: Sendable {
  package var store: any Store
  package var logger: Logger
  package var notifier: any ChangeNotifier
  /// The factory of its queues.
  package var queues: QueueFactory
  /// The carrier of requests to upstreams; nil: libcurl.
  package var carrier: (any TransferCarrier)?
  /// The most items of the service's own that the members of one family map each by itself, counted once for each member. Such a member
  /// lays out an edit of its own rows alone, and takes some 460 bytes for each item. Further members share a mapping, which is made
  /// anew for each edit.
  package var mostPrivateItems = 1 << 17

  package init(
    store: any Store,
    logger: Logger,
    notifier: any ChangeNotifier,
    queues: QueueFactory = .dispatch,
    carrier: (any TransferCarrier)? = nil
  ) {
    (self.store, self.logger, self.notifier) = (store, logger, notifier)
    (self.queues, self.carrier) = (queues, carrier)
  }
}

/// A topic that wakes waiters: a table, a window of it, a view.
package struct ChangeTopic: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// One that nothing else has.
  static func random() -> ChangeTopic { ChangeTopic(rawValue: .random(in: .min ... .max)) }
}

/// Tells those who wait that something changed. Called after the change can be read, from any queue; must not block.
package protocol ChangeNotifier: AnyObject, Sendable {
  func wake(_ topics: [ChangeTopic])
}
