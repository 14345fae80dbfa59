import Testing

@testable import Upstream

@Suite struct HostQueueTests {
  /// Requests are named by their source: 12 is the second of source 1.
  static func queue(slots: Int = 6, _ requests: [Int]) -> HostQueue<Int> {
    var queue = HostQueue<Int>(slots: slots)
    for request in requests { queue.add(request, of: request / 10) }
    return queue
  }

  @Test func soManyAtOnceSourceBySource() {
    var queue = Self.queue(slots: 3, [11, 12, 13, 14, 21, 31, 32])
    #expect(queue.admit(at: .zero) == [11, 21, 31])
    #expect(queue.admit(at: .zero) == [])
    queue.remove(21, of: 2, at: .zero)
    #expect(queue.admit(at: .zero) == [12], "one of source 1 is long enough under way")
    queue.remove(11, of: 1, at: .zero)
    #expect(queue.admit(at: .zero) == [32])
    for request in [12, 31, 32] { queue.remove(request, of: request / 10, at: .zero) }
    #expect(queue.admit(at: .zero) == [13, 14])
    for request in [13, 14] { queue.remove(request, of: 1, at: .zero) }
    #expect(queue.isEmpty)
  }

  @Test func tenThatHangDoNotStarveFiveThatAnswer() {
    var queue = Self.queue((1...15).map { $0 * 10 })
    var answered: Set<Int> = []
    var now = Duration.zero
    while now < .seconds(3) {
      for request in queue.admit(at: now) where request > 100 {
        queue.remove(request, of: request / 10, at: now + .milliseconds(20))
        answered.insert(request)
      }
      now = queue.deadline(after: now) ?? .seconds(3)
    }
    #expect(answered.count == 5, "within three times the patience, while ten paths hang")
  }

  @Test func thoseThatHungBeforeGetHalfAtMost() {
    var queue = Self.queue((1...30).map { $0 * 10 })
    var now = Duration.zero
    var hanging: [Int] = []
    while hanging.count < 24, now < .seconds(10) {
      hanging += queue.admit(at: now)
      now += .seconds(1)
    }
    #expect(queue.runningCount == 24, "never more")
    for request in hanging { queue.remove(request, of: request / 10, at: now) }
    for request in hanging { queue.add(request, of: request / 10) }
    for request in 0..<20 { queue.add(1000 + request, of: 100 + request) }
    var quick = 0
    for _ in 0..<10 {
      for request in queue.admit(at: now) where request >= 1000 {
        queue.remove(request, of: request - 900, at: now)
        quick += 1
      }
      now += .seconds(1)
    }
    #expect(quick == 20)
  }

  @Test func cancelledWhileItWaits() {
    var queue = Self.queue(slots: 1, [11, 12, 21])
    #expect(queue.admit(at: .zero) == [11])
    queue.remove(12, of: 1, at: .zero)
    queue.remove(21, of: 2, at: .zero)
    queue.remove(11, of: 1, at: .zero)
    #expect(queue.admit(at: .zero) == [])
    #expect(queue.isEmpty)
  }
}

@Suite struct CircuitBreakersTests {
  static func key(_ token: String, _ parameters: [String: String] = [:]) throws -> CircuitBreakers.Key {
    let url = try #require(UpstreamURL("http://a.test/x"))
    let field = try #require(TransferField("Authorization", token))
    return CircuitBreakers.Key(TransferRequest(url: url, headers: [field]), parameters: parameters)
  }

  @Test func oneCallersFailuresAreNobodyElses() throws {
    var breakers = CircuitBreakers()
    let (failing, other, member) = (try Self.key("a"), try Self.key("b"), try Self.key("a", ["q": "1"]))
    for _ in 0..<5 { breakers.record(.bad, of: failing, at: .zero, random: 1) }
    #expect(breakers.permits(failing, at: .zero, isUrgent: false) == false)
    #expect(breakers.permits(other, at: .zero, isUrgent: false) == true)
    #expect(breakers.permits(member, at: .zero, isUrgent: false) == true)
    breakers.record(.good, of: failing, at: .zero, random: 1)
    #expect(breakers.permits(failing, at: .zero, isUrgent: false) == true)
  }

  @Test func theyAreBounded() throws {
    var breakers = CircuitBreakers()
    for number in 0..<5000 { breakers.record(.bad, of: try Self.key("\(number)"), at: .zero, random: 1) }
    #expect(breakers.state(of: try Self.key("0")) == nil)
    #expect(breakers.state(of: try Self.key("4999")) == .closed(failures: 1))
  }

  /// One that works again and then fails anew is as young as its last failure; others go before it.
  @Test func theOldestGoesFirstWhateverWasForgotten() throws {
    var breakers = CircuitBreakers()
    for number in 0..<4096 { breakers.record(.bad, of: try Self.key("\(number)"), at: .zero, random: 1) }
    for verdict in [.good, .bad] as [CircuitBreaker.Verdict] {
      for number in 0..<2 { breakers.record(verdict, of: try Self.key("\(number)"), at: .zero, random: 1) }
    }
    for number in 5000..<5002 { breakers.record(.bad, of: try Self.key("\(number)"), at: .zero, random: 1) }
    let held = try [0, 1, 2, 3, 4, 5001].map { breakers.state(of: try Self.key("\($0)")) != nil }
    #expect(held == [true, true, false, false, true, true])
    for number in 0..<10_000 {
      for verdict in [.bad, .good] as [CircuitBreaker.Verdict] {
        breakers.record(verdict, of: try Self.key("x\(number)"), at: .zero, random: 1)
      }
    }
    #expect(breakers.state(of: try Self.key("0")) != nil)
    #expect(breakers.state(of: try Self.key("4")) == nil)
  }
}
