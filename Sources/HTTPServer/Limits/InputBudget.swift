import Synchronization

/// How much there may be of requests that are not answered: heads and bodies that clients leave lying half way, and bodies whose answer
/// takes its time.
///
/// What is small counts for nothing, so that most requests cost nothing here.
final class InputBudget: Sendable {
  private let limit: Int
  private let share: Int
  private let exemptsLoopback: Bool
  private let state = Mutex(State())

  /// Fewer bytes of a request are not counted.
  static let countedFrom = 4096

  private struct State {
    var total = 0
    var held: [SocketAddress: Int] = [:]
  }

  /// - Parameters:
  ///   - limit: bytes in all; one client may have a quarter of it.
  ///   - largest: what one request may take: nobody's share is smaller.
  init(limit: Int, largest: Int, exemptsLoopback: Bool) {
    (self.limit, share, self.exemptsLoopback) = (max(limit, largest), max(limit / 4, largest), exemptsLoopback)
  }

  /// Bytes that are held now.
  var total: Int { state.withLock { $0.total } }

  /// Counts what has come of a request, in place of what had come of it before, for as long as the result lives. O(1).
  ///
  /// - Throws: where there is no room for it.
  func hold(_ bytes: Int, of client: Client, insteadOf before: HeldInput?) throws(Refusal) -> HeldInput? {
    guard bytes >= InputBudget.countedFrom else { return nil }
    let address = client.kind == .remote || client.kind == .local && !exemptsLoopback ? client.address.network : nil
    let refusal: Refusal? = state.withLock { state in
      let earlier = before?.bytes ?? 0
      guard state.total - earlier + bytes <= limit else { return .noRoom }
      guard let address else {
        state.total += bytes
        return nil
      }
      let own = state.held[address, default: 0]
      guard own - (before?.address == address ? earlier : 0) + bytes <= share else { return .shareIsUsedUp }
      state.total += bytes
      state.held[address] = own + bytes
      return nil
    }
    if let refusal { throw refusal }
    return HeldInput(bytes, address, self)
  }

  fileprivate func release(_ bytes: Int, of address: SocketAddress?) {
    state.withLock { state in
      state.total -= bytes
      guard let address else { return }
      let left = state.held[address, default: 0] - bytes
      state.held[address] = left > 0 ? left : nil
    }
  }
}

extension Refusal {
  fileprivate static let noRoom = Refusal(
    status: .serviceUnavailable,
    detail: "As many requests as there is room for are on their way here already. Send this one again a moment later.",
    isTemporary: true
  )

  fileprivate static let shareIsUsedUp = Refusal(
    status: .tooManyRequests,
    detail:
      "Too many requests from this address have begun and are not answered yet. Send this one again a moment later.",
    isTemporary: true
  )
}

/// The bytes of a request that is not answered, counted as long as this lives.
final class HeldInput: Sendable {
  let bytes: Int
  fileprivate let address: SocketAddress?
  private let budget: InputBudget

  fileprivate init(_ bytes: Int, _ address: SocketAddress?, _ budget: InputBudget) {
    (self.bytes, self.address, self.budget) = (bytes, address, budget)
  }

  deinit { budget.release(bytes, of: address) }
}
