/// The proxies whose word on where a request comes from is taken.
struct TrustedProxies: Sendable {
  private let blocks: [AddressBlock]

  init(_ blocks: [AddressBlock]) { self.blocks = blocks }

  func contains(_ address: SocketAddress) -> Bool {
    for block in blocks where block.contains(address) { return true }
    return false
  }

  /// The client that a request came from, whose connection is `peer`'s: from the nearest node on as far back as each is a
  /// trusted proxy, the first that is none. What stands before that one is its own word, which anyone can make up. Where
  /// a trusted proxy doesn't say whom it had the request from, it is the proxy itself.
  ///
  /// A proxy knows one of the two fields and hands on what a client wrote into the other, so that where they disagree
  /// neither is believed.
  func client(of head: RequestHead, peer: SocketAddress) -> SocketAddress {
    guard contains(peer) else { return peer }
    var forwarded = ForwardedNodes()
    for index in head.indices(of: HeaderName.forwarded.folded) {
      forwarded.append(forwarded: head.valueBytes(at: index))
    }
    var list = ForwardedNodes()
    for index in head.indices(of: HeaderName.xForwardedFor.folded) { list.append(list: head.valueBytes(at: index)) }
    if list.nodes.isEmpty { return client(forwarded, peer) }
    let client = client(list, peer)
    return forwarded.nodes.isEmpty || self.client(forwarded, peer) == client ? client : peer
  }

  private func client(_ nodes: ForwardedNodes, _ peer: SocketAddress) -> SocketAddress {
    var client = peer
    for node in nodes.nodes.reversed() {
      guard contains(client), let node else { return client }
      client = node
    }
    return client
  }
}
