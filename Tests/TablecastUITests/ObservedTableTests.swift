#if canImport(Observation)
import Foundation
import Testing

@testable import TablecastClient
@testable import TablecastUI

/// SwiftUI's table shows each state that it is given, by whatever way.
@MainActor
@Suite struct ObservedTableTests {
  private static let client = TablecastClient(url: URL(fileURLWithPath: "/"), cells: AnyCell.self)

  private static func snapshot(_ sections: [TableSection], _ revision: Int) -> TableSnapshot {
    var snapshot = TableSnapshot(TableAddress("t"))
    (snapshot.sections, snapshot.revision) = (sections, revision)
    return snapshot
  }

  private static func differences(_ observed: ObservedTable<AnyCell>, _ sections: [TableSection]) -> [String] {
    guard observed.sections.map(\.id) == sections.map(\.id) else { return ["sections"] }
    return zip(observed.sections, sections).flatMap { shown, section in
      guard shown.rows.map(\.id) == section.rows.map(\.id) else { return ["rows of \(section.id)"] }
      let rows = zip(shown.rows, section.rows).filter { $0.row != $1 || $0.shown != $1 }.map(\.1.id)
      return (shown.header == nil) == (section.header == nil) ? rows : rows + ["header of \(section.id)"]
    }
  }

  /// Changes that are told, states that are shown, and stages of which the last one does not fit, in any order.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func everyStateIsShown(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = RandomTable(seed: seed)
    let observed = ObservedTable(Self.client.table("t"))
    // Long enough for chunks that two states share.
    var long = TableSection(id: "long")
    long.rows = TableRows((1000..<1100).map { RandomTable.row($0, 1) })
    var shown: [TableSection] = []
    var text = 1
    for revision in 1...200 {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        text += 1
        let place = Int.random(in: 0..<100, using: &random)
        long.rows[place] = RandomTable.row(1000 + place, text)
      }
      if Bool.random(using: &random) { table.change() }
      let sections = [long] + table.sections
      let next = Self.snapshot(sections, revision)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: observed.show(next)
      case 1:
        let unfit = [TableStage](from: [TableSection(id: "nowhere")], to: [])
        let stages = [TableStage](from: shown, to: sections) + unfit
        observed.take(TableChange(kind: .stages(stages), from: revision - 1, snapshot: next))
      default:
        let stages = [TableStage](from: shown, to: sections)
        observed.take(TableChange(kind: .stages(stages), from: revision - 1, snapshot: next))
      }
      let differences = Self.differences(observed, sections)
      guard differences.isEmpty else {
        Issue.record("seed \(seed), revision \(revision): \(differences)")
        return
      }
      shown = sections
    }
  }

  /// A state of which nothing is known but the state before: rows that stayed the same are not set.
  @Test func onlyTheRowsThatChangedAreSet() {
    let observed = ObservedTable(Self.client.table("t"))
    var section = TableSection(id: "s")
    section.rows = TableRows((0..<100).map { RandomTable.row($0, 1) })
    observed.show(Self.snapshot([section], 1))
    let rows = observed.sections[0].rows
    let former = section.rows
    section.rows[40] = RandomTable.row(40, 2)
    #expect(section.rows.places(differingFrom: former) == [40])
    observed.show(Self.snapshot([section], 2))
    let areTheSame = observed.sections[0].rows.elementsEqual(rows, by: ===)
    #expect(areTheSame)
    #expect(rows[40].row == section.rows[40])
  }

  /// `é` in one scalar and in two: equal for Swift, and two identities. Rows of one section, and of two.
  @Test(arguments: [["s", "s"], ["\u{E9}", "e\u{301}"]])
  func anotherIdentityIsAnotherRow(_ sectionIDs: [String]) throws {
    let observed = ObservedTable(Self.client.table("t"))
    let ids = ["\u{E9}", "e\u{301}"]
    let states = try zip(sectionIDs, ids).map { sectionID, id in
      var section = TableSection(id: sectionID)
      section.rows = [try TableRow(JSONText("{\"id\":\"\(id)\",\"cellIdentifier\":\"Label\",\"payload\":{}}"))]
      return section
    }
    for (revision, section) in states.enumerated() {
      observed.show(Self.snapshot([section], revision + 1))
      #expect(observed.sections.map(\.identity) == [section.identity])
      #expect(observed.sections[0].rows.map(\.identity) == section.rows.map(\.identity))
    }
    // From the second state to the first one by stages, as a service sends them.
    let stages = [TableStage](from: [states[1]], to: [states[0]])
    observed.take(TableChange(kind: .stages(stages), from: 2, snapshot: Self.snapshot([states[0]], 3)))
    #expect(observed.sections[0].rows.map(\.identity) == states[0].rows.map(\.identity))
  }

  /// The search field shows the search by which the rows are found; the next choice adds to it.
  @Test func aRunningSearchIsTakenOver() {
    let table = Self.client.table("found")
    var snapshot = TableSnapshot(table.address)
    snapshot.search = TableSearch(q: "swi")
    Self.client.engine.shown[table.address] = snapshot
    let observed = ObservedTable(table, offersFinding: true)
    #expect(observed.search == TableSearch(q: "swi"))
    observed.search.sort = "newest"
    Self.client.engine.settle()
    let asked = Self.client.engine.follower.tables[table.address]?.wantedSearch
    #expect(asked == TableSearch(q: "swi", sort: "newest"))
  }
}
#endif
