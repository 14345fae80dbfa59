import TableModel
import Testing

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
    #expect(rank.hear(text, isLeaders: isLeaders, isLeading: isLeading) == verdict)
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

  private let epoch = Epoch(rawValue: 1)

  private func views() -> Views { Views(maximum: 10, idle: .seconds(60), now: { 0 }) }

  private func tap(_ row: String, in views: Views, _ rows: [String]) -> ViewTap {
    let state = views.tap("v", table: epoch, row: Fingerprint(of: row))
    let toggled = rows.filter { state.isToggled(Fingerprint(of: $0), at: state.taps) }
    return ViewTap(table: "t", view: "v", state, row: row, toggled: toggled)
  }

  @Test func tapsAreToldToOtherReplicas() throws {
    let (here, there, late) = (views(), views(), views())
    let rows = ["1", "2 \"two\"", "3"]
    for row in rows + ["1"] {
      let told = tap(row, in: here, rows)
      let text = try #require(told.text)
      let heard = try #require(ViewTap(text))
      #expect(heard == told)
      there.follow(heard, table: epoch)
      if heard.taps > 2 { late.follow(heard, table: epoch) }
    }
    let states = [here, there, late].compactMap { $0.state(of: "v", table: epoch) }
    #expect(states.count == 3 && states.allSatisfy { $0.incarnation == states[0].incarnation && $0.taps == 4 })
    #expect(states.allSatisfy { $0.toggled(at: 4) == states[0].toggled(at: 4) })
    // Who came late knows no past.
    #expect(states[2].oldestTap == 3)
  }

  /// Two replicas count a tap each before they hear of the other's.
  @Test func tapsAtTheSameTimeComeToTheSame() {
    let (a, b, c) = (views(), views(), views())
    let first = tap("1", in: a, ["1"])
    for other in [b, c] { other.follow(first, table: epoch) }
    let (fromA, fromB) = (tap("2", in: a, ["1", "2"]), tap("3", in: b, ["1", "3"]))
    a.follow(fromB, table: epoch)
    b.follow(fromA, table: epoch)
    for told in [fromA, fromB] { c.follow(told, table: epoch) }
    let states = [a, b, c].compactMap { $0.state(of: "v", table: epoch) }
    #expect(states.allSatisfy { $0.incarnation == states[0].incarnation && $0.taps == 3 })
    #expect(states.allSatisfy { $0.toggled(at: 3).count == 3 })
    // What meant two things names neither.
    #expect(states[0].incarnation != first.incarnation)
  }

  @Test func whatIsTooLongIsToldWithoutTheRest() throws {
    let rows = (0..<200).map { "row number \($0) of a long table" }
    let told = tap(rows[0], in: views(), rows)
    var long = told
    long.toggled = rows
    let text = try #require(long.text)
    let heard = try #require(ViewTap(text))
    #expect(heard.toggled == nil && heard.row == rows[0])
  }
}
