import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Long polls, late answers and streams, over real sockets.
@Suite struct WaitingTests {
  private static func get(_ target: String, _ headers: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n"
  }

  @Test func aWakeAnswersAllWhoWaitForTheTopicAndNobodyElse() throws {
    let service = try TestService()
    let clients = (0..<40).map { _ in TestClient(port: service.port) }
    let other = TestClient(port: service.port)
    for client in clients { client.send(Self.get("/wait?topic=1&topic=2")) }
    other.send(Self.get("/wait?topic=3"))
    #expect(TestService.eventually { service.statistics.waiters == 41 })
    service.publish(2)
    for client in clients { #expect(client.receive().code == "200") }
    #expect(service.statistics.waiters == 1)
    #expect(other.receive(seconds: 0.05) == .timeout)
    service.publish(3)
    #expect(other.receive().response?.text == "1")
    #expect(service.statistics.woken == 41)
    // The connections are usable again.
    for client in clients.prefix(3) {
      client.send(CaseTests.health)
      #expect(client.receive().code == "200")
    }
  }

  /// A loop in which nobody waits is not woken: one that is about to wait must not be taken for that.
  @Test func noWakeIsLostWhileARequestIsAboutToWait() throws {
    let service = try TestService { $0.loops = 1 }
    let client = TestClient(port: service.port)
    for version in 1...3 {
      client.send(Self.get("/wait?topic=1&after=\(version - 1)&meanwhile=1"))
      #expect(client.receive().response?.text == "\(version)")
    }
  }

  @Test func whoSharesAWaiterIsAnsweredAlikeAndNobodyElse() throws {
    let service = try TestService { $0.loops = 1 }
    // In runs and in turn; more than are answered in one turn of the loop.
    let names = (0..<150).map { _ in "a" } + (0..<40).map { $0 % 2 == 0 ? "a" : "b" }
    let clients = names.map { _ in TestClient(port: service.port) }
    for (client, name) in zip(clients, names) { client.send(Self.get("/wait?topic=1&shared=\(name)")) }
    #expect(TestService.eventually { service.statistics.waiters == clients.count })
    clients[0].close()
    #expect(TestService.eventually { service.recorded.abandoned == 1 })
    service.publish(1)
    for (client, name) in zip(clients, names).dropFirst() { #expect(client.receive().response?.text == name) }
    #expect(service.recorded.woken + service.recorded.answeredAlike == clients.count - 1)
    #expect(service.recorded.answeredAlike > 140)
    #expect(service.statistics.waiters == 0)
  }

  @Test func timeOutsAreTheWaitersAndNotTheConnections() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/wait?topic=1&ms=50"))
    #expect(client.receive().response?.text == "timed out")
    client.send(CaseTests.health)
    #expect(client.receive().code == "200")
    #expect(service.statistics.timedOut == 1)
  }

  /// A poll that is to wait until its token ends, say, must not end before that.
  @Test func aWaitBeginsWhenTheHandlerIsDone() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/wait?topic=1&ms=50&work=100"))
    #expect(client.receive().response?.text == "timed out")
    // Deadlines are whole milliseconds.
    #expect(service.recorded.waitEnded >= service.recorded.waitBegun + 49_000_000)
  }

