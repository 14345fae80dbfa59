import TableDiff
import TableModel
import TestSupport
import Testing

/// Tables that are cut after their first rows.
@Suite struct WindowTests {
  struct Cut: Sendable, CustomTestStringConvertible {
    let table: String
    let rows: Int
    let shown: String
    var testDescription: String { "\(table) after \(rows)" }

    init(_ table: String, after rows: Int, _ shown: String) {
      (self.table, self.rows, self.shown) = (table, rows, shown)
    }
  }

  static let cuts = [
    Cut("A: a b c | B: d", after: 1, "A: a"),
    Cut("A: a b c | B: d", after: 3, "A: a b c"),
    Cut("A: a b c | B: d", after: 4, "A: a b c | B: d"),
    Cut("A: a b c | B: d", after: 10_000, "A: a b c | B: d"),
    Cut("A^x: a b | B^y: c d", after: 3, "A^x: a b | B^y: c"),
    // A section without rows is in the window before the cut, and out of it behind.
    Cut("A: | B: a b | C: | D: c", after: 1, "A: | B: a"),
    Cut("A: | B: a b | C: | D: c", after: 2, "A: | B: a b"),
    Cut("A: | B: a b | C: | D: c", after: 3, "A: | B: a b | C: | D: c"),
    Cut("A: a | B:", after: 1, "A: a"),
    Cut("A: a | B:", after: 2, "A: a | B:"),
    Cut("A: | B:", after: 1, "A: | B:"),
    Cut("", after: 1, ""),
  ]

