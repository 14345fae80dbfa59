import Definitions
import Foundation
import JSON
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing
import Upstream

@testable import TableEngine

@Suite struct ReplicationTests {
  @Test(arguments: [
    // What another replica says, whether it leads, whether this one (generation 3, digest a) does, what that means.
    ("3 a", true, false, ReplicaRank.Verdict.same), ("4 b", false, true, .outranked), ("2 b", true, false, .answer),
    ("3 b", true, false, .conflict), ("3 b", false, false, .same), ("3 b", false, true, .answer),
    ("x", true, true, .same),
  ]) func anothersConfigurationIsJudged(
    text: String,
    isLeaders: Bool,
    isLeading: Bool,
    verdict: ReplicaRank.Verdict
  ) {
    var rank = ReplicaRank(generation: 3, digest: "a")
    #expect(rank.receive(text, isLeaders: isLeaders, isLeading: isLeading, at: 0) == verdict)
    #expect(rank.isOutranked == (verdict == .outranked) && (rank.conflict != nil) == (verdict == .conflict))
  }

  @Test func aTableIsBehindUntilItIsTakenOver() {
    var behind = TablesBehind()
    behind.moved("b", at: 1)
    behind.moved("a", at: 3)
    behind.moved("b", at: 3)
    #expect(behind.overdue(at: 4) == [] && behind.overdue(at: 4.5) == ["b"] && behind.overdue(at: 7) == ["a", "b"])
    behind.caughtUp("b")
    behind.caughtUp("c")
    #expect(behind.overdue(at: 7) == ["a"] && behind.catchUps == 1)
    behind.lostDatabase()
    #expect(behind.overdue(at: 100) == [])
  }

  @Test func aNewerConfigurationIsLeftTimeToLead() {
    var rank = ReplicaRank(generation: 3, digest: "a")
    #expect(rank.mayLead(at: 0) && !rank.isAmongOlder(at: 0))
    #expect(rank.receive("4 b", isLeaders: false, isLeading: true, at: 1) == .outranked)
    // One that leads all the same is told again.
    #expect(rank.receive("4 b", isLeaders: false, isLeading: true, at: 2) == .outranked)
    #expect(!rank.mayLead(at: 3) && !rank.takesOver(from: Array("3 a".utf8), at: 3) && rank.isOutranked)
    // It has led: it counts, whether it is still there or not.
    rank.learn(Array("4 b".utf8), at: 4)
    #expect(!rank.takesOver(from: Array("4 b".utf8), at: 100) && rank.isOutranked)
    // Another one was heard of, and never came to it.
    rank = ReplicaRank(generation: 3, digest: "a")
    _ = rank.receive("4 b", isLeaders: false, isLeading: false, at: 1)
    rank.learn(Array("3 a".utf8), at: 2)
    #expect(rank.isOutranked)
    #expect(rank.takesOver(from: Array("3 a".utf8), at: 1 + ReplicaRank.maximumPatience) && !rank.isOutranked)
    #expect(rank.receive("2 c", isLeaders: true, isLeading: true, at: 20) == .answer && rank.isAmongOlder(at: 21))
  }

  /// Of one generation the first configuration counts as long as somebody has it.
  @Test func whoeverIsLeftAloneLeads() {
    var rank = ReplicaRank(generation: 3, digest: "a")
    let left = Array("3 b".utf8)
    rank.learn(left, isHeld: true, at: 0)
    #expect(!rank.mayLead(at: 100) && rank.isOverruled(at: 100))
    for second in [1.0, 3, 5.5] { rank.learn(left, isHeld: false, at: second) }
    #expect(!rank.mayLead(at: 5.5) && rank.mayLead(at: 6) && !rank.isOverruled(at: 6))
    // Somebody has it after all: by the lease, by saying so, or nobody can tell.
    var seen = rank
    seen.learn(left, isHeld: true, at: 6)
    #expect(!seen.mayLead(at: 100))
    seen = rank
    _ = seen.receive("3 b", isLeaders: false, isLeading: false, at: 6)
    #expect(!seen.mayLead(at: 100))
    seen = rank
    seen.loseSight()
    #expect(!seen.mayLead(at: 100))
    // Another one has led meanwhile.
    seen = rank
    #expect(!seen.takesOver(from: Array("3 c".utf8), at: 6) && seen.conflict != nil)
    #expect(rank.conflict != nil && rank.takesOver(from: left, at: 6) && rank.conflict == nil)
    // A higher generation counts, also when it is gone.
    rank = ReplicaRank(generation: 3, digest: "a")
    for second in [0.0, 20] { rank.learn(Array("4 b".utf8), isHeld: false, at: second) }
    #expect(!rank.takesOver(from: Array("4 b".utf8), at: 40) && rank.isOutranked)
  }

