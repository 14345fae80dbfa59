import Testing

@testable import TablecastClient

/// What a service has asked for by `Retry-After` counts, whatever the app or the network does meanwhile.
@Suite struct RetryAfterTests {
  private static let address = TableAddress("t")
  private static let later = TransportResponse(status: 503, headers: ["Retry-After": "7"])

  private static func requests(_ actions: [Follower.Action]) -> [Int] {
    actions.compactMap { action -> Int? in
      guard case .send(let id, _, _) = action else { return nil }
      return id
    }
  }

  @Test func aPollWaitsThroughWakeAndResume() throws {
    var follower = Follower(seed: 1)
    let first = Self.requests(follower.handle(.observe(Self.address, nil), now: 0))
    let id = try #require(first.first)
    _ = follower.handle(.response(id, Self.later), now: 0)
    let early: [(Follower.Event, Double)] = [
      (.wake, 2), (.pause("a", nil), 3), (.resume("a", nil), 3), (.reload(Self.address), 4), (.wake, 6),
    ]
    for (event, now) in early {
      let sent = Self.requests(follower.handle(event, now: now))
      #expect(sent.isEmpty, "\(event)")
    }
    #expect(follower.nextDeadline == 7)
    let sent = Self.requests(follower.handle(.time, now: 7))
    #expect(sent.count == 1)
  }

  /// The client's own delay ends there.
  @Test func aPollThatFailedByItselfIsMadeAtOnce() throws {
    var follower = Follower(seed: 1)
    let first = Self.requests(follower.handle(.observe(Self.address, nil), now: 0))
    let id = try #require(first.first)
    _ = follower.handle(.failure(id), now: 0)
    let sent = Self.requests(follower.handle(.wake, now: 0))
    #expect(sent.count == 1)
  }

  @Test(arguments: [true, false]) func anEditWaitsThroughWakeAndResume(_ isHanging: Bool) {
    var queue = EditQueue(Self.address)
    var random = SplitMix64(seed: 1)
    let id = EditID("a")
    _ = queue.add(.delete(row: "1"), id: id, now: 0, date: 0)
    _ = queue.answered(id, Self.later, now: 0, date: 0, random: &random)
    _ = queue.wake(isHanging: isHanging, now: 6, date: 6)
    #expect(queue.entries.map(\.state) == [.local] && queue.nextDue == 7)
    _ = queue.wake(isHanging: isHanging, now: 7, date: 7)
    #expect(queue.entries.map(\.state) == [.sent])
  }

  @Test(arguments: [true, false]) func anEditThatFailedByItselfIsSentAtOnce(_ isHanging: Bool) {
    var queue = EditQueue(Self.address)
    var random = SplitMix64(seed: 1)
    let id = EditID("a")
    _ = queue.add(.delete(row: "1"), id: id, now: 0, date: 0)
    _ = queue.failed(id, TransportFailure("broken"), now: 0, random: &random)
    _ = queue.wake(isHanging: isHanging, now: 0, date: 0)
    #expect(queue.entries.map(\.state) == [.sent])
  }
}
