import Synchronization

/// Counts connections and waiters of all loops against the limits.
final class Admission: Sendable {
  enum Decision {
    case admitted
    /// The limit in all: 503.
    case full
    /// The limit for one address: 429.
    case tooMany
  }

  private let limit: Int
  private let limitPerAddress: Int?
  private let total = Atomic<Int>(0)
  private let perAddress = Mutex<[SocketAddress: Int]>([:])

  init(limit: Int, perAddress: Int?) {
    self.limit = limit
    limitPerAddress = perAddress
  }

  /// Counts one more from `peer`, if it may come in. `leave` must follow if it was admitted.
  func enter(_ peer: SocketAddress) -> Decision {
    guard total.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
      total.wrappingSubtract(1, ordering: .relaxed)
      return .full
    }
    guard let limitPerAddress else { return .admitted }
    let isAdmitted = perAddress.withLock { counts in
      let count = counts[peer.client] ?? 0
      guard count < limitPerAddress else { return false }
      counts[peer.client] = count + 1
      return true
    }
    if !isAdmitted { total.wrappingSubtract(1, ordering: .relaxed) }
    return isAdmitted ? .admitted : .tooMany
  }

  func leave(_ peer: SocketAddress) {
    total.wrappingSubtract(1, ordering: .relaxed)
    guard limitPerAddress != nil else { return }
    perAddress.withLock { counts in
      let count = counts[peer.client] ?? 0
      counts[peer.client] = count > 1 ? count - 1 : nil
    }
  }
}
