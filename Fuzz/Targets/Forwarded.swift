// Forwarded, X-Forwarded-For, Host and blocks of addresses: whatever a client writes in front of what a trusted proxy
// adds, the client is the one that the proxy says.

func fuzzForwarded(_ input: [UInt8]) {
  guard input.count > 1 else { return }
  let bytes = input[1...]
  switch input[0] % 4 {
  case 0: checkNodes(bytes, ForwardedNodes.forwarded, behind: "for=192.0.2.1, for=10.0.0.2")
  case 1: checkNodes(bytes, ForwardedNodes.list, behind: "192.0.2.1, 10.0.0.2")
  case 2: checkHost(bytes)
  default: checkBlock(String(decoding: bytes, as: UTF8.self))
  }
}

extension ForwardedNodes {
  fileprivate static func forwarded(_ value: ArraySlice<UInt8>, _ nodes: inout ForwardedNodes) {
    nodes.append(forwarded: value)
  }
  fileprivate static func list(_ value: ArraySlice<UInt8>, _ nodes: inout ForwardedNodes) { nodes.append(list: value) }
}

private func checkNodes(
  _ bytes: ArraySlice<UInt8>,
  _ append: (ArraySlice<UInt8>, inout ForwardedNodes) -> Void,
  behind: String
) {
  var nodes = ForwardedNodes()
  append(bytes, &nodes)
  precondition(nodes.nodes.count <= ForwardedNodes.limit)
  // A line of its own, as proxies add it.
  append(Array(behind.utf8)[...], &nodes)
  precondition(nodes.nodes.suffix(2).map { $0?.host } == ["192.0.2.1", "10.0.0.2"])
}

private func checkHost(_ bytes: ArraySlice<UInt8>) {
  let address = SocketAddress(ipv4: 0x7f00_0001, port: 0)
  guard Authority.isValid(bytes), let policy = HostPolicy(hosts: ["app.example"], listeningOn: address),
    policy.admits(bytes)
  else { return }
  let text = String(decoding: bytes, as: UTF8.self).lowercased()
  let isLiteral = text.utf8.allSatisfy { ByteClass.hexadecimal($0) != nil || ".:[]".utf8.contains($0) }
  precondition(text.isEmpty || isLiteral || text.hasPrefix("localhost") || text.hasPrefix("app.example"))
}

private func checkBlock(_ text: String) {
  guard let block = AddressBlock(text) else { return }
  // What stands before the slash is in it.
  let address = text.prefix { $0 != "/" }
  precondition(SocketAddress(host: String(address), port: 0).map(block.contains) == true)
}
