import Synchronization
import Testing

@testable import TableEngine

/// A member's sources are asked once under a lease, for all who need that.
@Suite struct MemberAskingTests {
  @Test func othersWaitForTheFirst() {
    let done = Mutex<[Int]>([])
    var asking = MemberAsking()
    func begin(_ number: Int, under term: UInt64) -> MemberAsking.Turn {
      asking.begin(under: term) { done.withLock { $0.append(number) } }
    }
    func end(under term: UInt64) { for completion in asking.end(under: term) { completion() } }
    #expect(begin(1, under: 1) == .first && begin(2, under: 1) == .waits && begin(3, under: 1) == .waits)
    end(under: 1)
    #expect(done.withLock { $0 } == [2, 3], "the first one calls itself back")
    #expect(begin(4, under: 1) == .done)
    #expect(begin(5, under: 2) == .first && begin(6, under: 2) == .waits)
    #expect(begin(7, under: 3) == .first, "another lease, while it is under way")
    end(under: 2)
    #expect(done.withLock { $0 } == [2, 3], "not under that one any more")
    end(under: 3)
    #expect(done.withLock { $0 } == [2, 3, 6])
    #expect(begin(8, under: 3) == .done)
  }
}
