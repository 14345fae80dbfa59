import TestSupport
import Testing

@testable import HTTPServer

/// Whom a request is from, when proxies say so.
@Suite struct ForwardedTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3/8", "10.9.9.9", true),
    ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("0.0.0.0/0", "8.8.8.8", true),
    ("0.0.0.0/0", "::1", false), ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.128/25", "192.0.2.128", true),
    ("2001:db8::/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false), ("::/0", "10.0.0.1", true),
    ("2001:db8::1", "2001:db8::1", true), ("2001:db8::8000:0:0:0/65", "2001:db8::1", false),
    ("::ffff:10.0.0.0/104", "10.3.4.5", true), ("fd00::/8", "fdff::1", true),
  ])
  func blocks(block: String, address: String, isInside: Bool) throws {
    let block = try #require(AddressBlock(block))
    #expect(try block.contains(#require(SocketAddress(host: address, port: 1))) == isInside)
  }

  @Test(arguments: [
    "", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "10/8", "::/129", "a", "10.0.0.1/8/8",
  ])
  func blocksThatAreNone(text: String) { #expect(AddressBlock(text) == nil) }

  @Test func blocksFromBytes() {
    #expect(AddressBlock(bytes: [10, 1, 2, 3], prefixLength: 8) == AddressBlock("10.0.0.0/8"))
    let bytes: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    #expect(AddressBlock(bytes: bytes, prefixLength: 32) == AddressBlock("2001:db8::/32"))
    #expect(AddressBlock(bytes: bytes, prefixLength: 128) == AddressBlock("2001:db8:100::1"))
    #expect(AddressBlock(bytes: [10, 1, 2], prefixLength: 8) == nil)
    #expect(AddressBlock(bytes: [10, 1, 2, 3], prefixLength: 33) == nil)
  }

  private static func hosts(_ nodes: ForwardedNodes) -> [String] { nodes.nodes.map { $0?.host ?? "?" } }

  /// RFC 7239 section 4 and 6, and what proxies write.
  @Test(arguments: [
    ("for=192.0.2.43", ["192.0.2.43"]),
    ("For=\"[2001:db8:cafe::17]:4711\"", ["2001:db8:cafe::17"]),
    ("for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60"]),
    ("for=192.0.2.43, for=198.51.100.17", ["192.0.2.43", "198.51.100.17"]),
    ("for=192.0.2.43,for=\"198.51.100.17:80\" ,, for=unknown", ["192.0.2.43", "198.51.100.17", "?"]),
    ("proto=https", ["?"]), ("for=_hidden, for=_SEVKISEK", ["?", "?"]), ("for=\"192.0.2.1:_port\"", ["192.0.2.1"]),
    ("for=192.0.2.1:80", ["192.0.2.1"]), ("for=[2001:db8::1]", ["2001:db8::1"]),
    ("by=\"a,b;for=c\";for=192.0.2.1", ["192.0.2.1"]),
    ("for=\"\\192.0.2.1\"", ["192.0.2.1"]), ("", []), (" , ", []), ("for=\"[192.0.2.1]\"", ["?"]),
    // Mistakes: nobody knows where the element would end.
    ("for=192.0.2.1 for=192.0.2.2", ["?"]), ("for=\"192.0.2.1, for=192.0.2.2", ["?"]), ("for=", ["?"]), ("for", ["?"]),
    ("=192.0.2.1", ["?"]), ("for=192.0.2.1;for=192.0.2.2", ["?"]), ("for=192.0.2.1;", ["?"]), ("for=\"a\\", ["?"]),
    ("192.0.2.1", ["?"]), ("for=192.0.2.1, proto", ["?"]),
  ])
  func forwarded(value: String, hosts: [String]) {
    var nodes = ForwardedNodes()
    nodes.append(forwarded: Array(value.utf8)[...])
    #expect(ForwardedTests.hosts(nodes) == hosts)
  }

  @Test(arguments: [
    ("192.0.2.1", ["192.0.2.1"]), ("192.0.2.1, 2001:db8::1", ["192.0.2.1", "2001:db8::1"]),
    ("192.0.2.1:80,[2001:db8::1]:80", ["192.0.2.1", "2001:db8::1"]), ("unknown, 192.0.2.1", ["?", "192.0.2.1"]),
    ("192.0.2.1.2", ["?"]), ("192.0.2.1:", ["?"]), (",,", []), ("::ffff:192.0.2.1", ["192.0.2.1"]),
  ])
  func lists(value: String, hosts: [String]) {
    var nodes = ForwardedNodes()
    nodes.append(list: Array(value.utf8)[...])
    #expect(ForwardedTests.hosts(nodes) == hosts)
  }

  @Test func onlyTheNearestOfVeryManyCount() {
    var nodes = ForwardedNodes()
    let list = (0..<200).map { "10.0.0.\($0)" }
    nodes.append(list: Array(list.joined(separator: ",").utf8)[...])
    #expect(ForwardedTests.hosts(nodes) == Array(list.suffix(ForwardedNodes.limit)))
  }

  /// The peer, the two fields (lines with bars between), and the client.
  @Test(
    arguments: [
      ("10.0.0.1", nil, "192.0.2.1", "192.0.2.1"),
      ("10.0.0.1", "for=192.0.2.1", nil, "192.0.2.1"),
      ("10.0.0.1", nil, nil, "10.0.0.1"),
      // What a client writes in front, or without a proxy, is its own word.
      ("192.0.2.9", "for=192.0.2.1", "192.0.2.1", "192.0.2.9"),
      ("10.0.0.1", nil, "198.51.100.1, 192.0.2.1", "192.0.2.1"),
      ("10.0.0.1", nil, "198.51.100.1, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
      ("10.0.0.1", nil, "198.51.100.1|192.0.2.1|10.0.0.2", "192.0.2.1"),
      ("10.0.0.1", nil, "10.0.0.3, 10.0.0.2", "10.0.0.3"),
      // Somebody whom the fields hide, or don't name.
      ("10.0.0.1", nil, "198.51.100.1, unknown, 10.0.0.2", nil),
      ("10.0.0.1", "for=\"192.0.2.1, for=10.0.0.2", nil, nil),
      ("10.0.0.1", "for=_hidden", nil, nil),
      ("10.0.0.1", nil, ", ,", nil),
      ("10.0.0.1", "", nil, nil),
      ("10.0.0.1", "", "192.0.2.1", nil),
      ("10.0.0.1", "for=\"mischief|for=192.0.2.1", nil, "192.0.2.1"),
      // A proxy knows one field and hands on what a client wrote into the other.
      ("10.0.0.1", "for=192.0.2.1", "192.0.2.1", "192.0.2.1"),
      ("10.0.0.1", "for=198.51.100.1", "192.0.2.1", nil),
      ("10.0.0.1", "proto=https", "192.0.2.1", nil),
      ("10.0.0.1", "for=x", "unknown", nil),
      ("fd00::1", nil, "2001:db8::1", "2001:db8::1"),
    ] as [(String, String?, String?, String?)]
  )
  func clients(peer: String, forwarded: String?, list: String?, client: String?) throws {
    let proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8"].compactMap { AddressBlock($0) })
    var headers: [HeaderField] = []
    for line in forwarded?.split(separator: "|", omittingEmptySubsequences: false) ?? [] {
      headers.append(HeaderField(.forwarded, String(line)))
    }
    for line in list?.split(separator: "|") ?? [] { headers.append(HeaderField(.xForwardedFor, String(line))) }
    let head = try Request(.get, "/", headers: headers).head
    let peer = try #require(SocketAddress(host: peer, port: 7))
    switch proxies.client(of: head, peer: peer) {
    case .peer: #expect(client == peer.host)
    case .named(let address): #expect(address.host == client)
    case .unknown: #expect(client == nil)
    }
    // The same fields from a stranger count for nothing.
    #expect(TrustedProxies([]).client(of: head, peer: peer) == .peer)
  }

  @Test func overSockets() throws {
    let service = try TestService { $0.trustedProxies = [AddressBlock("127.0.0.0/8")].compactMap { $0 } }
    let other = try TestService()
    for (service, host) in [(service, "192.0.2.7"), (other, "127.0.0.1")] {
      let client = TestClient(port: service.port)
      client.send("GET /client HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n")
      #expect(client.receive().response?.text == host)
      client.send("GET /client HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(client.receive().response?.text == "127.0.0.1")
    }
    let client = TestClient(port: service.port)
    let contradiction = "X-Forwarded-For: 192.0.2.7\r\nForwarded: for=192.0.2.8\r\n"
    client.send("GET /client HTTP/1.1\r\nHost: localhost\r\n\(contradiction)\r\n")
    #expect(client.receive().response?.text == "::")
  }
}
