import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Requests that clients leave lying half way: how much of them there may be, and of whom.
@Suite struct InputTests {
  private static func begin(_ client: String, _ count: Int) -> String {
    """
    POST /echo HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(client)\r\nContent-Length: 300000\r\n\r\n\
    \(String(repeating: "x", count: count))
    """
  }

  private static func service(
    body: Int = 300_000,
    unfinished: Int = 400_000,
    _ more: (inout Configuration) -> Void = { _ in }
  ) throws -> TestService {
    try TestService { configuration in
      configuration.trustedProxies = [AddressBlock("127.0.0.1")].compactMap { $0 }
      configuration.limits.body = body
      configuration.limits.unfinishedInput = unfinished
      more(&configuration)
    }
  }

  @Test func bodiesThatDoNotComeToTheirEndHaveABound() throws {
    let service = try Self.service()
    let clients = (0..<5).map { _ in TestClient(port: service.port) }
    clients[0].send(Self.begin("192.0.2.1", 250_000))
    #expect(TestService.eventually { service.statistics.bytesRead > 250_000 })
    // What one request takes is anybody's share, and two are more.
    clients[1].send(Self.begin("192.0.2.1", 250_000))
    let refused = try #require(clients[1].receive().response)
    #expect(refused.status == 429 && refused.headers["retry-after"] == "5" && refused.headers["connection"] == "close")
    let before = service.statistics.bytesRead
    clients[2].send(Self.begin("192.0.2.2", 100_000))
    #expect(TestService.eventually { service.statistics.bytesRead > before + 100_000 })
    clients[3].send(Self.begin("192.0.2.3", 250_000))
    #expect(clients[3].receive().response?.status == 503)
    // A small one goes through all the same, and so does one that comes to its end.
    clients[4].send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi")
    #expect(clients[4].receive().response?.status == 200)
    clients[0].send(String(repeating: "x", count: 50_000))
    #expect(clients[0].receive().response?.body.count == 300_000)
    clients[4].send(Self.begin("192.0.2.3", 300_000))
    #expect(clients[4].receive().response?.body.count == 300_000)
  }

  /// Neighbours on this machine are told apart by their addresses alone.
  @Test func oneNeighboursUnfinishedBodiesLeaveRoomForOthers() throws {
    // One may have what one request takes, which is more than half of it.
    let service = try TestService { configuration in
      configuration.limits.body = 300_000
      configuration.limits.unfinishedInput = 400_000
    }
    let clients = (0..<3).map { _ in TestClient(port: service.port) }
    clients[0].send(Self.begin("192.0.2.1", 250_000))
    #expect(TestService.eventually { service.statistics.bytesRead > 250_000 })
    clients[1].send(Self.begin("192.0.2.2", 100_000))
    #expect(clients[1].receive().response?.status == 429)
    // The older one goes on.
    clients[0].send(String(repeating: "x", count: 50_000))
    #expect(clients[0].receive().response?.body.count == 300_000)
    clients[2].send(Self.begin("192.0.2.3", 300_000))
    #expect(clients[2].receive().response?.body.count == 300_000)
  }

  @Test func aNeighbourHasAShareOfWhatIsUnfinishedAlone() throws {
    let budget = InputBudget(limit: 100_000, largest: 20_000, exemptsLoopback: true)
    let one = Client(address: SocketAddress(ipv4: 0x7f00_0001, port: 1), kind: .local)
    let other = Client(address: SocketAddress(ipv4: 0x7f00_0002, port: 2), kind: .local)
    var held = try budget.hold(30_000, isUnfinished: true, of: one, insteadOf: nil)
    #expect(throws: Refusal.self) { try budget.hold(21_000, isUnfinished: true, of: one, insteadOf: nil) }
    held = try budget.hold(50_000, isUnfinished: true, of: one, insteadOf: held)
    let others = try budget.hold(45_000, isUnfinished: true, of: other, insteadOf: nil)
    #expect(budget.total == 95_000 && others != nil)
    #expect(throws: Refusal.self) { try budget.hold(5_000, isUnfinished: true, of: one, insteadOf: nil) }
    // What has come to its end counts for nobody's share.
    held = try budget.hold(50_000, of: one, insteadOf: held)
    let next = try budget.hold(5_000, isUnfinished: true, of: one, insteadOf: nil)
    #expect(budget.total == 100_000 && held != nil && next != nil)
  }

  @Test func bodiesOfRequestsThatWaitForAnAnswerCount() throws {
    let service = try Self.service()
    let clients = (0..<2).map { _ in TestClient(port: service.port) }
    // What comes behind it counts beside it.
    let waiting = Self.begin("192.0.2.1", 300_000).replacingOccurrences(of: "/echo", with: "/never")
    clients[0].send(waiting + "G")
    #expect(TestService.eventually { service.statistics.bytesRead > waiting.utf8.count })
    clients[1].send(Self.begin("192.0.2.1", 300_000))
    #expect(clients[1].receive().response?.status == 429)
    clients[0].reset()
    #expect(TestService.eventually { service.statistics.connections == 0 })
    // Once it is answered, it counts no more.
    let client = TestClient(port: service.port)
    for _ in 0..<4 {
      client.send(Self.begin("192.0.2.1", 300_000))
      #expect(client.receive().response?.body.count == 300_000)
    }
  }

