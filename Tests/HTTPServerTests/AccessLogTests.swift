import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// The access log's words on requests that no handler sees.
@Suite struct AccessLogTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  private static func line(_ answered: AnsweredRequest) -> String {
    let asked = answered.request.map { "\($0.method.name) \($0.rawPath)\($0.body.isEmpty ? "" : " with a body")" }
    return "\(asked ?? "-") \(answered.status.code) \(answered.client.host)"
  }

  @Test func saysWhatWasAskedAndByWhom() throws {
    let lines = Lines()
    let service = try TestService { configuration in
      configuration.trustedProxies = [AddressBlock("127.0.0.1")].compactMap { $0 }
      configuration.hosts = ["table.example"]
      configuration.crossOrigin = .init(origins: .any)
      configuration.accessLog = { answered in lines.all.withLock { $0.append(AccessLogTests.line(answered)) } }
    }
    let origin = "Origin: https://page.example\r\nAccess-Control-Request-Method: GET\r\n"
    let requests = [
      ("GET /client", "", 200), ("OPTIONS /v1/tables", origin, 204), ("GET /a", "Host: other.example\r\n", 421),
      ("HEAD /b", "Expect: 200-ok\r\n", 417),
    ]
    let client = TestClient(port: service.port)
    for (number, (request, fields, status)) in requests.enumerated() {
      let host = fields.hasPrefix("Host") ? "" : "Host: localhost\r\n"
      client.send("\(request) HTTP/1.1\r\n\(host)\(fields)X-Forwarded-For: 192.0.2.\(number)\r\n\r\n")
      #expect(client.receive(isHead: request.hasPrefix("HEAD")).response?.status == status)
    }
    let other = TestClient(port: service.port)
    // Its body is not kept until it is answered.
    other.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.8\r\nContent-Length: 2\r\n\r\nhi")
    #expect(other.receive().response?.status == 200)
    // Nobody knows whom a head is from that can't be read.
    other.send("GET /client HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.9\r\n\r\n")
    #expect(other.receive().response?.status == 200)
    other.send("GET /\r\n\r\n")
    #expect(other.receive().response?.status == 400)
    let expected = [
      "GET /client 200 192.0.2.0", "OPTIONS /v1/tables 204 192.0.2.1", "GET /a 421 192.0.2.2", "HEAD /b 417 192.0.2.3",
      "POST /echo 200 192.0.2.8", "GET /client 200 192.0.2.9", "- 400 127.0.0.1",
    ]
    #expect(lines.all.withLock { $0 } == expected)
  }
}