  /// Other replicas may have led between two leases of this one, and stored what is newer.
  @Test func whatASourceHasSaidIsStoredUnderTheLeaseOfThatTime() throws {
    let definition = try ServiceDefinition.read(
      """
      sources: {a: {url: "http://127.0.0.1:1/", every: 0s}}
      cells: {Label: {fields: {title: string}}}
      tables: {a: {source: a, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}}
      """
    )
    let engine = try Engine(definition, .silent(GatedStore()))
    let writer = try #require(engine.catalog.tablesByName["a"]).writer
    var content = writer.content.queue.sync { writer.content.access { $0 } }
    #expect(content.isOfAnotherLease(than: 1))
    content.begin(under: 1)
    #expect(!content.isOfAnotherLease(than: 1) && content.isOfAnotherLease(than: 2))
    let source = try #require(content.inputs.keys.first)
    content.inputs[source]?.isConfirmed = true
    content.begin(under: 2)
    #expect(content.isOfAnotherLease(than: 2))
    content.lead(under: 2, showing: writer.versions.latest.table)
    #expect(!content.isOfAnotherLease(than: 2) && content.inputs[source]?.isSettled == false)
    // Another replica's version comes while an answer is not mapped yet: the source would only say that nothing has changed since.
    let answer = SourceContent(pages: [Array(#"[{"id":1,"title":"One"}]"#.utf8)])
    let isTaken = content.take(.content(answer, 1), from: source, showingItsWords: false)
    #expect(isTaken)
    let revision = Revision(number: 9, stamp: 9)
    content.followed(to: revision, shown: writer.versions.latest.table, isLeading: true)
    #expect(content.inputs[source]?.content != nil && content.isResultOld && content.record.durable == revision)
    content.followed(to: revision, shown: writer.versions.latest.table, isLeading: false)
    #expect(content.inputs[source]?.content == nil, "who doesn't lead goes by the versions of others")
  }

  @Test func aLookIsForAllWhoAskedBeforeItBegan() {
    var looks = StoreLooks()
    let told = Mutex<[String]>([])
    func ask(_ name: String) -> Bool { looks.ask { outcome in told.withLock { $0.append("\(name) \(outcome)") } } }
    func end(_ look: UInt64, isRead: Bool) -> Bool {
      let (calls, begins) = looks.end(look)
      for call in calls { call(isRead ? .read : .late) }
      return begins
    }
    #expect(ask("a"))
    let first = looks.number
    #expect(!ask("b") && !ask("c"))
    #expect(end(first, isRead: true))
    #expect(told.withLock { $0 } == ["a read"])
    // The one before was given up: what it finds is nobody's.
    let second = looks.number
    #expect(second != first && !end(first, isRead: true))
    #expect(!end(second, isRead: false))
    #expect(told.withLock { $0 } == ["a read", "b late", "c late"])
    #expect(ask("d"))
    // The process was stopped: the same look begins anew, and what the one before finds is nobody's.
    let third = looks.number
    #expect(looks.beginAnew(third) && looks.number != third && !end(third, isRead: false))
    #expect(!end(looks.number, isRead: true) && !looks.beginAnew(looks.number))
    #expect(told.withLock { $0.last } == "d read")
  }

  /// Another release may make the digest otherwise: then nobody can say that the configurations differ.
  @Test(arguments: [("3 2:a", false), ("3 2:b", true), ("3 b", false), ("3 3:b", false)])
  func digestsAreComparedWithinOneMethod(text: String, isConflict: Bool) {
    var heard = ReplicaRank(generation: 3, digest: "2:a")
    let verdict = heard.receive(text, isLeaders: true, isLeading: false, at: 0)
    #expect((verdict == .conflict) == isConflict && (heard.conflict != nil) == isConflict)
    var read = ReplicaRank(generation: 3, digest: "2:a")
    read.learn(Array(text.utf8), at: 0)
    #expect((read.conflict != nil) == isConflict && read.mayLead(at: 0) == !isConflict)
    #expect(ReplicaRank(generation: 3, digest: "2:a").text == "3 2:a")
  }

  /// Two releases may make other rows of one configuration. The one that leads asks for the other until that is gone, and then lays out
  /// anew what it may have laid out last.
  @Test func anotherLayoutIsOutlived() {
    var leader = ReplicaRank(generation: 3, digest: "2.new:a")
    var other = ReplicaRank(generation: 3, digest: "2.old:a")
    #expect(leader.text == "3 2.new:a" && other.text == "3 2.old:a")
    #expect(!leader.missesOtherLayout(at: 100) && !leader.outlivesOtherLayout(at: 100))
    // Of one configuration: no conflict, and the leader is told.
    #expect(other.receive(leader.text, isLeaders: true, isLeading: false, at: 0) == .answer && other.conflict == nil)
    #expect(leader.receive(other.text, isLeaders: false, isLeading: true, at: 0) == .same && leader.conflict == nil)
    #expect(other.receive("3 2.new:b", isLeaders: true, isLeading: false, at: 0) == .conflict)
    #expect(!leader.missesOtherLayout(at: 4) && leader.missesOtherLayout(at: 5))
    #expect(leader.receive(other.text, isLeaders: false, isLeading: true, at: 5) == .same)
    #expect(!leader.missesOtherLayout(at: 6) && !leader.outlivesOtherLayout(at: 16.9))
    #expect(leader.outlivesOtherLayout(at: 17) && !leader.outlivesOtherLayout(at: 17))
    // Its own release is none to wait for, and one that doesn't say is another one.
    #expect(leader.receive("3 2.new:a", isLeaders: false, isLeading: true, at: 20) == .same)
    #expect(!leader.missesOtherLayout(at: 40))
    #expect(leader.receive("3 2:a", isLeaders: false, isLeading: true, at: 40) == .same)
    #expect(leader.missesOtherLayout(at: 50))
  }

  /// The same of a lower generation, which may have been stopped.
  @Test func anOlderLayoutIsOutlived() {
    var leader = ReplicaRank(generation: 3, digest: "2.new:a")
    #expect(leader.receive("2 2.new:b", isLeaders: false, isLeading: true, at: 0) == .answer)
    #expect(leader.missesOtherLayout(at: 5) && leader.outlivesOtherLayout(at: 12) && !leader.missesOtherLayout(at: 20))
    // It is what this one has had until now, or what the one has left that led before.
    var next = ReplicaRank(generation: 4, digest: "2.new:c").following(leader, isLeading: false, at: 30)
    #expect(next.isAmongOlder(at: 31) && next.outlivesOtherLayout(at: 42))
    #expect(!next.following(next, isLeading: true, at: 50).missesOtherLayout(at: 60))
    #expect(next.takesOver(from: Array("3 2.new:a".utf8), at: 60) && next.outlivesOtherLayout(at: 72))
  }

  /// A replica that doesn't lead lays nothing out by a configuration that does not count.
  @Test(arguments: [("3 2:a", false, true), ("3 2:a", true, false), ("3 2:b", false, false), ("2 2:a", false, false)])
  func aReloadIsHeldAgainstWhatTheLeaderHasLeft(left: String, isLeading: Bool, isConflict: Bool) {
    var before = ReplicaRank(generation: 3, digest: "2:a")
    before.learn(Array(left.utf8), at: 0)
    var next = ReplicaRank(generation: 3, digest: "2:b").following(before, isLeading: isLeading, at: 1)
    #expect((next.conflict != nil) == isConflict && next.mayLead(at: 1) == !isConflict)
    // As long as anybody is left who has the other one.
    next.learn(Array(left.utf8), isHeld: false, at: 2)
    #expect(next.mayLead(at: 8))
  }

  /// Who asks for an edit to be shown may ask again.
  @Test func whatIsShownForAnotherIsShownOnce() {
    var shown = ShownForOthers()
    #expect(shown.begin("a") == .new && shown.begin("a") == .underWay && shown.begin("b") == .new)
    shown.end("a", .success("1"))
    shown.end("b", .failure(.notStoredForNow))
    shown.end("c", .success(nil))
    #expect(shown.begin("a") == .done(row: "1") && shown.begin("b") == .new && shown.begin("c") == .new)
    for number in 0..<ShownForOthers.maximum { _ = shown.begin("\(number)") }
    #expect(shown.begin("a") == .new, "it was long ago")
  }

  private let epoch = Epoch(rawValue: 1)
  private let holder = ViewHolder("one")

  private func views() -> Views { Views(maximum: 10, idle: .seconds(60), now: { 0 }) }

  private func told(_ row: String, taps: UInt32, incarnation: UInt64 = 7) -> ViewTap {
    ViewTap(table: epoch, view: "v", incarnation: incarnation, taps: taps, row: row, holder: holder)
  }

  @Test func tapsAreToldToOtherReplicas() throws {
    let (there, late) = (views(), views())
    for (index, row) in ["1", "2 \"two\"", "3", "1"].enumerated() {
      let tap = told(row, taps: UInt32(index + 1))
      let text = try #require(tap.text)
      let heard = try #require(ViewTap(text))
      #expect(heard == tap)
      #expect(there.follow(heard) && there.follow(heard))
      // Who has not heard of those before has to read it.
      if index > 0 { #expect(!late.follow(heard)) }
    }
    let state = try #require(there.state(of: "v", table: epoch))
    #expect(state.taps == 4 && state.toggled(at: 4) == Set(["2 \"two\"", "3"].map { Fingerprint(of: $0) }))
    #expect(!there.follow(told("1", taps: 5, incarnation: 8)))
    // As an earlier release tells it.
    #expect(ViewTap("[\"000000000001\",\"v\",\"7\",1,\"1\"]")?.holder == ViewHolder(rawValue: 0))
    #expect(ViewTap("[\"000000000001\",\"v\",\"7\",1,\"1\",\"x\"]") == nil)
    #expect(told(String(repeating: "x", count: 4000), taps: 1).text == nil)
  }

  @Test func aViewIsTakenOverAsItIsStored() throws {
    var stored = StoredView(table: epoch, name: "v", holder: holder)
    for row in ["1", "2", "1"] { stored = stored.changed { $0.tap(row) } }
    let late = views()
    late.take(stored.state, "v", table: epoch, of: holder)
    let state = try #require(late.state(of: "v", table: epoch))
    #expect(state.incarnation == stored.incarnation)
    #expect((0...3).map { state.toggled(at: $0).count } == [0, 1, 2, 1])
    // What is older than what is known is passed over, until all have dropped it.
    late.take(StoredView(table: epoch, name: "v", holder: holder).state, "v", table: epoch, of: holder)
    late.take(stored.changed { $0.reset() }.state, "v", table: epoch, of: holder)
    late.take(stored.state, "v", table: epoch, of: holder)
    #expect(late.state(of: "v", table: epoch)?.toggled(at: 4).isEmpty == true)
    late.drop("v", table: epoch)
    #expect(late.state(of: "v", table: epoch) == nil)
  }

  @Test func aSharedViewThatWasIdleHereIsReadAnew() {
    let clock = Mutex<Int64>(0)
    let views = Views(maximum: 10, idle: .seconds(60), now: { clock.withLock { $0 } })
    views.take(
      StoredView(table: epoch, name: "v", holder: holder).changed { $0.tap("1") }.state,
      "v",
      table: epoch,
      of: holder
    )
    clock.withLock { $0 = 16 }
    #expect(views.state(of: "v", table: epoch) != nil)
    #expect(views.isToBeProlonged("v", table: epoch) && !views.isToBeProlonged("v", table: epoch))
    clock.withLock { $0 = 76 }
    #expect(views.state(of: "v", table: epoch) == nil)
  }
}