  /// What a handler makes of a body counts as long as it works on it, also once the client has gone.
  @Test func bodiesWeighWhatIsMadeOfThem() throws {
    // One address may have 500,000 bytes.
    let service = try Self.service(unfinished: 2_000_000)
    func post(_ path: String, _ count: Int) -> String {
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: \(count)\r\n\r\n"
        + String(repeating: "x", count: count)
    }
    func isRefused(_ path: String, _ count: Int) -> Bool {
      let client = TestClient(port: service.port)
      client.send(post(path, count))
      return client.receive().response?.status == 429
    }
    let holders = (0..<2).map { _ in TestClient(port: service.port) }
    for holder in holders { holder.send(post("/heavy", 30_000)) }
    #expect(TestService.eventually { service.heavyCount == 2 })
    #expect(isRefused("/heavy", 30_000) && !isRefused("/echo", 30_000))
    // What is small weighs little.
    let small = TestClient(port: service.port)
    small.send(post("/heavy", 5_000))
    #expect(TestService.eventually { service.heavyCount == 3 })
    for client in holders + [small] { client.reset() }
    #expect(TestService.eventually { service.statistics.connections == 0 })
    #expect(isRefused("/heavy", 30_000))
    service.answerHeavy()
    // One alone has room, however large it is.
    let client = TestClient(port: service.port)
    for _ in 0..<2 {
      client.send(post("/heavy", 300_000))
      #expect(TestService.eventually { service.heavyCount == 1 })
      #expect(isRefused("/echo", 30_000))
      service.answerHeavy()
      #expect(client.receive().response?.status == 200)
    }
  }

