import FieldValues
internal import TableDiff
import TableModel

/// The section of the version before that each section of a version goes on from, and the rows that stand as they did.
struct SectionContinuity {
  struct Match {
    /// The section's index in the version before.
    var old: Int
    /// The old and new ranges of rows that stay: in order in both, none empty.
    var kept: [(old: Range<Int>, new: Range<Int>)]
    var isUnchanged: Bool
  }

  /// By section of the version.
  var matches: [Match?] = []

  /// O(sections + rows of the sections that changed, without what they share), over fingerprints, confirmed by bytes.
  init(_ table: Table, _ previous: Table?) {
    var oldIndex: [ByteText: Int] = [:]
    for (index, section) in (previous?.sections ?? []).enumerated() { oldIndex[ByteText(section.id)] = index }
    matches = table.sections.map { section in
      guard let previous, let old = oldIndex[ByteText(section.id)] else { return nil }
      return Match(section, previous.sections[old], at: old)
    }
  }
}

extension SectionContinuity.Match {
  fileprivate init(_ section: Section, _ before: Section, at old: Int) {
    self.old = old
    kept = RowList.inStep(before.rows, section.rows, where: Row.identical)
    let haveSameRows =
      before.rows.count == section.rows.count && kept.reduce(0) { $0 + $1.new.count } == section.rows.count
    isUnchanged =
      section === before
      || haveSameRows && CellModel.same(section.header, before.header) && CellModel.same(section.footer, before.footer)
  }

  /// The rows of the section before, `count` in all, that don't stand as they stood.
  fileprivate func displaced(of count: Int) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var next = 0
    for part in kept {
      gaps.append(next..<part.old.lowerBound)
      next = part.old.upperBound
    }
    return gaps + [next..<count]
  }
}

/// The rows of a version that do not stand where they stood: found again, or gone.
struct DisplacedRows {
  struct Found {
    var number: UInt64
    var section: Int
    var position: Int
    var row: Row
  }

  /// Identities are unique in a table, and almost always so are their fingerprints.
  private var rows: [RowKey: [Found]] = [:]

  mutating func collect(from table: Table, numbers: [RowNumberList], matching: SectionContinuity) {
    var kept: [Int: SectionContinuity.Match] = [:]
    for case let match? in matching.matches { kept[match.old] = match }
    for (index, section) in table.sections.enumerated() {
      let count = section.rows.count
      for position in (kept[index]?.displaced(of: count) ?? [0..<count]).joined() {
        let found = Found(
          number: numbers[index][position],
          section: index,
          position: position,
          row: section.rows[position]
        )
        rows[section.keys[position], default: []].append(found)
      }
    }
  }

  mutating func take(_ row: Row) -> Found? {
    guard let candidates = rows[row.key], let index = candidates.firstIndex(where: { Row.identical($0.row, row) })
    else { return nil }
    return rows[row.key]?.remove(at: index)
  }

  /// The rows that were not taken.
  var rest: [(number: UInt64, row: Row)] { rows.values.flatMap { $0.map { ($0.number, $0.row) } } }
}
