internal import Synchronization

/// The client that has asked for something to be made later: in turns with other clients' requests, and not at all once
/// nobody is there to take it.
public struct Asker: Sendable {
  /// The same for all that one client asks: told by its address, of IPv6 by its network.
  public let share: UInt64
  private let presence: Presence
  private let exchange: UInt32

  init(_ connection: Connection) {
    let network = connection.client.address.network
    (share, presence) = (network.high &* 0x9e37_79b9_7f4a_7c15 ^ network.low, connection.presence)
    exchange = connection.exchange
  }

  /// False where the client has gone, or has its answer. From any queue; an answer for nobody does no harm, so that a moment
  /// too late is soon enough.
  public var isThere: Bool { presence.isIn(exchange) }
}

/// The exchange that a connection is in, for those who are not on its loop.
final class Presence: Sendable {
  /// 0 when it is closed.
  private let exchange = Atomic<UInt32>(0)

  func begin(_ exchange: UInt32) { self.exchange.store(exchange, ordering: .relaxed) }
  func end() { exchange.store(0, ordering: .relaxed) }
  func isIn(_ exchange: UInt32) -> Bool { self.exchange.load(ordering: .relaxed) == exchange }
}