  /// What is made of a body later counts from then on. Where there is no room for it, that alone is refused, and what
  /// the client sends next is answered.
  @Test func bodiesWeighMoreOnceSomethingIsMadeOfThem() throws {
    // One address may have 500,000 bytes.
    let service = try Self.service(unfinished: 2_000_000)
    let head = "POST /heavier HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n"
    let post = head + "Content-Length: 30000\r\n\r\n" + String(repeating: "x", count: 30_000)
    let holders = (0..<2).map { _ in TestClient(port: service.port) }
    for holder in holders { holder.send(post) }
    #expect(TestService.eventually { service.heavyCount == 2 })
    let client = TestClient(port: service.port)
    client.send(post)
    let refusal = try #require(client.receive().response)
    #expect(refusal.status == 429 && refusal.headers["retry-after"] != nil)
    client.send(CaseTests.health)
    #expect(client.receive().response?.status == 200)
    service.answerHeavy()
    for holder in holders { #expect(holder.receive().response?.status == 200) }
    holders[0].send(post)
    #expect(TestService.eventually { service.heavyCount == 1 })
    service.answerHeavy()
    #expect(holders[0].receive().response?.status == 200)
  }

  /// A proxy sends requests of several clients over one connection: each counts for its own.
  @Test(arguments: [[10_000], [5_000, 5_000]]) func aBodyCountsForItsOwnClient(parts: [Int]) throws {
    // Beside one head a client has room for one body.
    let service = try Self.service(body: 12_000, unfinished: 80_000) { $0.limits.head = 8_192 }
    func head(_ request: String, _ client: String) -> String {
      "\(request) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(client)\r\n"
    }
    func post(_ client: String, _ count: Int) -> String {
      head("POST /echo", client) + "Content-Length: \(count)\r\n\r\n"
    }
    func body(_ count: Int) -> String { String(repeating: "x", count: count) }
    func send(_ text: String, over connection: TestClient) {
      let before = service.statistics.bytesRead
      connection.send(text)
      #expect(TestService.eventually { service.statistics.bytesRead >= before + text.utf8.count })
    }
    let greedy = (0..<2).map { _ in TestClient(port: service.port) }
    for connection in greedy { send(post("192.0.2.1", 12_000) + body(8_000), over: connection) }
    let proxy = TestClient(port: service.port)
    for _ in 0..<2 {
      send(head("GET /client", "192.0.2.1") + "\r\n", over: proxy)
      #expect(proxy.receive().response?.status == 200)
      send(post("192.0.2.2", 10_000), over: proxy)
      for part in parts { send(body(part), over: proxy) }
      #expect(proxy.receive().response?.body.count == 10_000)
    }
    proxy.send(post("192.0.2.1", 10_000) + body(10_000))
    #expect(proxy.receive().response?.status == 429)
  }

  @Test func whatIsGivenUpCountsNoMore() throws {
    let service = try Self.service()
    for _ in 0..<4 {
      let client = TestClient(port: service.port)
      let before = service.statistics.bytesRead
      client.send(Self.begin("192.0.2.1", 299_000))
      #expect(TestService.eventually { service.statistics.bytesRead > before + 299_000 })
      client.close()
      #expect(TestService.eventually { service.statistics.connections == 0 })
    }
  }

  /// What is sent behind a request that is not answered yet counts, too.
  @Test func requestsThatWaitBehindOneHaveABound() throws {
    // Beside one head.
    let service = try Self.service(body: 1_000, unfinished: 1_000)
    func get(_ path: String, _ client: Int) -> String {
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.\(client)\r\n\r\n"
    }
    let more = String(repeating: CaseTests.health, count: 12_000 / CaseTests.health.utf8.count)
    // It counts until it is looked at.
    for number in 0..<6 {
      let client = TestClient(port: service.port)
      client.send(get("/later", number) + more)
      #expect(try #require(client.receive().response).headers["connection"] != "close")
      for _ in 0..<3 { #expect(client.receive().response?.status == 200) }
    }
    let holders = (0..<2).map { _ in TestClient(port: service.port) }
    for (number, holder) in holders.enumerated() {
      let before = service.statistics.bytesRead
      holder.send(get("/never", number) + more)
      #expect(TestService.eventually { service.statistics.bytesRead >= before + more.utf8.count })
    }
    let refused = TestClient(port: service.port)
    refused.send(get("/later", 9) + more)
    #expect(try #require(refused.receive().response).headers["connection"] == "close")
    // Nothing is handled behind what was not kept, also where the answer was ready, and not taken yet.
    let slow = TestClient(port: service.port)
    slow.send(get("/huge", 10) + more)
    #expect(slow.receive().response?.body.count == TestService.huge)
    #expect(slow.receive().response == nil)
  }

  /// The end comes with more than is read in one turn, and the kernel tells of both together.
  @Test func theEndBehindMuchInputIsSeen() throws {
    let test = try TestLoop()
    let get = "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 4000))\r\n\r\n"
    #expect(test.send(String(repeating: get, count: 20)))
    test.shutWriting()
    test.connection.mayHaveInput = true
    test.loop.read(test.connection, untilEnd: true)
    #expect(test.connection.machine.phase != .closed)
    test.loop.resumeReading()
    #expect(test.loop.counters.requests.load(ordering: .relaxed) == 20)
    #expect(test.connection.machine.phase == .closed)
  }

  @Test(arguments: [
    (4_095, 8, 0), (4_096, 8, 4_096), (5_000, 8, 11_328), (5_000, 1, 5_000), (5_000, 0, 5_000),
    (20_000, 8, 25_000), (25_000, 8, 25_000), (20_000, Int.max, 25_000),
  ]) func bytesBeyondTheFirstWeighMore(bytes: Int, weight: Int, counted: Int) throws {
    let budget = InputBudget(limit: 100_000, largest: 20_000, exemptsLoopback: true)
    let client = Client(address: try #require(SocketAddress(host: "192.0.2.1", port: 1)), kind: .remote)
    let held = try budget.hold(bytes, weighing: weight, of: client, insteadOf: nil)
    #expect(budget.total == counted)
    // Once, however often it ends.
    for _ in 0..<2 { held?.end() }
    #expect(budget.total == 0)
  }

  @Test func whatIsMadeOfABodyIsCountedLater() throws {
    // One client may have 25,000.
    let budget = InputBudget(limit: 100_000, largest: 20_000, exemptsLoopback: true)
    let client = Client(address: try #require(SocketAddress(host: "192.0.2.1", port: 1)), kind: .remote)
    let first = try #require(try budget.hold(10_000, of: client, insteadOf: nil))
    try first.weigh(1)
    #expect(budget.total == 10_000)
    try first.weigh(2)
    #expect(budget.total == 15_904)
    let second = try #require(try budget.hold(9_000, of: client, insteadOf: nil))
    #expect(throws: Refusal.self) { try second.weigh(2) }
    #expect(budget.total == 24_904)
    for _ in 0..<2 { first.end() }
    #expect(budget.total == 9_000)
    // One alone has room, whatever it weighs.
    try second.weigh(Int.max)
    #expect(budget.total == 25_000)
    second.end()
    try first.weigh(8)
    #expect(budget.total == 0)
  }

  @Test func oneIsCountedInPlaceOfWhatItWas() throws {
    let budget = InputBudget(limit: 100_000, largest: 20_000, exemptsLoopback: true)
    let address = try #require(SocketAddress(host: "192.0.2.1", port: 1))
    let client = Client(address: address, kind: .remote)
    #expect(try budget.hold(InputBudget.countedFrom - 1, of: client, insteadOf: nil) == nil)
    var held = try budget.hold(10_000, of: client, insteadOf: nil)
    held = try budget.hold(24_000, of: client, insteadOf: held)
    #expect(budget.total == 24_000)
    #expect(throws: Refusal.self) { try budget.hold(26_000, of: client, insteadOf: held) }
    #expect(throws: Refusal.self) { try budget.hold(5000, of: client, insteadOf: nil) }
    let local = Client(address: address, kind: .local)
    let others = try budget.hold(70_000, of: local, insteadOf: nil)
    #expect(budget.total == 94_000 && others != nil)
    held = nil
    #expect(budget.total == 70_000)
  }
}
