import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// What waits in connections to be taken: how much of it there may be, and who is given up where there is more.
@Suite struct OutputTests {
  private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

  @Test func whatSeveralWaitForCountsOnce() {
    let budget = OutputBudget(comfortable: 100, limit: 200)
    let (one, other) = ([UInt8](repeating: 1, count: 60), [UInt8](repeating: 1, count: 50))
    var held = [budget.hold(one), budget.hold(other), budget.hold(one)]
    #expect(budget.total == 110)
    held.removeFirst()
    #expect(budget.total == 110)
    held.removeLast()
    #expect(budget.total == 50)
    held.removeAll()
    #expect(budget.total == 0)
  }

  @Test func whatIsTakenCountsNoMore() {
    let budget = OutputBudget(comfortable: 100, limit: 200)
    var queue = OutputQueue()
    queue.append([UInt8](repeating: 1, count: 60))
    queue.hold(in: budget)
    queue.append([UInt8](repeating: 2, count: 30), from: 10)
    #expect(budget.total == 60 && queue.count == 80)
    // What is left out is held as well.
    queue.hold(in: budget)
    #expect(budget.total == 90 && queue.size == 90)
    queue.advance(59)
    #expect(budget.total == 90)
    queue.advance(1)
    #expect(budget.total == 30 && queue.size == 30)
    queue = OutputQueue()
    #expect(budget.total == 0)
  }

  /// Each asks for something of its own and takes nothing of it.
  @Test func whoTakesNothingIsGivenUpForOthers() throws {
    let service = try TestService { configuration in
      configuration.loops = 1
      configuration.limits.waitingOutput = 2 * TestService.huge
      configuration.limits.mostWaitingOutput = 3 * TestService.huge
    }
    let clients = (0..<8).map { _ in TestClient(port: service.port) }
    for (index, client) in clients.enumerated() {
      client.send(Self.get("/huge"))
      #expect(TestService.eventually { service.statistics.requests == index + 1 })
    }
    // Three may wait at most, and two where a machine was so slow that a second has gone by.
    #expect(TestService.eventually { service.statistics.slowReaders >= 5 })
    // The last one is there, and gets all; another one, too.
    #expect(clients[7].receive().response?.body.count == TestService.huge)
    let reader = TestClient(port: service.port)
    reader.send(Self.get("/huge"))
    #expect(reader.receive().response?.body.count == TestService.huge)
  }

  /// Also where nothing more comes for which room would be made.
  @Test func whoTakesNothingIsGivenUpInTime() throws {
    let service = try TestService { configuration in
      configuration.limits.waitingOutput = TestService.huge
      configuration.limits.mostWaitingOutput = 20 * TestService.huge
    }
    let clients = (0..<4).map { _ in TestClient(port: service.port) }
    for client in clients { client.send(Self.get("/huge")) }
    #expect(TestService.eventually { service.statistics.slowReaders >= 3 })
    withExtendedLifetime(clients) {}
  }

