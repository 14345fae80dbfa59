import TestSupport
import Testing

@testable import HTTPServer

/// Which names a request may be for: what keeps a web page whose name resolves to this machine (DNS rebinding) out.
@Suite struct HostTests {
  private static let loopback = SocketAddress(ipv4: 0x7f00_0001, port: 80)
  private static let open = SocketAddress(ipv4: 0, port: 80)

  @Test(arguments: [
    ("localhost", true), ("localhost:8080", true), ("LocalHost", true), ("localhost.", true), ("localhost.:80", true),
    ("127.0.0.1", true), ("127.0.0.1:8080", true), ("[::1]", true), ("[::1]:80", true), ("[2001:db8::1]", true),
    ("192.168.0.7", true), ("", true), ("tables.example.com", true), ("TABLES.example.com:443", true),
    ("tables.example.com.", true), ("other.example.com", false), ("evil.tables.example.com", false),
    ("tables.example.com.evil.example", false), ("a.localhost", false), ("localhost.evil.example", false),
    ("127.0.0.1.evil.example", false), ("127.1", false), ("2130706433", false), ("0x7f000001", false), (".", false),
    ("127.0.0.256", false), ("local%68ost", false), ("localhost..", false),
  ])
  func names(authority: String, isAdmitted: Bool) throws {
    #expect(Authority.isValid(Array(authority.utf8)[...]))
    for address in [HostTests.loopback, HostTests.open] {
      let policy = try #require(HostPolicy(hosts: ["Tables.Example.com."], listeningOn: address))
      #expect(policy.admits(Array(authority.utf8)[...]) == isAdmitted)
    }
  }

  @Test func whoListensForAllAndNamesNobodyAsksNobody() {
    #expect(HostPolicy(hosts: [], listeningOn: HostTests.open) == nil)
    #expect(HostPolicy(hosts: [], listeningOn: SocketAddress(host: "::", port: 1)) == nil)
    #expect(HostPolicy(hosts: [], listeningOn: SocketAddress(host: "::1", port: 1)) != nil)
    #expect(HostPolicy(hosts: [], listeningOn: SocketAddress(host: "127.8.0.1", port: 1)) != nil)
  }

  @Test(arguments: [
    ("GET /healthz HTTP/1.1\r\nHost: localhost:1\r\n", "200"),
    ("GET /healthz HTTP/1.1\r\nHost: app.example\r\n", "200"),
    ("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n", "421"),
    ("GET /healthz HTTP/1.1\r\nHost: \r\n", "200"),
    ("GET /healthz HTTP/1.0\r\n", "200"),
    ("GET /healthz HTTP/1.0\r\nHost: evil.example\r\n", "421"),
    ("POST /echo HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n", "421"),
    ("OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n", "421"),
    // RFC 9112 section 3.2.2: the authority in the target counts, whatever Host says.
    ("GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\n", "200"),
    ("GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n", "421"),
  ])
  func overSockets(head: String, code: String) throws {
    let service = try TestService { $0.hosts = ["app.example"] }
    let client = TestClient(port: service.port)
    client.send(head + "\r\n")
    let outcome = client.receive()
    #expect(outcome.code == code)
    guard code == "421" else { return }
    #expect(outcome.response?.headers["content-type"] == "application/problem+json")
    // What the page would gain by reading it is nothing, and the next request of the connection is judged by itself.
    guard head.contains("HTTP/1.1") else { return }
    client.send(CaseTests.health)
    #expect(client.receive().code == "200")
  }
}
