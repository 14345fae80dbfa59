import Synchronization

/// How much there may be of requests that are not answered: heads and bodies that clients leave lying half way, and bodies whose answer
/// takes its time.
///
/// What is small counts for nothing, so that most requests cost nothing here.
final class InputBudget: Sendable {
  private let limit: Int
  private let share: Int
  /// The share of an address of this machine that is exempt from the other one, in what has not come to its end.
  private let neighboursShare: Int
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
  ///   - exemptsLoopback: an address of this machine may have half of it in what has not come to its end, and no share of what
  ///     has: a proxy stands there for many, but sends on what it has got.
  init(limit: Int, largest: Int, exemptsLoopback: Bool) {
    (self.limit, share, neighboursShare) = (max(limit, largest), max(limit / 4, largest), max(limit / 2, largest))
    self.exemptsLoopback = exemptsLoopback
  }

  /// Bytes that are held now.
  var total: Int { state.withLock { $0.total } }

  /// Counts what has come of a request, in place of what had come of it before, for as long as the result lives. O(1).
  ///
  /// - Parameters:
  ///   - weight: of each byte behind the first ``countedFrom``.
  ///   - isUnfinished: the request has not come to its end.
  /// - Throws: where there is no room for it.
  func hold(
    _ bytes: Int,
    weighing weight: Int = 1,
    isUnfinished: Bool = false,
    of client: Client,
    insteadOf before: HeldInput?
  ) throws(Refusal) -> HeldInput? {
    guard bytes >= InputBudget.countedFrom else { return nil }
    let bytes = weighed(bytes, weight)
    let bound = bound(of: client, isUnfinished: isUnfinished)
    let refusal: Refusal? = state.withLock { state in
      let earlier = before?.bytes ?? 0
      guard state.total - earlier + bytes <= limit else { return .noRoom }
      guard let (address, share) = bound else {
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
    return HeldInput(bytes, bound?.address, self)
  }

  /// The address that a client's bytes count for, and its share in bytes; nil: none.
  private func bound(of client: Client, isUnfinished: Bool) -> (address: SocketAddress, share: Int)? {
    let network = client.address.network
    switch client.kind {
    case .remote: return (network, share)
    case .local where !exemptsLoopback: return (network, share)
    case .local: return isUnfinished ? (network, neighboursShare) : nil
    case .proxy: return nil
    }
  }

  /// Counts what is made of a body from now on beside its bytes. O(1).
  ///
  /// - Parameter weight: as in ``hold(_:weighing:of:insteadOf:)``.
  /// - Throws: where there is no room for it. The bytes count as before then.
  fileprivate func weigh(_ held: HeldInput, _ weight: Int) throws(Refusal) {
    let more = weighed(held.bytes, weight) - held.bytes
    let refusal: Refusal? = state.withLock { state in
      // A request that was answered meanwhile is not counted again.
      guard more > 0, !held.hasEnded.load(ordering: .acquiring) else { return nil }
      guard state.total + more <= limit else { return .noRoom }
      if let address = held.address {
        let own = state.held[address, default: 0] + more
        guard own <= share else { return .shareIsUsedUp }
        state.held[address] = own
      }
      state.total += more
      held.more.add(more, ordering: .relaxed)
      return nil
    }
    if let refusal { throw refusal }
  }

  /// One request alone has room, whatever it weighs.
  private func weighed(_ bytes: Int, _ weight: Int) -> Int {
    let more = (bytes - InputBudget.countedFrom).multipliedReportingOverflow(by: max(weight - 1, 0))
    guard !more.overflow, more.partialValue < share else { return max(bytes, share) }
    return max(bytes, min(bytes + more.partialValue, share))
  }

  fileprivate func release(_ held: HeldInput) {
    state.withLock { state in
      let bytes = held.bytes + held.more.load(ordering: .relaxed)
      state.total -= bytes
      guard let address = held.address else { return }
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

/// The bytes of a request that is not answered, counted as long as this lives and has not ended.
final class HeldInput: Sendable {
  fileprivate let bytes: Int
  /// The memory of the values made of them, beside their own. It changes while the budget's lock is held.
  fileprivate let more = Atomic(0)
  fileprivate let address: SocketAddress?
  fileprivate let hasEnded = Atomic(false)
  private let budget: InputBudget

  fileprivate init(_ bytes: Int, _ address: SocketAddress?, _ budget: InputBudget) {
    (self.bytes, self.address, self.budget) = (bytes, address, budget)
  }

  /// Counts what is made of them, too. From any queue; once.
  ///
  /// - Parameter weight: of each byte behind the first ``InputBudget/countedFrom``.
  /// - Throws: where there is no room for it.
  func weigh(_ weight: Int) throws(Refusal) { try budget.weigh(self, weight) }

  /// They count no more. From any queue, and more than once.
  func end() {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    budget.release(self)
  }

  deinit { end() }
}
