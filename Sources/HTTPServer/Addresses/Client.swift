/// The client to whom a connection's requests are counted.
struct Client: Equatable {
  enum Kind: UInt8 {
    case remote
    /// On this machine, and not by way of a proxy.
    case local
    /// A trusted proxy itself, which speaks for many.
    case proxy
  }

  let address: SocketAddress
  let kind: Kind
}
