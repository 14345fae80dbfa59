import TableStore
import Testing

@testable import TableEngine

/// Who may ask the sources, and until when. The clock is the test's.
@Suite struct FetchLeaseTests {
  private let granted = Lease(name: "sources", holder: "a", term: 3)

  @Test func aGrantedLeaseIsRenewedUntilItIsLost() {
    var lease = FetchLease(lifetime: 4)
    #expect(lease.tick(at: 0) == [.acquire])
    #expect(lease.tick(at: 1) == [], "it was asked for")
    #expect(lease.acquired(granted, asked: 0) == [.beginFetching])
    #expect(lease.lease == granted)
    #expect(lease.tick(at: 1.2) == [.renew(granted)])
    #expect(lease.renewed(true, asked: 1.2, at: 1.3) == [])
    #expect(lease.tick(at: 5) == [.renew(granted)], "it lasts from when its renewal was asked for")
    #expect(lease.renewed(false, asked: 5, at: 5.1) == [.stopFetching])
    #expect(lease.lease == nil && lease.tick(at: 6) == [.acquire])
  }

  @Test func whoHearsNothingStopsByItself() {
    var lease = FetchLease(lifetime: 4)
    _ = lease.tick(at: 0)
    _ = lease.acquired(granted, asked: 0)
    #expect(lease.renewed(nil, asked: 1, at: 1.1) == [], "the store was not there")
    #expect(lease.tick(at: 3.9) == [.renew(granted)])
    #expect(lease.tick(at: 4) == [.stopFetching, .acquire])
  }

  /// A process that was stopped has nothing any more when it goes on, whatever it hears first.
  @Test func whoHearsTooLateBeginsAnew() {
    var lease = FetchLease(lifetime: 4)
    _ = lease.tick(at: 0)
    _ = lease.acquired(granted, asked: 0)
    #expect(lease.lease(at: 3.9) == granted && lease.lease(at: 4) == nil)
    #expect(lease.renewed(true, asked: 3.5, at: 6) == [.stopFetching, .acquire])
    #expect(lease.lease(at: 6) == nil)
  }

  @Test func anotherOnesLeaseIsWaitedFor() {
    var lease = FetchLease(lifetime: 4)
    _ = lease.tick(at: 0)
    #expect(lease.acquired(nil, asked: 0) == [])
    #expect(lease.tick(at: 1.2) == [.acquire])
  }

  /// Whoever asks comes, at the latest, a period after it expired.
  @Test func aDeadHoldersLeaseIsTakenWithinFiveSeconds() {
    #expect(Double(Lease.lifetime.components.seconds) + Replica.period < 5)
  }

  @Test func givingUpLetsGoAndALateGrantIsGivenBack() {
    var lease = FetchLease(lifetime: 4)
    _ = lease.tick(at: 0)
    #expect(lease.giveUp(forGood: true) == [])
    #expect(lease.acquired(granted, asked: 0) == [.release(granted)])
    #expect(lease.tick(at: 9) == [], "it has stopped")
    var other = FetchLease(lifetime: 4)
    _ = other.tick(at: 0)
    _ = other.acquired(granted, asked: 0)
    #expect(other.giveUp(forGood: false) == [.stopFetching, .release(granted)])
    #expect(other.tick(at: 1) == [.acquire])
  }

  @Test(arguments: [
    // What the last holder left, whether this one (generation 3, digest a) takes over, whether it is outranked.
    ("", true, false), ("2 b", true, false), ("3 a", true, false), ("3 b", false, false), ("4 a", false, true),
  ]) func theHigherGenerationCounts(precedence: String, takesOver: Bool, isOutranked: Bool) {
    var rank = ReplicaRank(generation: 3, digest: "a")
    #expect(rank.takesOver(from: Array(precedence.utf8), at: 0) == takesOver)
    #expect(rank.isOutranked == isOutranked)
    #expect((rank.conflict != nil) == (precedence == "3 b"))
  }
}
