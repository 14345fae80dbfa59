import TableDiff
import TableModel
import TestSupport
import Testing

/// Tables that are cut: after their first rows, or out of the middle.
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
    let cut = whole.cut(to: try #require(WindowRange(example.rows)))
    var expected = table(example.shown)
    (expected.omittedSections, expected.skippedItems) = (2, 3)
    expected.window = Window(try #require(WindowRange(example.rows)), of: whole.counts.rows)
    #expect(Table.same(cut, expected), "\(text(cut))")
    #expect(cut.counts.sections == expected.sections.count)
    #expect(cut.counts.omittedSections == 2 && cut.counts.skippedItems == 3)
  }

  @Test("A section that is in the window as a whole is shared") func sharing() throws {
    let whole = table("A: a b | B: c d")
    let cut = whole.cut(to: try #require(WindowRange(3)))
    #expect(cut.sections[0] === whole.sections[0] && cut.sections[1] !== whole.sections[1])
    #expect(cut.sections[1].header === whole.sections[1].header)
  }

  @Test func aSizeIsOneToTenThousand() {
    #expect([-1, 0, 10_001].allSatisfy { WindowRange($0) == nil } && WindowRange(10_000)?.rows == 10_000)
  }

  @Test(
    "A table is cut out of the middle",
    arguments: [
      ("A: a b c | B: d e", "1-3", "A+1: b c | B+0: d"), ("A: a b c | B: d e", "3-4", "B+0: d e"),
      ("A: a b c | B: d e", "4-4", "B+1: e"), ("A: a b c | B: d e", "5-9", ""), ("A: a b c", "1-9", "A+1: b c"),
      ("A: a b c | B: d e", "2-2", "A+2: c"), ("A: a b | B: | C: c", "1-1", "A+1: b"),
      ("A: a b | B: | C: c", "1-2", "A+1: b | B+0: | C+0: c"), ("A: a b | B: | C: c", "2-2", "B+0: | C+0: c"),
      ("A: a b | B: | C: c", "3-9", ""), ("A: a b | B: | C: c | D:", "3-9", "D+0:"), ("A: | B: a", "1-1", ""),
      ("A: a", "9007199254740991-9007199254740991", ""), ("", "1-1", ""),
    ]
  )
  func middle(_ whole: String, _ window: String, _ shown: String) throws {
    let range = try #require(Self.range(window))
    let cut = table(whole).cut(to: range)
    let found = cut.sections.map { section in
      ["\(section.id)+\(section.skipped):"] + section.rows.map(\.id)
    }
    #expect(found.map { $0.joined(separator: " ") }.joined(separator: " | ") == shown)
    #expect(cut.window == Window(range, of: table(whole).rowCount) && cut.rowCount <= range.rows)
  }

  @Test(
    "A range is read, and written in one way",
    arguments: ["1", "50", "10000", "1-1", "9-9", "100-149", "9000-18999", "9007199254740991-9007199254740991"]
  )
  func reads(_ text: String) { #expect(Self.range(text)?.description == text) }

  @Test(
    "What is none is not",
    arguments: [
      "", "0", "-", "10001", "0-49", "9-3", "1-10001", "-5", "5-", "05", "1-05", "+1", "1-+5", "1-2-3", " 1", "1 -2",
      "a",
      "9007199254740991-9007199254740992", "99999999999999999999-99999999999999999999",
      "9223372036854775807-9223372036854775807",
    ]
  )
  func refuses(_ text: String) { #expect(Self.range(text) == nil) }

  /// As a cursor names it.
  private static func range(_ text: String) -> WindowRange? { LensTag("r\(text)")?.rows }

  @Test("What costs as much as the window, wherever it stands: sections and rows are found, not counted")
  func farWindowsAreFound() throws {
    let rows = (0..<5_000).map { row("r\($0)") }
    let sections = [Section(id: "S", rows: rows)] + (0..<3_000).map { Section(id: "s\($0)", rows: [row("x\($0)")]) }
    let table = Table(name: "t", title: "T", state: .ready, sections: sections)
    for (from, rows) in [(4_990, 20), (7_950, 50), (2_000, 3_500), (7_999, 5), (0, 6_000)] {
      let window = try #require(WindowRange(from: from, rows: rows))
      #expect(Table.same(table.cut(to: window), table.naivelyCut(window)), "\(window)")
    }
    #expect(table.parts(in: try #require(WindowRange(from: 7_000, rows: 2))).map(\.section) == [2_001, 2_002])
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

  @Test("Random changesets between windows are legal, minimal and exact", arguments: seeds(of: 8))
  func random(seed: UInt64) {
    var generator = TableGenerator(seed: seed)
    for number in 0..<2500 {
      let state = generator.random.state
      let (old, new) = generator.pair()
      let (oldRows, newRows) = (generator.window(), generator.window())
      do {
        for (table, window) in [(old, oldRows), (old, newRows), (new, oldRows), (new, newRows)] {
          guard Table.same(table.cut(window), table.naivelyCut(window)) else {
            throw StrictTableView.Refusal("cut otherwise: \(text(table.cut(window)))")
          }
        }
        // From one window to another, through the same, and from one to another of the same version.
        try verify(from: old.cut(oldRows), to: new.cut(newRows))
        try verify(from: old.cut(newRows), to: new.cut(newRows))
        try verify(from: new.cut(oldRows), to: new.cut(newRows))
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

  /// Windows that reach beyond the first row show something else, and no others; what is found of a window out of the middle
  /// is what two cuts show.
  private func checkFirstAffectedRow(from old: Table, to new: Table) throws {
    let first = Table.firstAffectedRow(from: old, to: new)
    for rows in 1...(max(old.rowCount, new.rowCount) + 2) {
      let isSame = Self.showSame(old.cut(after: rows), new.cut(after: rows))
      guard isSame == (rows <= first ?? .max) else {
        throw StrictTableView.Refusal("first affected: \(String(describing: first)), but \(rows) rows are \(isSame)")
      }
    }
    let affected = Table.affectedRows(from: old, to: new)
    for from in 0...(max(old.rowCount, new.rowCount) + 1) {
      for rows in [1, 2, 5] {
        guard let window = WindowRange(from: from, rows: rows) else { continue }
        let (one, other) = (old.cut(to: window), new.cut(to: window))
        guard Table.isAffected(window, from: old, to: new) == !Self.showSame(one, other, skipping: true) else {
          throw StrictTableView.Refusal("\(window) is not found out")
        }
        let isReached = affected.map { $0.lowerBound < window.end && $0.upperBound > from } ?? false
        if !isReached, !Self.showSame(one, other) {
          throw StrictTableView.Refusal("\(window) shows something else outside of \(String(describing: affected))")
        }
      }
    }
  }

  private static func showSame(_ old: Table, _ new: Table, skipping: Bool = false) -> Bool {
    var (old, other) = (old, new)
    if skipping {
      (old.sections, other.sections) = (old.sections.map(\.withoutSkipped), other.sections.map(\.withoutSkipped))
    }
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
      ("A: a b | \u{E9}: c", "A: a b | e\u{301}: c", 2),
    ] as [(String, String, Int?)]
  )
  func firstAffectedRow(_ old: String, _ new: String, _ row: Int?) throws {
    #expect(Table.firstAffectedRow(from: table(old), to: table(new)) == row)
    try checkFirstAffectedRow(from: table(old), to: table(new))
  }

  /// Rows that differ and look the same: few of them don't tell of many.
  @Test(arguments: [(10, true), (64, true), (65, false), (500, false)])
  func fewRowsDontTellOfMany(rows: Int, isTold: Bool) throws {
    let names = (0..<rows).map { "r\($0)" }
    let old = table("A: \(names.joined(separator: " "))")
    let new = table("A: \(names.map { "\($0)'" }.joined(separator: " "))")
    let look = old.sections[0].rows[0]
    let seen: (Row) -> Row = { _ in look }
    #expect(Table.firstAffectedRow(from: old, to: new, seenAs: seen) == nil)
    let few = Table.affectedRow(from: old, to: new, seenAs: seen, within: .few)
    #expect(few.isCertain == isTold && few.row == (isTold ? Int.max : 64))
    let window = try #require(WindowRange(from: 0, rows: rows))
    #expect(!Table.isAffected(window, from: old, to: new, seenAs: seen))
    #expect(Table.isAffected(window, from: old, to: new, seenAs: seen, within: .few) == (isTold ? false : nil))
    #expect(Table.isAffected(window, from: old, to: new, within: .few) == true)
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
  fileprivate func cut(after rows: Int?) -> Table { rows.flatMap { WindowRange($0) }.map { cut(to: $0) } ?? self }

  /// Whole for nil.
  fileprivate func cut(_ range: WindowRange?) -> Table { range.map { cut(to: $0) } ?? self }

  /// The same as ``cut(to:)``, by going over all rows.
  fileprivate func naivelyCut(_ range: WindowRange?) -> Table {
    guard let range else { return self }
    var (before, cut) = (0, self)
    cut.sections = sections.compactMap { section -> Section? in
      let rows = section.rows.enumerated().filter { (range.from..<range.end).contains(before + $0.offset) }
      let isInside = section.rows.isEmpty ? (range.from..<range.end).contains(before) : !rows.isEmpty
      before += section.rows.count
      guard isInside else { return nil }
      return Section(
        id: section.id,
        header: section.header,
        footer: section.footer,
        rows: RowList(rows.map(\.element)),
        skipped: rows.first?.offset ?? 0
      )
    }
    cut.window = Window(range, of: before)
    return cut
  }
}

extension Section {
  fileprivate var withoutSkipped: Section { Section(id: id, header: header, footer: footer, rows: rows) }
}

extension TableGenerator {
  /// Anywhere, mostly in the table.
  fileprivate mutating func window() -> WindowRange? {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: nil
    case 1: WindowRange(Int.random(in: 1...20, using: &random))
    default: WindowRange(from: Int.random(in: 0...24, using: &random), rows: Int.random(in: 1...12, using: &random))
    }
  }
}
