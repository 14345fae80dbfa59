import Synchronization
import Testing

@testable import TableEngine

/// Whether a member that is read shows what its sources have said to others.
@Suite struct MemberUpkeepTests {
  /// The state as a reader meets it, in words.
  private func read(_ upkeep: inout MemberUpkeep, under term: UInt64? = nil, isClaimed: Bool = true) -> String {
    switch upkeep.read(under: term, isClaimed: isClaimed, { _ in }) {
    case .kept: "kept"
    case .left: "left"
    case .waits(isFirst: true): "waits first"
    case .waits(isFirst: false): "waits"
    }
  }

  private func resume(_ upkeep: inout MemberUpkeep, under term: UInt64? = nil) throws -> UInt64 {
    let lapse = upkeep.resume(under: term)
    return try #require(lapse)
  }

  @Test func whoComesWhileItIsToldWaits() throws {
    var upkeep = MemberUpkeep(isKept: false)
    #expect(read(&upkeep) == "left")
    let lapse = try resume(&upkeep)
    #expect(read(&upkeep) == "waits first")
    #expect(read(&upkeep) == "waits")
    let told = upkeep.keep(since: lapse, under: nil)
    #expect(told.count == 2)
    #expect(read(&upkeep) == "kept")
    let again = upkeep.resume(under: nil)
    #expect(again == nil, "there is nothing to be told")
  }

  @Test func readersThatWaitedTooLongWaitNoMore() throws {
    var upkeep = MemberUpkeep(isKept: false)
    let lapse = try resume(&upkeep)
    _ = read(&upkeep)
    let late = upkeep.giveUp()
    #expect(late.count == 1)
    #expect(read(&upkeep) == "waits first")
    let told = upkeep.keep(since: lapse, under: nil)
    #expect(told.count == 1)
  }

  /// Nobody read it for a while, before its sources had told it anything.
  @Test func whatIsLeftMeanwhileIsNotKept() throws {
    var upkeep = MemberUpkeep(isKept: false)
    let first = try resume(&upkeep)
    upkeep.lapse()
    let second = try resume(&upkeep)
    _ = upkeep.keep(since: first, under: nil)
    #expect(read(&upkeep) == "left")
    _ = upkeep.keep(since: second, under: nil)
    #expect(read(&upkeep) == "kept")
  }

  /// - Parameters:
  ///   - kept: under which term it was kept up; nil: by another replica.
  ///   - now: the term under which this replica asks the sources; nil: another one does.
  @Test(arguments: [
    (kept: UInt64?(3), now: UInt64?(3), isClaimed: false, found: "kept"), (3, 4, true, "left"), (3, nil, true, "left"),
    (nil, nil, true, "kept"), (nil, nil, false, "left"), (nil, 3, true, "left"),
  ])
  func itCountsForWhoAsksTheSources(kept: UInt64?, now: UInt64?, isClaimed: Bool, found: String) throws {
    var upkeep = MemberUpkeep(isKept: false)
    let lapse = try resume(&upkeep, under: kept)
    _ = upkeep.keep(since: lapse, under: kept)
    #expect(read(&upkeep, under: now, isClaimed: isClaimed) == found)
  }

  /// What another one has kept up is, when this one begins to ask.
  @Test func aNewLeaderGoesOn() throws {
    var upkeep = MemberUpkeep(isKept: false)
    let lapse = try resume(&upkeep)
    _ = upkeep.keep(since: lapse, under: nil)
    upkeep.lead(under: 4)
    #expect(read(&upkeep, under: 4) == "kept" && !upkeep.isLeft(under: 4))
    upkeep.lapse()
    upkeep.lead(under: 4)
    #expect(read(&upkeep, under: 4) == "left" && upkeep.isLeft(under: 4))
  }
}