  @Test func aWaiterWhoseTimeIsOverMayWaitForSomethingElse() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/wait?topic=1&ms=20&then=20"))
    #expect(client.receive().response?.text == "timed out")
    client.send(Self.get("/wait?topic=1&ms=20&then=20000"))
    #expect(TestService.eventually { service.recorded.timedOut == 3 && service.statistics.waiters == 1 })
    service.publish(1)
    #expect(client.receive().response?.text == "1")
    // Not for ever: whoever doesn't say how long is answered.
    client.send(Self.get("/wait?topic=1&ms=20&then=none"))
    #expect(client.receive().code == "503")
    client.send(CaseTests.health)
    #expect(client.receive().code == "200" && service.statistics.waiters == 0)
    // Where the server ends its time is over at once.
    client.send(Self.get("/wait?topic=1&then=20000"))
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    let end = service.drain(deadline: .seconds(20))
    #expect(client.receive().response?.text == "timed out")
    end.wait()
  }

  /// A handler that has to ask somebody first may find that there is nothing to answer yet.
  @Test func aLateReplyMayBeToWaitOrAStream() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    for version in 1...20 {
      // What changed before the request was registered is not lost.
      client.send(Self.get("/elsewhere?topic=1&after=\(version - 1)"))
      #expect(client.receive().response?.text == "\(version)")
    }
    client.send(Self.get("/elsewhere?topic=2&after=0"))
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    service.publish(2)
    #expect(client.receive().response?.text == "1")
    client.send(Self.get("/elsewhere?stream=1"))
    #expect(client.receiveHead().response?.headers["transfer-encoding"] == "chunked")
    #expect(client.receiveChunk() == Array("open".utf8))
    client.close()
    #expect(TestService.eventually { service.recorded.streamsClosed == 1 })
    // Whoever is gone by then leaves nobody waiting.
    let isLeft = { service.recorded.abandoned >= 1 && service.recorded.streamsClosed >= 2 }
    // A reset may overtake the request itself, which is then never read.
    for _ in 0..<5 where !isLeft() {
      for target in ["/elsewhere?topic=2&after=1", "/elsewhere?stream=1"] {
        let hasty = TestClient(port: service.port)
        hasty.send(Self.get(target))
        hasty.reset()
      }
      _ = TestService.eventually(isLeft)
    }
    #expect(isLeft())
    #expect(TestService.eventually { service.statistics.waiters == 0 })
  }

  @Test func aWaiterMayAnswerLater() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/wait?topic=1&later=1"))
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    service.publish(1)
    #expect(client.receive().response?.text == "1")
    client.send(Self.get("/wait?topic=2&later=1&ms=50"))
    #expect(client.receive().response?.text == "timed out")
  }

  @Test func aWaiterMayGoOnWaiting() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/wait?topic=1&needed=2"))
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    service.publish(1)
    #expect(client.receive(seconds: 0.05) == .timeout)
    service.publish(1)
    #expect(client.receive().response?.text == "2")
  }

  @Test func noPublicationIsLostBetweenComparingAndWaiting() throws {
    let service = try TestService()
    // Each client follows the version from another thread's publications: a lost one would hang it.
    let publisher = Thread {
      for _ in 0..<300 {
        service.publish(7)
        sched_yield()
      }
    }
    publisher.start()
    let client = TestClient(port: service.port)
    var version = 0
    while version < 300 {
      client.send(Self.get("/wait?topic=7&after=\(version)"))
      let text = client.receive().response?.text
      let next = try #require(text.flatMap { Int($0) })
      #expect(next > version)
      version = next
    }
  }

  @Test(arguments: [true, false])
  func aClientThatGoesIsNoticedAtOnce(byReset: Bool) throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/wait?topic=1"))
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    if byReset { client.reset() } else { client.close() }
    #expect(TestService.eventually { service.statistics.connections == 0 })
    #expect(service.recorded.abandoned == 1)
    #expect(service.statistics.waiters == 0)
    service.publish(1)
  }

  @Test(arguments: ["", "later"])
  func aClientThatShutsItsSideAtOnceDoesNotWait(before: String) throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send((before.isEmpty ? "" : Self.get("/later")) + Self.get("/wait?topic=1"))
    client.shutWriting()
    if !before.isEmpty { #expect(client.receive().response?.text == "late") }
    #expect(client.receive() == .closed)
    #expect(TestService.eventually { service.statistics.connections == 0 && service.statistics.waiters == 0 })
  }

  /// The handler has to wait before it can answer: whether the client shuts its side before that or meanwhile.
  @Test(arguments: [true, false])
  func aClientThatHasNotAskedToWaitIsAnsweredBehindItsEnd(atOnce: Bool) throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send((atOnce ? Self.get("/later") : "") + Self.get("/wait?topic=1&own=1") + CaseTests.health)
    if atOnce {
      client.shutWriting()
      #expect(client.receive().response?.text == "late")
    }
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    if !atOnce { client.shutWriting() }
    #expect(client.receive(seconds: 0.05) == .timeout)
    service.publish(1)
    #expect(client.receive().response?.text == "1")
    #expect(client.receive().response?.text == "ok\n")
    #expect(client.receive() == .closed)
    #expect(TestService.eventually { service.statistics.connections == 0 && service.statistics.waiters == 0 })
  }

  /// A script that sends all it has and shuts its side reads all the answers.
  @Test func whatWasSentBeforeTheEndIsAnswered() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/later") + CaseTests.health + Self.get("/later") + Self.get("/v1/tables"))
    client.shutWriting()
    for _ in 1...4 { #expect(client.receive().response?.status == 200) }
    #expect(client.receive() == .closed)
    #expect(TestService.eventually { service.statistics.connections == 0 })
  }

  @Test func requestsBehindAWaitingOneAreAnsweredAfterIt() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/wait?topic=1") + CaseTests.health + Self.get("/v1/tables"))
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    client.send(CaseTests.health)
    service.publish(1)
    #expect(client.receive().response?.text == "1")
    #expect(client.receive().response?.text == "ok\n")
    #expect(client.receive().response?.body.count == 3000)
    #expect(client.receive().response?.text == "ok\n")
  }

  @Test func lateAnswersKeepTheirPlace() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/later") + CaseTests.health + Self.get("/later"))
    #expect(client.receive().response?.text == "late")
    #expect(client.receive().response?.text == "ok\n")
    #expect(client.receive().response?.text == "late")
  }

  @Test func aStreamSendsChunksUntilItEnds() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send(Self.get("/stream"))
    #expect(client.receiveHead().response?.headers["transfer-encoding"] == "chunked")
    #expect(client.receiveChunk() == Array("open".utf8))
    for version in 1...3 {
      service.publish(9)
      #expect(client.receiveChunk() == Array("\(version)".utf8))
    }
    #expect(client.receiveChunk() == [])
    #expect(TestService.eventually { service.recorded.streamsClosed == 1 })
    client.send(CaseTests.health)
    #expect(client.receive().code == "200")
  }

  @Test func anHTTP10StreamEndsWithItsConnection() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(TestService.eventually { service.statistics.streams == 1 })
    for _ in 1...3 { service.publish(9) }
    let response = try #require(client.receive().response)
    #expect(response.headers["transfer-encoding"] == nil)
    #expect(response.headers["connection"] == "close")
    #expect(response.text.hasPrefix("open"))
  }

  @Test func silenceBringsAHeartbeat() throws {
    let service = try TestService { $0.timeouts.heartbeat = .milliseconds(40) }
    let client = TestClient(port: service.port)
    client.send(Self.get("/stream"))
    _ = client.receiveHead()
    #expect(client.receiveChunk() == Array("open".utf8))
    #expect(client.receiveChunk() == Array("heartbeat".utf8))
    #expect(client.receiveChunk() == Array("heartbeat".utf8))
  }

  @Test func aStreamReaderThatIsSentMoreThanItTakesIsCutOff() throws {
    let service = try TestService { $0.limits.streamBacklog = 200_000 }
    let client = TestClient(port: service.port)
    client.send(Self.get("/stream?fill=100000"))
    #expect(TestService.eventually { service.statistics.streams == 1 })
    for _ in 0..<400 where service.statistics.slowReaders == 0 {
      service.publish(9)
      // The third version would end it.
      if service.version(9) == 2 { service.publish(8) }
      usleep(1000)
    }
    #expect(TestService.eventually { service.recorded.streamsClosed == 1 })
  }
}
