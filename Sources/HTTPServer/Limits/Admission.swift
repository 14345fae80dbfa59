import Synchronization

/// Counts connections, or waiters, of all loops against the limit in all and the share of one address.
final class Admission: Sendable {
  enum Decision {
    case admitted
    /// The limit in all: 503.
    case full
    /// The limit for one address: 429.
    case tooMany
  }

  private let limit: Int
  private let exemptsLoopback: Bool
  private let total = Atomic<Int>(0)
  private let perAddress: Mutex<Shares<SocketAddress>>

  /// - Parameter exemptsLoopback: whoever is on this machine has no share of its own: a proxy or a test stands there for
  ///   many, and an attacker has other ways.
  init(limit: Int, perAddress: Int, exemptsLoopback: Bool) {
    self.limit = limit
    self.perAddress = Mutex(Shares(limit: perAddress))
    self.exemptsLoopback = exemptsLoopback
  }

  /// Counts one more from `client`, if it may come in. `leave` with the same must follow if it was admitted.
  func enter(_ client: Client) -> Decision {
    guard total.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
      total.wrappingSubtract(1, ordering: .relaxed)
      return .full
    }
    guard hasShare(client) else { return .admitted }
    let isAdmitted = perAddress.withLock { $0.take(client.address.network) }
    if !isAdmitted { total.wrappingSubtract(1, ordering: .relaxed) }
    return isAdmitted ? .admitted : .tooMany
  }

  func leave(_ client: Client) {
    total.wrappingSubtract(1, ordering: .relaxed)
    guard hasShare(client) else { return }
    perAddress.withLock { $0.giveBack(client.address.network) }
  }

  private func hasShare(_ client: Client) -> Bool {
    switch client.kind {
    case .proxy: false
    case .local: !exemptsLoopback
    case .remote: true
    }
  }
}
