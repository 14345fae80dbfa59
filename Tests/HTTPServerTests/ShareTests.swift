import TestSupport
import Testing

@testable import HTTPServer

/// What one client may have of what there is, and what is kept from all of them.
@Suite struct ShareTests {
  private static func wait(_ client: String) -> String {
    "GET /wait?topic=1 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(client)\r\n\r\n"
  }

  private static func behindProxy(_ configuration: inout Configuration) {
    configuration.trustedProxies = [AddressBlock("127.0.0.1")].compactMap { $0 }
  }

  /// Limits, descriptors, and what comes of them: connections, waiters, and one address's part of each.
  @Test(arguments: [
    (16_384, 16_384, 1_048_576, 16_384, 16_128, 4096, 4032),
    (16_384, 16_384, 1024, 896, 784, 224, 196),
    (16_384, 16_384, 128, 80, 70, 20, 18),
    (16_384, 16_384, 40, 20, 18, 5, 5),
    (16_384, 16_384, 1, 1, 1, 1, 1),
    (100, 1000, 1024, 100, 88, 25, 22),
    (1000, 10, 4096, 1000, 10, 250, 3),
  ])
  func capacity(
    connections: Int,
    waiters: Int,
    descriptors: Int,
    allConnections: Int,
    allWaiters: Int,
    ownConnections: Int,
    ownWaiters: Int
  ) {
    var limits = Configuration.Limits()
    limits.connections = connections
    limits.waiters = waiters
    var capacity = Capacity(limits, descriptors: descriptors)
    #expect(capacity.connections == allConnections && capacity.waiters == allWaiters)
    #expect(capacity.connectionsPerAddress == ownConnections && capacity.waitersPerAddress == ownWaiters)
    limits.connectionsPerAddress = 7
    limits.waitersPerAddress = 8
    limits.keptDescriptors = 0
    capacity = Capacity(limits, descriptors: descriptors)
    #expect(capacity.connections == min(connections, descriptors))
    #expect(capacity.connectionsPerAddress == 7 && capacity.waitersPerAddress == 8)
  }

  @Test func oneClientBehindAProxyWaitsForNoMoreThanItsShare() throws {
    let service = try TestService { configuration in
      ShareTests.behindProxy(&configuration)
      configuration.limits.waiters = 8
    }
    let clients = (0..<3).map { _ in TestClient(port: service.port) }
    for client in clients.prefix(2) { client.send(Self.wait("192.0.2.1")) }
    #expect(TestService.eventually { service.statistics.waiters == 2 })
    clients[2].send(Self.wait("192.0.2.1"))
    let refused = try #require(clients[2].receive().response)
    #expect(refused.status == 429 && refused.headers["retry-after"] == "5")
    #expect(refused.headers["content-type"] == "application/problem+json")
    // Somebody else by the same proxy waits, on that very connection.
    clients[2].send(Self.wait("192.0.2.2"))
    #expect(TestService.eventually { service.statistics.waiters == 3 })
    // What was held is given back by whose it was.
    clients[2].close()
    clients[0].close()
    #expect(TestService.eventually { service.statistics.waiters == 1 })
    let next = TestClient(port: service.port)
    next.send(Self.wait("192.0.2.1"))
    #expect(TestService.eventually { service.statistics.waiters == 2 })
  }

