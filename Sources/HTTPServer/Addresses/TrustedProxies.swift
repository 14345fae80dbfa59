/// Whom a request is from, as the proxies on its way have it.
enum ForwardedClient: Equatable {
  /// Nobody else is named: whoever has the connection.
  case peer
  case named(SocketAddress)
  /// Somebody whom the fields don't name: they disagree, can't be read, or hide it.
  case unknown
}

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
  /// that node is no address, or a field names nobody at all, the client is unknown.
  ///
  /// A proxy knows one of the two fields and hands on what a client wrote into the other, so that where they disagree
  /// neither is believed. O(bytes of the fields).
  func client(of head: RequestHead, peer: SocketAddress) -> ForwardedClient {
    guard contains(peer) else { return .peer }
    let elements = head.indices(of: HeaderName.forwarded.folded)
    let lists = head.indices(of: HeaderName.xForwardedFor.folded)
    var (forwarded, list) = (ForwardedNodes(), ForwardedNodes())
    for index in elements { forwarded.append(forwarded: head.valueBytes(at: index)) }
    for index in lists { list.append(list: head.valueBytes(at: index)) }
    switch (elements.isEmpty, lists.isEmpty) {
    case (true, true): return .peer
    case (true, false): return client(list)
    case (false, true): return client(forwarded)
    case (false, false):
      let client = client(list)
      return self.client(forwarded) == client ? client : .unknown
    }
  }

  private func client(_ nodes: ForwardedNodes) -> ForwardedClient {
    var client: SocketAddress?
    for node in nodes.nodes.reversed() {
      if let proxy = client, !contains(proxy) { break }
      guard let node else { return .unknown }
      client = node
    }
    return client.map { .named($0) } ?? .unknown
  }
}
