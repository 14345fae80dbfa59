import TableDiff
import TableModel
import TestSupport
import Testing

/// Long lists of rows that follow from each other, and share what has not changed.
@Suite struct SharedPartsTests {
  private static func rows(_ count: Int) -> [Row] { (0..<count).map { row("\($0)") } }

  @Test("Edits of long sections: as minimal and exact as where nothing is shared", arguments: 1...16)
  func edits(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let old = RowList(Self.rows(Int.random(in: 2049...3500, using: &random)))
    var new = old
    for number in 0..<Int.random(in: 1...40, using: &random) {
      let index = Int.random(in: 0..<new.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: new = new.inserting(row("new\(number)"), at: index)
      case 1: new = new.removing(at: index)
      case 2:
        let moved = new[index]
        new = new.removing(at: index)
        new = new.inserting(moved, at: Int.random(in: 0...new.count, using: &random))
      case 3: new = new.replacing(index, with: row(new[index].id + "!"))
      case 4:
        let end = min(new.count, index + Int.random(in: 0...300, using: &random))
        new = new.replacing(index..<end, with: Array(new[index..<end]).shuffled(using: &random))
      default: new = new.replacing(index, with: row(new[index].id + "'"))
      }
    }
    let from = Table(name: "t", title: "Title", state: .ready, sections: [Section(id: "A", rows: old)])
    for rows in [new, RowList(Array(new), sharing: old), RowList(Array(new))] {
      #expect(Self.areInStep(old, rows), "seed \(seed)")
      var into = from
      into.sections = [Section(id: "A", rows: rows)]
      do {
        try verify(from: from, to: into)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  /// Whether what is said to stand in the same order does so, and holds the same rows.
  private static func areInStep(_ old: RowList, _ new: RowList) -> Bool {
    var (from, to) = (0, 0)
    for run in RowList.inStep(old, new, where: Row.same) {
      guard !run.old.isEmpty, run.old.count == run.new.count, run.old.lowerBound >= from, run.new.lowerBound >= to,
        zip(old[run.old], new[run.new]).allSatisfy(Row.same)
      else { return false }
      (from, to) = (run.old.upperBound, run.new.upperBound)
    }
    return true
  }

  @Test("Of changes in their places only these are left, whatever the lists share", arguments: [300, 5000])
  func changesInPlace(count: Int) {
    var random = SeededGenerator(seed: 1)
    let old = RowList(Self.rows(count))
    var rows = Array(old)
    var changed: Set<Int> = []
    for _ in 0..<20 {
      let index = Int.random(in: 0..<count, using: &random)
      changed.insert(index)
      rows[index] = row("\(index)'")
    }
    let copies = rows.map { row($0.id + (changed.contains(Int($0.id) ?? -1) ? "'" : "")) }
    for new in [RowList(rows, sharing: old), RowList(rows), RowList(copies)] {
      let places = Set(RowList.inStep(old, new, where: Row.same).flatMap(\.new))
      #expect(Set(0..<count).subtracting(places) == changed)
    }
    // Rows whose keys agree may differ all the same, as whoever asks sees them.
    let none = RowList.inStep(old, RowList(copies)) { _, _ in false }
    #expect(none.isEmpty)
  }

  @Test("Rows between long sections, of which one moves", arguments: 1...6)
  func sections(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let all = Self.rows(5000)
    let (first, second) = (RowList(Array(all[..<2500])), RowList(Array(all[2500...])))
    var (newFirst, newSecond) = (first, second)
    for _ in 0..<20 {
      let index = Int.random(in: 0..<newFirst.count, using: &random)
      newSecond = newSecond.inserting(newFirst[index], at: Int.random(in: 0...newSecond.count, using: &random))
      newFirst = newFirst.removing(at: index)
    }
    let from = Table(
      name: "t",
      title: "Title",
      state: .ready,
      sections: [Section(id: "A", rows: first), Section(id: "B", rows: second)]
    )
    for isSwapped in [false, true] {
      var into = from
      into.sections = [Section(id: "A", rows: newFirst), Section(id: "B", rows: newSecond)]
      if isSwapped { into.sections.reverse() }
      do {
        try verify(from: from, to: into)
        try verify(from: into, to: from)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  @Test("Windows of long sections") func windows() throws {
    let old = Table(
      name: "t",
      title: "Title",
      state: .ready,
      sections: [Section(id: "A", rows: Self.rows(6000)), Section(id: "B", rows: [row("b")])]
    )
    var new = old
    let section = old.sections[0]
    let edited = section.rows.inserting(row("x"), at: 10).replacing(3001, with: row("3000'")).removing(at: 5000)
    new.sections[0] = Section(id: "A", rows: edited)
    new.countRows()
    for (oldRows, newRows) in [(50, 50), (50, 3500), (3500, 3500), (5999, 6000), (10_000, 10_000), (10_000, 1)] {
      let (oldSize, newSize) = (try #require(WindowRange(oldRows)), try #require(WindowRange(newRows)))
      try verify(from: old.cut(to: oldSize), to: new.cut(to: newSize))
    }
    #expect(Table.firstAffectedRow(from: old, to: new) == 10)
    #expect(new.rowCount == 6001 && new.indexPath(of: "b") == IndexPath(section: 1, row: 0))
    #expect(new.indexPath(of: "5998") == IndexPath(section: 0, row: 5998))
    #expect(new[at: IndexPath(section: 0, row: 5998)]?.id == "5998" && new.indexPath(of: "4999") == nil)
  }
}
