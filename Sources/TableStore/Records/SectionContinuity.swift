internal import TableDiff
import TableModel

/// Which section of the version before each section of a version goes on from, and how much of its rows stand
/// at its two ends as they did.
struct SectionContinuity {
  struct Match {
    /// The section's index in the version before.
    var old: Int
    /// How many rows at the beginning are the same, and how many more at the end.
    var prefix: Int
    var suffix: Int
    var isUnchanged: Bool
    /// Parts between the two ends that stand elsewhere now, but as they stood: where they were, and where they are.
    var shared: [(old: Range<Int>, new: Range<Int>)] = []
  }

  /// By section of the version.
  var matches: [Match?] = []

  /// O(sections + rows of the sections that changed, without what they share), over fingerprints, confirmed by bytes.
  init(_ table: Table, _ previous: Table?) {
    var oldIndex: [String: Int] = [:]
    for (index, section) in (previous?.sections ?? []).enumerated() { oldIndex[section.id] = index }
    matches = table.sections.map { section in
      guard let previous, let old = oldIndex[section.id] else { return nil }
      return Match(section, previous.sections[old], at: old)
    }
  }
}

extension SectionContinuity.Match {
  fileprivate init(_ section: Section, _ before: Section, at old: Int) {
    isUnchanged = section === before
    self.old = old
    (prefix, suffix) = (section.rows.count, 0)
    guard !isUnchanged else { return }
    (prefix, suffix) = RowList.commonEnds(before.rows, section.rows, where: Row.identical)
    isUnchanged =
      prefix == section.rows.count && prefix == before.rows.count
      && CellModel.same(section.header, before.header) && CellModel.same(section.footer, before.footer)
    shared = RowList.sharedParts(before.rows, section.rows).compactMap { part in
      let first = max(prefix - part.old.lowerBound, prefix - part.new.lowerBound, 0)
      let last = min(
        before.rows.count - suffix - part.old.lowerBound,
        section.rows.count - suffix - part.new.lowerBound,
        part.old.count
      )
      guard first < last else { return nil }
      return (
        part.old.lowerBound + first..<part.old.lowerBound + last,
        part.new.lowerBound + first..<part.new.lowerBound + last
      )
    }
  }

  /// The rows of the section before, `count` in all, that don't stand as they stood.
  fileprivate func displaced(of count: Int) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var next = prefix
    for part in shared {
      gaps.append(next..<part.old.lowerBound)
      next = part.old.upperBound
    }
    return gaps + [next..<count - suffix]
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

  mutating func collect(from table: Table, numbers: [[UInt64]], matching: SectionContinuity) {
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

  /// The numbers of what was not taken.
  var rest: [UInt64] { rows.values.flatMap { $0.map(\.number) } }
}
