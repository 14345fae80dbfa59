import Foundation
import TablecastClient

/// A line of an `NSTableView`, which has no sections: headers are lines of their own.
enum ListLine: Hashable, Sendable {
  case header(section: Identity)
  case row(Identity)

  static func all(of sections: [TableSection]) -> [ListLine] {
    sections.flatMap { section in
      (section.header == nil ? [] : [.header(section: section.identity)]) + section.rows.map { .row($0.identity) }
    }
  }

  /// Lines that a stage inserts: a row out of a section that is deleted is inserted with what it shows now.
  static func entering(by stage: TableStage) -> Set<ListLine> {
    Set(stage.insertedRows.map { .row($0.row.identity) }).union(all(of: stage.insertedSections.map(\.section)))
  }

  static func count(of sections: [TableSection]) -> Int {
    sections.reduce(0) { $0 + $1.rows.count + ($1.header == nil ? 0 : 1) }
  }

  /// The row on a line; nil for a header. O(sections).
  static func path(_ line: Int, in sections: [TableSection]) -> RowPath? {
    var rest = line
    for (index, section) in sections.enumerated() {
      if section.header != nil {
        if rest == 0 { return nil }
        rest -= 1
      }
      if rest < section.rows.count { return RowPath(section: index, row: rest) }
      rest -= section.rows.count
    }
    return nil
  }

  /// The section whose header stands on a line. O(sections).
  static func section(_ line: Int, in sections: [TableSection]) -> TableSection? {
    var rest = line
    for section in sections {
      if section.header != nil, rest == 0 { return section }
      rest -= section.rows.count + (section.header == nil ? 0 : 1)
      if rest < 0 { return nil }
    }
    return nil
  }

  /// Where a row stands. O(sections).
  static func line(of path: RowPath, in sections: [TableSection]) -> Int? {
    guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
      return nil
    }
    return start(of: path.section, in: sections) + (sections[path.section].header == nil ? 0 : 1) + path.row
  }

  /// Where a section's header stands; nil where it has none. O(sections).
  static func header(of section: Int, in sections: [TableSection]) -> Int? {
    guard sections.indices.contains(section), sections[section].header != nil else { return nil }
    return start(of: section, in: sections)
  }

  /// Lines whose views are to be made anew; nil where a header has come or gone, which is a line more or less.
  static func refilled(
    _ rows: [RowPath],
    sections: [Int],
    from old: [TableSection],
    to new: [TableSection]
  ) -> IndexSet? {
    guard all(of: old) == all(of: new) else { return nil }
    var lines = IndexSet(rows.compactMap { line(of: $0, in: new) })
    lines.formUnion(IndexSet(sections.compactMap { header(of: $0, in: new) }))
    return lines
  }

  private static func start(of section: Int, in sections: [TableSection]) -> Int {
    count(of: Array(sections[..<section]))
  }
}
