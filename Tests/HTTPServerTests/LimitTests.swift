import Dispatch
import TestSupport
import Testing

@testable import HTTPServer

/// What the server takes, and what it does at the end of that.
@Suite struct LimitTests {
  private static let wait = "GET /wait?topic=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test func connectionsInAll() throws {
    let service = try TestService { $0.limits.connections = 2 }
    let clients = (0..<2).map { _ in TestClient(port: service.port) }
    for client in clients {
      client.send(CaseTests.health)
      #expect(client.receive().code == "200")
    }
    let refused = TestClient(port: service.port)
    let response = try #require(refused.receive().response)
    #expect(response.status == 503)
    #expect(response.headers["retry-after"] == "5")
    #expect(refused.receive() == .closed)
    clients[0].close()
    #expect(TestService.eventually { service.statistics.connections == 1 })
    let next = TestClient(port: service.port)
    next.send(CaseTests.health)
    #expect(next.receive().code == "200")
  }

  @Test func connectionsPerAddress() throws {
    let service = try TestService { $0.limits.connectionsPerAddress = 1 }
    let first = TestClient(port: service.port)
    first.send(CaseTests.health)
    #expect(first.receive().code == "200")
    #expect(TestClient(port: service.port).receive().code == "429")
  }

  @Test(arguments: [(nil, "503"), (1, "429")] as [(Int?, String)])
  func waiters(perAddress: Int?, code: String) throws {
    let service = try TestService { configuration in
      configuration.limits.waiters = 1
      configuration.limits.waitersPerAddress = perAddress
      if perAddress != nil { configuration.limits.waiters = 10 }
    }
    let first = TestClient(port: service.port)
    first.send(Self.wait)
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    let second = TestClient(port: service.port)
    second.send(Self.wait)
    let response = try #require(second.receive().response)
    #expect("\(response.status)" == code)
    #expect(response.headers["retry-after"] != nil)
    // Where all places are taken, its connection is one for somebody else; else it stays.
    #expect(response.headers["connection"] == (perAddress == nil ? "close" : nil))
    // The place is free again when the first has gone.
    first.close()
    #expect(TestService.eventually { service.statistics.waiters == 0 })
    let third = perAddress == nil ? TestClient(port: service.port) : second
    third.send(Self.wait)
    #expect(TestService.eventually { service.statistics.waiters == 1 })
  }

  @Test func requestsPerConnection() throws {
    let service = try TestService { $0.limits.requestsPerConnection = 2 }
    let client = TestClient(port: service.port)
    client.send(CaseTests.health)
    #expect(client.receive().response?.headers["connection"] == nil)
    client.send(CaseTests.health)
    #expect(client.receive().response?.headers["connection"] == "close")
    #expect(client.receive() == .closed)
  }

  @Test(arguments: [
    ("target", "GET /\(String(repeating: "a", count: 40)) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    ("head", "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 600))\r\n\r\n", 431),
    ("fields", "GET / HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X: y\r\n", count: 5))\r\n", 431),
    ("length", "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n01234567890", 413),
    ("chunks", "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n5\r\n", 413),
    ("enough", "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n0123456789", 200),
  ])
  func sizes(name: String, text: String, status: Int) throws {
    let service = try TestService { configuration in
      configuration.limits.target = 32
      configuration.limits.head = 512
      configuration.limits.fields = 5
      configuration.limits.body = 10
    }
    let client = TestClient(port: service.port)
    client.send(text)
    #expect(client.receive().code == "\(status)")
  }

  @Test func aReaderThatTakesNothingIsCutOffAndHoldsNoCopy() throws {
    let service = try TestService { $0.timeouts.write = .milliseconds(150) }
    let client = TestClient(port: service.port)
    for _ in 0..<5 { client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n") }
    #expect(TestService.eventually { service.statistics.slowReaders == 1 && service.statistics.connections == 0 })
    // One response was begun; the others wait for it to be taken.
    #expect(service.statistics.requests < 5)
  }

  @Test func aSlowReaderThatReadsGetsAll() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    for _ in 0..<3 { client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n") }
    let text = TestService.text(3_000_000)
    for _ in 0..<3 {
      let isWhole = client.receive(seconds: 60).response?.body == text
      #expect(isWhole)
    }
  }

  @Test func drainingAnswersWhoWaitsAndClosesWhoIdles() throws {
    let service = try TestService()
    let waiting = TestClient(port: service.port)
    let idle = TestClient(port: service.port)
    let streaming = TestClient(port: service.port)
    let partial = TestClient(port: service.port)
    let stream = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let begin = "GET /healthz HTTP/1.1\r\nHo"
    let sent = [Self.wait, CaseTests.health, stream, begin].map(\.utf8.count).reduce(0, +)
    waiting.send(Self.wait)
    idle.send(CaseTests.health)
    #expect(idle.receive().code == "200")
    streaming.send(stream)
    #expect(streaming.receiveHead().code == "200")
    partial.send(begin)
    #expect(TestService.eventually { service.statistics.bytesRead == sent && service.statistics.waiters == 1 })
    let end = service.drain(deadline: .seconds(20))
    let response = try #require(waiting.receive().response)
    #expect(response.text == "timed out")
    #expect(response.headers["connection"] == "close")
    #expect(waiting.receive() == .closed)
    #expect(idle.receive() == .closed)
    #expect(streaming.receiveChunk() == Array("open".utf8))
    #expect(streaming.receiveChunk() == [])
    // What has begun is let to its end, and who comes meanwhile is answered once. Every loop drains by itself: one that
    // is at its end takes nobody any more.
    #expect(
      TestService.eventually {
        let late = TestClient(port: service.port)
        late.send(CaseTests.health)
        return late.receive().response?.headers["connection"] == "close" && late.receive() == .closed
      }
    )
    partial.send("st: localhost\r\n\r\n")
    #expect(partial.receive().response?.headers["connection"] == "close")
    #expect(end.wait(timeout: .now() + 60) == .success)
    #expect(!TestClient(port: service.port).isConnected)
    #expect(service.statistics.connections == 0)
  }

  /// A request that is on its way when the end begins, right behind the handshake, is answered.
  @Test func aDrainAnswersWhoHasJustConnected() throws {
    // This test may be held up for long between the handshake and the request.
    let service = try TestService { ($0.timeouts.head, $0.timeouts.farewell) = (.seconds(3_600), .seconds(3_600)) }
    let fresh = TestClient(port: service.port)
    #expect(TestService.eventually { service.statistics.connections == 1 })
    let end = service.drain(deadline: .seconds(3_600))
    fresh.send(CaseTests.health)
    // Perhaps before the loop has heard of the end.
    #expect(fresh.receive().code == "200" && fresh.receive() == .closed)
    #expect(end.wait(timeout: .now() + 60) == .success)
  }

  @Test func aDrainDoesNotWaitForWhoSaysNothing() throws {
    let service = try TestService()
    let silent = TestClient(port: service.port)
    #expect(TestService.eventually { service.statistics.connections == 1 })
    let end = service.drain(deadline: .seconds(3_600))
    #expect(silent.receive() == .closed)
    #expect(end.wait(timeout: .now() + 60) == .success)
  }

  @Test func aDrainEndsAtItsDeadlineWithAnAnswer() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(TestService.eventually { service.statistics.requests == 1 })
    let end = service.drain(deadline: .milliseconds(50))
    let outcome = client.receive()
    let response = try #require(outcome.response)
    #expect(outcome.code == "503" && response.headers["retry-after"] == "1")
    #expect(response.headers["connection"] == "close")
    #expect(client.receive() == .closed)
    #expect(end.wait(timeout: .now() + 60) == .success)
  }

  /// Clients that have connected before the end are not reset by it, however many.
  @Test func allConnectionsInTheBacklogAreAnsweredAtTheEnd() throws {
    let loopback = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let (listeners, bound) = try Listener.open(loopback, count: 1, backlog: 4096)
    let test = try TestLoop(listener: listeners[0])
    test.loop.isDraining = true
    let clients = (0..<200).map { _ in TestClient(port: bound.port) }
    for client in clients { #expect(client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")) }
    test.loop.reportIfEmpty()
    for client in clients { #expect(client.receive().response?.status == 204) }
  }

  @Test func aPortThatIsTakenIsAnError() throws {
    let service = try TestService()
    #expect(throws: ServerError.self) { try TestService { $0.port = service.port } }
    #expect(throws: ServerError.self) { try TestService { $0.host = "no address" } }
  }
}