  @Test("A table is cut", arguments: cuts)
  func cut(_ example: Cut) throws {
    var whole = table(example.table)
    (whole.omittedSections, whole.skippedItems) = (2, 3)
    let cut = whole.cut(after: try #require(WindowSize(example.rows)))
    var expected = table(example.shown)
    (expected.omittedSections, expected.skippedItems) = (2, 3)
    expected.window = Window(rows: try #require(WindowSize(example.rows)), of: whole.counts.rows)
    #expect(Table.same(cut, expected), "\(text(cut))")
    #expect(cut.counts.sections == expected.sections.count)
    #expect(cut.counts.omittedSections == 2 && cut.counts.skippedItems == 3)
  }

  @Test("A section that is in the window as a whole is shared") func sharing() throws {
    let whole = table("A: a b | B: c d")
    let cut = whole.cut(after: try #require(WindowSize(3)))
    #expect(cut.sections[0] === whole.sections[0] && cut.sections[1] !== whole.sections[1])
    #expect(cut.sections[1].header === whole.sections[1].header)
  }

  @Test func aSizeIsOneToTenThousand() {
    #expect([-1, 0, 10_001].allSatisfy { WindowSize($0) == nil } && WindowSize(10_000)?.rows == 10_000)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    let old: String
    let oldRows: Int?
    let new: String
    let newRows: Int?
    let operations: String
    var testDescription: String { name }
  }

  static let changes = [
    Change(name: "load more", old: "A: a b c d", oldRows: 2, new: "A: a b c d", newRows: 3, operations: "+[0,2]"),
    Change(
      name: "load more, into the next section",
      old: "A: a b | B: c d",
      oldRows: 1,
      new: "A: a b | B: c d",
      newRows: 3,
      operations: "+S1 +[0,1]"
    ),
    Change(name: "all of it", old: "A: a b c", oldRows: 1, new: "A: a b c", newRows: nil, operations: "+[0,1] +[0,2]"),
    Change(name: "less", old: "A: a b c", oldRows: nil, new: "A: a b c", newRows: 1, operations: "-[0,1] -[0,2]"),
    Change(
      name: "an insert pushes a row out",
      old: "A: a b c",
      oldRows: 2,
      new: "A: x a b c",
      newRows: 2,
      operations: "-[0,1] +[0,0]"
    ),
    Change(
      name: "a delete brings one in",
      old: "A: a b c",
      oldRows: 2,
      new: "A: b c",
      newRows: 2,
      operations: "-[0,0] +[0,1]"
    ),
    Change(
      name: "a row moves out of the window, another in",
      old: "A: a b c d",
      oldRows: 2,
      new: "A: d b c a",
      newRows: 2,
      operations: "-[0,0] +[0,0]"
    ),
    Change(name: "behind the window", old: "A: a b c", oldRows: 2, new: "A: a b x", newRows: 2, operations: ""),
  ]

  @Test("A change through windows", arguments: changes)
  func change(_ example: Change) throws {
    let old = table(example.old).cut(after: example.oldRows)
    let changeset = try verify(from: old, to: table(example.new).cut(after: example.newRows))
    #expect(text(changeset) == example.operations)
  }

  @Test("The last stage tells the window where it changed, and nothing else of what is outside") func attributes()
    throws
  {
    let old = table("A: a b c").cut(after: 2)
    let longer = try verify(from: old, to: table("A: a b c d").cut(after: 2))
    #expect(longer.stages.count == 1 && longer.stages[0].attributes.window??.of == 4)
    #expect(longer.stages[0].attributes.counts == nil)
    let whole = try verify(from: old, to: table("A: a b c"))
    #expect(whole.stages.first?.attributes.window == .some(nil))
    #expect(try verify(from: old, to: table("A: a b d").cut(after: 2)).stages.isEmpty)
  }

  @Test("Random changesets between windows are legal, minimal and exact", arguments: 1...8)
  func random(seed: UInt64) {
    var generator = TableGenerator(seed: seed)
    for number in 0..<2500 {
      let state = generator.random.state
      let (old, new) = generator.pair()
      let (oldRows, newRows) = (generator.windowRows(), generator.windowRows())
      do {
        // From one window to another, through the same, and from one to another of the same version.
        try verify(from: old.cut(after: oldRows), to: new.cut(after: newRows))
        try verify(from: old.cut(after: newRows), to: new.cut(after: newRows))
        try verify(from: new.cut(after: oldRows), to: new.cut(after: newRows))
        try checkFirstAffectedRow(from: old, to: new)
      } catch {
        Issue.record(
          """
          seed \(seed), case \(number), generator state \(state), \(String(describing: oldRows)) and \
          \(String(describing: newRows)) rows: \(error)\n\(text(old))\n\(text(new))
          """
        )
        return
      }
    }
  }

  /// Windows that reach beyond the row show something else, and no others.
  private func checkFirstAffectedRow(from old: Table, to new: Table) throws {
    let first = Table.firstAffectedRow(from: old, to: new)
    for rows in 1...(max(old.rowCount, new.rowCount) + 2) {
      let isSame = Self.showSame(old.cut(after: rows), new.cut(after: rows))
      guard isSame == (rows <= first ?? .max) else {
        throw StrictTableView.Refusal("first affected: \(String(describing: first)), but \(rows) rows are \(isSame)")
      }
    }
  }

  private static func showSame(_ old: Table, _ new: Table) -> Bool {
    var other = new
    (other.omittedSections, other.skippedItems, other.window) = (old.omittedSections, old.skippedItems, old.window)
    return Table.same(old, other)
  }

  @Test(
    "From which row on",
    arguments: [
      ("A: a b | B: c", "A: a b | B: c", nil), ("A: a b | B: c", "A: a b' | B: c", 1),
      ("A: a b | B: c", "A: a b | B: c d", 3), ("A: a b | B: c", "A: a b | C: c", 2),
      ("A: a b | B^x: c", "A: a b | B^y: c", 2), ("A^x: a b", "A^y: a b", 0), ("A: a b", "A: a b | B: c", 2),
      ("A: a b", "A: a b | B:", 2), ("A: | B: a", "B: a", 0), ("A: a b", "A: a", 1), ("", "A: a", 0),
    ] as [(String, String, Int?)]
  )
  func firstAffectedRow(_ old: String, _ new: String, _ row: Int?) throws {
    #expect(Table.firstAffectedRow(from: table(old), to: table(new)) == row)
    try checkFirstAffectedRow(from: table(old), to: table(new))
  }

  @Test func whatStandsAroundTheRowsIsShownByAllWindows() {
    let old = table("A: a")
    for change: (inout Table) -> Void in [
      { $0.title = "x" }, { $0.state = .stale }, { $0.animation.insert = .left },
      { $0.problem = Problem(title: "x", detail: "y", since: "z") },
    ] {
      var new = old
      change(&new)
      #expect(Table.firstAffectedRow(from: old, to: new) == 0)
    }
    var counted = old
    (counted.omittedSections, counted.skippedItems) = (1, 1)
    #expect(Table.firstAffectedRow(from: old, to: counted) == nil)
  }
}

extension Table {
  /// Whole for nil.
  fileprivate func cut(after rows: Int?) -> Table { rows.flatMap(WindowSize.init).map { cut(after: $0) } ?? self }
}

extension TableGenerator {
  fileprivate mutating func windowRows() -> Int? {
    let rows = Int.random(in: 0...20, using: &random)
    return rows == 0 ? nil : rows
  }
}