  /// However many take one response, it is there once.
  @Test func whatAllWaitForGivesNobodyUp() throws {
    let service = try TestService { configuration in
      configuration.limits.waitingOutput = TestService.huge
      configuration.limits.mostWaitingOutput = TestService.huge
    }
    let clients = (0..<12).map { _ in TestClient(port: service.port) }
    for client in clients { client.send(Self.get("/large")) }
    #expect(TestService.eventually { service.statistics.requests == clients.count })
    for client in clients { #expect(client.receive().response?.body.count == 3_000_000) }
    #expect(service.statistics.slowReaders == 0)
  }

  /// Of bodies that differ, the part that they share is there once.
  @Test func whatBodiesHaveInCommonGivesNobodyUp() throws {
    let service = try TestService { configuration in
      configuration.limits.waitingOutput = 4_000_000
      configuration.limits.mostWaitingOutput = 4_000_000
    }
    let clients = (10..<22).map { (number: $0, client: TestClient(port: service.port)) }
    for (number, client) in clients { client.send(Self.get("/pieces?own=\(number)")) }
    #expect(TestService.eventually { service.statistics.requests == clients.count })
    for (number, client) in clients {
      let body = client.receive().response?.body ?? []
      #expect(body.count == 3_000_003 && body.starts(with: Array("\(number)".utf8)))
    }
    #expect(service.statistics.slowReaders == 0)
  }

  @Test(arguments: ["", "Accept-Encoding: gzip\r\n", "Connection: close\r\n"])
  func aBodyOfSeveralPiecesIsOne(field: String) throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    let rest = "/pieces?own=abc HTTP/1.1\r\nHost: localhost\r\n\(field)"
    let whole: [UInt8] = Array("abc".utf8) + Array(TestService.common.dropFirst()) + Array("abc".utf8)
    let isCoded = field.hasPrefix("Accept")
    if !field.hasPrefix("Connection") {
      client.send("HEAD \(rest)\r\n")
      let head = try #require(client.receive(isHead: true).response)
      #expect(isCoded || head.headers["content-length"] == String(whole.count))
      #expect(head.headers["etag"] == (isCoded ? "\"pieces-gzip\"" : "\"pieces\""))
      let tag = head.headers["etag"] ?? ""
      client.send("GET \(rest)If-None-Match: \(tag)\r\n\r\n")
      #expect(client.receive().response?.status == 304)
      // Two behind each other.
      client.send("GET \(rest)\r\n")
    }
    client.send("GET \(rest)\r\n")
    for _ in 0..<(field.hasPrefix("Connection") ? 1 : 2) {
      let response = try #require(client.receive().response)
      let isWhole = try response.content == whole
      #expect(response.status == 200 && isWhole)
      #expect(response.headers["content-encoding"] == (isCoded ? "gzip" : nil))
    }
    if field.hasPrefix("Connection") { #expect(client.receive() == .closed) }
  }

  /// What is larger than all that may wait is still given to who asks for it.
  @Test func aResponseOfAnySizeArrives() throws {
    let service = try TestService { configuration in
      configuration.limits.waitingOutput = 1000
      configuration.limits.mostWaitingOutput = 1000
    }
    let client = TestClient(port: service.port)
    client.send(Self.get("/huge"))
    #expect(client.receive().response?.body.count == TestService.huge)
  }

  @Test func theLoopThatHoldsTheMostHasTooMuch() {
    let budget = OutputBudget(comfortable: 100, limit: 100)
    let common = [UInt8](repeating: 1, count: 60)
    var held = [budget.hold(common, on: 0), budget.hold(common, on: 1)]
    #expect(budget.total == 60 && !budget.isTooMuch(on: 0))
    held.append(budget.hold([UInt8](repeating: 2, count: 50), on: 1))
    #expect(budget.total == 110 && budget.isTooMuch(on: 1) && !budget.isTooMuch(on: 0))
    held.removeAll()
    #expect(budget.total == 0 && !budget.isTooMuch(on: 1))
  }

  /// A client of another loop holds nearly all that may wait.
  @Test func nobodyIsGivenUpForWhatWaitsOnAnotherLoop() throws {
    var configuration = Configuration()
    configuration.limits.waitingOutput = 8_000_000
    configuration.limits.mostWaitingOutput = 8_000_000
    let greedy = try TestLoop(configuration)
    let honest = try TestLoop(beside: greedy)
    for (test, count) in [(greedy, 7_900_000), (honest, 2_000_000)] {
      test.beginRequest()
      test.loop.respond(test.connection, Response(status: .ok, body: [UInt8](repeating: 0x78, count: count)))
      test.loop.flush(test.connection)
    }
    // It was asked to make room, and runs for that.
    greedy.loop.queue.sync {}
    #expect(greedy.connection.machine.phase == .closed)
    #expect(greedy.loop.counters.slowReaders.load(ordering: .relaxed) == 1)
    #expect(honest.connection.machine.hasOutput && honest.connection.machine.phase != .closed)
    #expect((2_000_000...8_000_000).contains(honest.loop.shared.output.total))
  }

  /// A client that takes nothing has asked for something behind that, which is made later.
  @Test func aResponseBehindOneThatWaitsCounts() throws {
    let test = try TestLoop()
    let output = test.loop.shared.output
    for count in 1...2 {
      test.beginRequest()
      test.loop.respond(test.connection, Response(status: .ok, body: [UInt8](repeating: 0x78, count: 4_000_000)))
      test.loop.flush(test.connection)
      #expect(output.total >= count * 4_000_000)
    }
    test.loop.close(test.connection)
    #expect(output.total == 0)
  }

  // MARK: Early refusals

  @Test(arguments: [
    "Content-Length: 900000", "Transfer-Encoding: chunked", "Content-Length: 1\r\nExpect: 100-continue",
  ])
  func whatCannotBeAllowedIsNotWaitedFor(field: String) throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    client.send("POST /closed HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
    if field.hasPrefix("Transfer") { client.send("8000\r\n" + String(repeating: "x", count: 0x8000)) }
    let response = try #require(client.receive().response)
    #expect(response.status == 403 && response.headers["connection"] == "close")
    #expect(client.receive() == .closed)
    #expect(service.statistics.refusedRequests == 1)
  }

  /// Finding out whose a request is may take long.
  @Test func aHeadIsJudgedOnceHoweverItsBodyComes() throws {
    let service = try TestService()
    let client = TestClient(port: service.port)
    for number in 1...2 {
      client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n")
      for _ in 0..<200 {
        let before = service.statistics.bytesRead
        client.send(String(repeating: "x", count: 100))
        #expect(TestService.eventually { service.statistics.bytesRead >= before + 100 })
      }
      #expect(client.receive().response?.body.count == 20_000)
      #expect(service.recorded.headsJudged == number)
    }
  }
}
