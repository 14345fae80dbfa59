import Synchronization
import Testing

@testable import TableEngine

/// Whether a member that is read shows what its sources have said to others.
@Suite struct MemberUpkeepTests {
  typealias Host = MemberUpkeep.Host

  /// The state as a reader meets it, in words.
  private func read(_ upkeep: inout MemberUpkeep, by host: Host? = .alone, isClaimed: Bool = true) -> String {
    switch upkeep.read(by: host, isClaimed: isClaimed, { _ in }) {
    case .kept: "kept"
    case .keptByLeader(let term): "kept by leader \(term)"
    case .left: "left"
    case .waits(isFirst: true): "waits first"
    case .waits(isFirst: false): "waits"
    }
  }

  private func resume(_ upkeep: inout MemberUpkeep, by host: Host? = .alone) throws -> UInt64 {
    let lapse = upkeep.resume(by: host)
    return try #require(lapse)
  }

  @Test func whoComesWhileItIsToldWaits() throws {
    var upkeep = MemberUpkeep(isKept: false)
    #expect(read(&upkeep) == "left")
    let lapse = try resume(&upkeep)
    #expect(read(&upkeep) == "waits first")
    #expect(read(&upkeep) == "waits")
    let told = upkeep.keep(since: lapse, by: .alone)
    #expect(told.count == 2)
    #expect(read(&upkeep) == "kept")
    let again = upkeep.resume(by: .alone)
    #expect(again == nil, "there is nothing to be told")
  }

  @Test func readersThatWaitedTooLongWaitNoMore() throws {
    var upkeep = MemberUpkeep(isKept: false)
    let lapse = try resume(&upkeep)
    _ = read(&upkeep)
    let late = upkeep.giveUp()
    #expect(late.count == 1)
    #expect(read(&upkeep) == "waits first")
    let told = upkeep.keep(since: lapse, by: .alone)
    #expect(told.count == 1)
  }

  /// Nobody read it for a while, before its sources had told it anything.
  @Test func whatIsLeftMeanwhileIsNotKept() throws {
    var upkeep = MemberUpkeep(isKept: false)
    let first = try resume(&upkeep)
    upkeep.lapse()
    let second = try resume(&upkeep)
    _ = upkeep.keep(since: first, by: .alone)
    #expect(read(&upkeep) == "left")
    _ = upkeep.keep(since: second, by: .alone)
    #expect(read(&upkeep) == "kept")
  }

  /// - Parameters:
  ///   - kept: the process that kept it up.
  ///   - now: this process, where it is the one to do so; nil: the leader is.
  @Test(arguments: [
    (kept: Host.here(term: 3), now: Host?.some(.here(term: 3)), isClaimed: false, found: "kept"),
    (.here(term: 3), .here(term: 4), true, "left"), (.here(term: 3), nil, true, "left"),
    (.alone, .alone, false, "kept"),
    (.leader(term: 3), nil, true, "kept by leader 3"), (.leader(term: 3), nil, false, "left"),
    (.leader(term: 3), .here(term: 4), true, "left"),
  ])
  func itCountsForWhoAsksTheSources(kept: Host, now: Host?, isClaimed: Bool, found: String) throws {
    var upkeep = MemberUpkeep(isKept: false)
    let lapse = try resume(&upkeep, by: kept)
    _ = upkeep.keep(since: lapse, by: kept)
    #expect(read(&upkeep, by: now, isClaimed: isClaimed) == found)
  }

  /// The leader answers when this replica has come to ask the sources: who waits here is told by that, and not lost.
  @Test func theLeadersAnswerComesLate() throws {
    var upkeep = MemberUpkeep(isKept: false)
    let lapse = try resume(&upkeep, by: .here(term: 4))
    #expect(read(&upkeep, by: .here(term: 4)) == "waits first")
    upkeep.follow(since: lapse, leader: 3)
    #expect(read(&upkeep, by: .here(term: 4)) == "waits")
    let told = upkeep.keep(since: lapse, by: .here(term: 4))
    #expect(told.count == 2)
  }

  @Test func whatALeaderBeforeHasKeptUpIsLeft() throws {
    var upkeep = MemberUpkeep(isKept: false)
    upkeep.follow(since: 0, leader: 3)
    upkeep.lapse(after: 2)
    #expect(read(&upkeep, by: nil) == "kept by leader 3")
    upkeep.lapse(after: 3)
    #expect(read(&upkeep, by: nil) == "left")
  }

  /// What the leader right before has kept up is, when this one begins to ask.
  @Test(arguments: [(term: UInt64(4), found: "kept"), (5, "left")])
  func aNewLeaderGoesOn(term: UInt64, found: String) throws {
    var upkeep = MemberUpkeep(isKept: false)
    upkeep.follow(since: 0, leader: 3)
    let goesOn = upkeep.lead(under: term)
    #expect(goesOn == (found == "kept"))
    #expect(upkeep.isLeft(by: .here(term: term)) == (found == "left"))
    #expect(read(&upkeep, by: .here(term: term)) == found)
    upkeep.lapse()
    let goesOnAgain = upkeep.lead(under: term)
    #expect(!goesOnAgain && read(&upkeep, by: .here(term: term)) == "left" && upkeep.isLeft(by: .here(term: term)))
  }
}
