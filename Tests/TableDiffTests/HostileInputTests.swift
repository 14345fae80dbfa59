import TableDiff
import TableModel
import TestSupport
import Testing

/// What must not happen, and what happens if it does.
@Suite struct HostileInputTests {
  @Test("Duplicates are refused at the door; should some pass, the changeset is still applicable and exact")
  func duplicates() throws {
    var random = SeededGenerator(seed: 7)
    func disorderly() -> Table {
      let sections = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        let rows = (0..<Int.random(in: 0...7, using: &random)).map { _ in
          "\(Int.random(in: 0...5, using: &random))" + ["", "", "'", "!"][Int.random(in: 0...3, using: &random)]
        }
        return "\(["A", "B", "C"][Int.random(in: 0...2, using: &random)]): " + rows.joined(separator: " ")
      }
      return table(sections.joined(separator: "|"))
    }
    for _ in 0..<3000 {
      let (old, new) = (disorderly(), disorderly())
      let changeset = Changeset(from: old, to: new)
      var view = StrictTableView(old, allowsDuplicates: true)
      try view.perform(changeset)
      try view.checkShows(new)
      #expect(Table.same(try old.applying(changeset), new))
    }
  }

  @Test func oneIdentityAThousandTimes() throws {
    let old = table("A: " + String(repeating: "a ", count: 1000) + "x")
    let new = table("A: b " + String(repeating: "a' ", count: 1000) + "| B: y")
    #expect(Table.same(try old.applying(Changeset(from: old, to: new)), new))
  }

  @Test("A collision of identity fingerprints costs a move at most, never a row")
  func collisions() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let old = Self.colliding(using: &random)
      let new = Self.colliding(using: &random)
      let changeset = Changeset(from: old, to: new)
      var view = StrictTableView(old)
      try view.perform(changeset)
      try view.checkShows(new)
    }
  }

  /// Rows whose identities have four fingerprints between them.
  private static func colliding(using random: inout SeededGenerator) -> Table {
    var ids = (0..<24).shuffled(using: &random)
    let sections = ["A", "B", "C"].shuffled(using: &random).map { id in
      let rows = ids.prefix(Int.random(in: 1...8, using: &random)).map { id in
        let encoded = Array("\(id) \(Int.random(in: 0...1, using: &random))".utf8)
        return Row(
          id: "\(id)",
          encoded: encoded,
          cells: CellChain(CellPart(cellIdentifier: "Label", payload: 0..<1)),
          permissions: [],
          key: RowKey(identity: Fingerprint(rawValue: UInt64(id % 4)), content: ContentDigest(of: encoded))
        )
      }
      ids.removeFirst(rows.count)
      return Section(id: id, rows: rows)
    }
    return Table(name: "t", title: "Title", state: .ready, sections: sections)
  }
}