  @Test func neighboursOnThisMachineHaveNoShareButTheConfiguredOne() throws {
    for configured in [nil, 2] as [Int?] {
      let service = try TestService { configuration in
        configuration.limits.waiters = 8
        configuration.limits.waitersPerAddress = configured
      }
      let clients = (0..<3).map { _ in TestClient(port: service.port) }
      for client in clients { client.send(Self.wait("192.0.2.1")) }
      #expect(
        TestService.eventually { service.statistics.waiters == configured ?? 3 && service.statistics.requests == 3 }
      )
    }
  }

  /// Behind a proxy on this machine, which adds to `X-Forwarded-For` and passes `Forwarded` on.
  @Test(arguments: [
    "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=anything", "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.2",
    "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=127.0.0.1", "X-Forwarded-For: 127.0.0.1",
    "X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1", "X-Forwarded-For: unknown", "Forwarded: for=_me",
    "Forwarded: for=\"[::1]\"", "Forwarded: proto=http", "X-Forwarded-For: ,", "Forwarded: for=\"",
  ])
  func nobodyIsOnThisMachineByWhatAFieldSays(fields: String) throws {
    let service = try TestService { configuration in
      ShareTests.behindProxy(&configuration)
      configuration.limits.waiters = 8
    }
    let clients = (0..<3).map { _ in TestClient(port: service.port) }
    let request = "GET /wait?topic=1 HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n"
    for client in clients.prefix(2) { client.send(request) }
    #expect(TestService.eventually { service.statistics.waiters == 2 })
    clients[2].send(request)
    #expect(clients[2].receive().response?.status == 429)
    // A share of its own: whoever is known waits all the same.
    clients[2].send(Self.wait("192.0.2.1"))
    #expect(TestService.eventually { service.statistics.waiters == 3 })
    // The proxy itself, which asks for nobody.
    let own = (0..<3).map { _ in TestClient(port: service.port) }
    for client in own { client.send("GET /wait?topic=1 HTTP/1.1\r\nHost: localhost\r\n\r\n") }
    #expect(TestService.eventually { service.statistics.waiters == 6 })
  }

  @Test func proxiesHaveNoShareOfConnections() throws {
    let service = try TestService { configuration in
      ShareTests.behindProxy(&configuration)
      configuration.limits.connectionsPerAddress = 1
    }
    let clients = (0..<5).map { _ in TestClient(port: service.port) }
    for client in clients {
      client.send(CaseTests.health)
      #expect(client.receive().code == "200")
    }
  }

  /// As with `ulimit -n 128`: however many polls come, somebody who edits gets in.
  @Test func pollsLeaveRoomForEdits() throws {
    let service = try TestService { $0.limits.descriptors = 128 }
    let polls = (0..<160).map { _ in TestClient(port: service.port) }
    for poll in polls { poll.send("GET /wait?topic=1 HTTP/1.1\r\nHost: localhost\r\n\r\n") }
    // 70 wait; the others are told to come again, and hold no connection.
    #expect(TestService.eventually { service.statistics.waiters == 70 && service.statistics.connections == 70 })
    let editor = TestClient(port: service.port)
    editor.send("POST /v1/tables/x/items HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
    #expect(editor.receive().code == "201")
    let refused = polls.filter { $0.receive(seconds: 0.01).code == "503" }
    #expect(refused.count == 90)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func sharesAgainstAModel(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var shares = Shares<Int>(limit: 3)
    var model: [Int: Int] = [:]
    for _ in 0..<500 {
      let key = Int.random(in: 0..<6, using: &generator)
      if Bool.random(using: &generator) {
        let isTaken = shares.take(key)
        #expect(isTaken == (model[key, default: 0] < 3), "seed \(seed)")
        if isTaken { model[key, default: 0] += 1 }
      } else if model[key, default: 0] > 0 {
        shares.giveBack(key)
        model[key, default: 0] -= 1
      }
      #expect(shares.count(of: key) == model[key, default: 0], "seed \(seed)")
      #expect(shares.holders == model.values.count { $0 > 0 }, "seed \(seed)")
    }
  }

  @Test func aMinutesWorthAtOnceAndThenAsItComesBack() {
    var rates = Rates<String>(perMinute: 6)
    for _ in 0..<6 { #expect(rates.take("a", now: 1000) == nil) }
    #expect(rates.take("a", now: 1000) == 10)
    #expect(rates.pause(for: "a", now: 1000) == 10 && rates.pause(for: "a", now: 11_000) == nil)
    #expect(rates.pause(for: "b", now: 1000) == nil)
    #expect(rates.take("b", now: 1000) == nil)
    #expect(rates.take("a", now: 5000) == 6)
    #expect(rates.take("a", now: 11_000) == nil)
    #expect(rates.take("a", now: 11_001) == 10)
    // After a minute of nothing, all of it again and no more.
    for _ in 0..<6 { #expect(rates.take("a", now: 200_000) == nil) }
    #expect(rates.take("a", now: 200_000) == 10)
  }

  /// Where there are not as many left, none is taken.
  @Test func severalAreTakenTogetherOrNotAtAll() {
    var rates = Rates<String>(perMinute: 6)
    #expect(rates.take("a", now: 1000, count: 4) == nil)
    #expect(rates.take("a", now: 1000, count: 3) == 10)
    #expect(rates.take("a", now: 1000, count: 2) == nil)
    #expect(rates.take("a", now: 1000, count: 6) == 60)
    #expect(rates.take("a", now: 61_000, count: 6) == nil)
  }

  /// Never more in any stretch than its time brings back and a minute's worth.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func ratesAgainstAModel(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let perMinute = Int.random(in: 1...100, using: &generator)
    var rates = Rates<Int>(perMinute: perMinute)
    var now = 0
    var worth = Double(perMinute)
    for _ in 0..<2000 {
      let pause = Int.random(in: 0..<(120_000 / perMinute), using: &generator)
      now += pause
      worth = min(worth + Double(pause) * Double(perMinute) / 60_000, Double(perMinute))
      let isTaken = rates.take(1, now: now) == nil
      // Within the rounding of both.
      if isTaken { #expect(worth > 0.99, "seed \(seed)") } else { #expect(worth < 1.01, "seed \(seed)") }
      if isTaken { worth -= 1 }
    }
  }

  @Test func whoIsForgottenForRoomIsWhoWasNotSeenForLongest() {
    var rates = Rates<Int>(perMinute: 1, capacity: 100)
    #expect(rates.take(0, now: 1) == nil && rates.take(1, now: 1) == nil)
    for key in 2..<60 { #expect(rates.take(key, now: 1) == nil) }
    #expect(rates.take(1, now: 1) == 60)
    for key in 100..<300 { #expect(rates.take(key, now: 1) == nil) }
    #expect(rates.take(1, now: 1) == nil)
  }

  @Test func sharesGoByNetwork() throws {
    let same = [("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::2"), ("::ffff:192.0.2.1", "192.0.2.1")]
    let other = [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8:0:1::1")]
    for (pairs, isSame) in [(same, true), (other, false)] {
      for (first, second) in pairs {
        let networks = try [first, second].enumerated().map { index, host in
          try #require(SocketAddress(host: host, port: UInt16(index))).network
        }
        #expect((networks[0] == networks[1]) == isSame, "\(first) \(second)")
      }
    }
  }
}
