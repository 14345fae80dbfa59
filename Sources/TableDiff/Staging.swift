import FieldValues
import TableModel

/// Writes down what the matching found as stages: see `Changeset.init(from:to:)` for their order and why.
struct Staging {
  private let old: Table
  private let new: Table
  private let sections: SectionMatching
  private let rows: RowMatching
  private let moves: RowMoves
  /// By section that stays: whether it moves.
  private let isMoved: [Bool]
  /// True if sections move first, in a stage of their own.
  private let isStaged: Bool

  /// O(sections + operations), and O(log rows) for each operation in a long list.
  init(from old: Table, to new: Table, sections: SectionMatching, rows: RowMatching, moves: RowMoves) {
    (self.old, self.new, self.sections, self.rows, self.moves) = (old, new, sections, rows, moves)
    guard !zip(sections.pairs, sections.pairs.dropFirst()).allSatisfy({ $0.from < $1.from }) else {
      isMoved = [Bool](repeating: false, count: sections.pairs.count)
      isStaged = false
      return
    }
    var hasRowOperations = [Bool](repeating: false, count: sections.pairs.count)
    for (index, pair) in rows.sweep.pairs.enumerated() {
      let staying = rows.staying[index]
      hasRowOperations[pair.index] =
        !moves.moves(ofPair: index).isEmpty || pair.oldStrays.count > staying || pair.newStrays.count > staying
    }
    var subsequence = LongestIncreasingSubsequence()
    isMoved = subsequence.members(of: sections.pairs.map(\.from), preferring: hasRowOperations).map { !$0 }
    isStaged = zip(isMoved, hasRowOperations).contains { $0 && $1 }
  }

  func stages() -> [Changeset.Stage] {
    var first = Changeset.Stage()
    var last = Changeset.Stage()
    let departures = departures()
    if isStaged { first.sections = departures } else { last.sections = departures }
    last.sections.insert = sections.inserted.map { .init(at: $0, section: new.sections[$0]) }
    last.sections.update = sectionUpdates()
    last.rows = rowOperations()
    last.rows.update = rowUpdates()
    last.attributes = attributes()
    return [first, last].filter { !$0.isEmpty }
  }

  /// Deletes and moves of sections.
  private func departures() -> Changeset.SectionOperations {
    var operations = Changeset.SectionOperations()
    operations.delete = sections.deleted.map { .init(at: $0, id: old.sections[$0].id) }
    for (index, pair) in sections.pairs.enumerated() where isMoved[index] {
      // In a stage of their own, what arrives has not arrived yet.
      operations.move.append(.init(from: pair.from, to: isStaged ? index : pair.to, id: old.sections[pair.from].id))
    }
    return operations
  }

  private func sectionUpdates() -> [Changeset.SectionUpdate] {
    sections.pairs.compactMap { pair in
      let (before, section) = (old.sections[pair.from], new.sections[pair.to])
      let skipped = before.skipped == section.skipped ? nil : section.skipped
      guard skipped != nil || !Section.sameFrame(before, section) else { return nil }
      return .init(at: pair.to, id: section.id, header: section.header, footer: section.footer, skipped: skipped)
    }
  }

  /// Deletes, inserts and moves of rows.
  private func rowOperations() -> Changeset.RowOperations {
    var (deletes, inserts, moved): ([Changeset.RowDelete], [Changeset.RowInsert], [Changeset.RowMove]) = ([], [], [])
    deletes.reserveCapacity(rows.destinations.count - rows.matches)
    inserts.reserveCapacity(rows.isMatched.count - rows.matches)
    moved.reserveCapacity(moves.count + rows.matches - rows.staying.reduce(0, +))
    for (index, pair) in rows.sweep.pairs.enumerated() {
      let section = sectionBefore(pair.index)
      let newSection = sections.pairs[pair.index].to
      let newRows = RowReader(new.sections[newSection].rows)
      let oldRows = RowReader(old.sections[sections.pairs[pair.index].from].rows)
      for move in moves.moves(ofPair: index).reversed() {
        moved.append(
          Changeset.RowMove(
            from: IndexPath(section: section, row: Int(move.from)),
            to: IndexPath(section: newSection, row: Int(move.to)),
            id: oldRows[Int(move.from)].id
          )
        )
      }
      guard pair.oldStrays.count + pair.newStrays.count > 2 * rows.staying[index] else { continue }
      var (oldStray, newStray) = (pair.oldStrays.lowerBound, pair.newStrays.lowerBound)
      rows.sweep.forEachGap(of: pair) { oldGap, newGap in
        for row in oldGap {
          let destination = rows.destinations[oldStray]
          oldStray += 1
          if Int(destination.pair) == pair.index { continue }
          let place = IndexPath(section: section, row: row)
          if destination.isSomewhere {
            let newSection = sections.pairs[Int(destination.pair)].to
            let to = IndexPath(section: newSection, row: Int(destination.row))
            moved.append(.init(from: place, to: to, id: oldRows[row].id))
          } else {
            deletes.append(.init(at: place, id: oldRows[row].id))
          }
        }
        for row in newGap {
          if !rows.isMatched[newStray] {
            let inserted = newRows[row].row.takeUnretainedValue()
            inserts.append(.init(at: IndexPath(section: newSection, row: row), row: inserted))
          }
          newStray += 1
        }
      }
    }
    var operations = Changeset.RowOperations()
    (operations.delete, operations.insert, operations.move) = (deletes, inserts, moved)
    return operations
  }

  /// The index, before the stage that changes rows, of a section that stays.
  private func sectionBefore(_ pair: Int) -> Int { isStaged ? pair : sections.pairs[pair].from }

  private func rowUpdates() -> [Changeset.RowUpdate] {
    rows.updates.map { update in
      let section = sections.pairs[Int(update.place.pair)].to
      let path = IndexPath(section: section, row: Int(update.place.row))
      return .init(
        at: path,
        row: new.sections[section].rows[path.row],
        reload: update.isReload,
        former: update.former.takeUnretainedValue()
      )
    }
  }

  private func attributes() -> Changeset.Attributes {
    var attributes = Changeset.Attributes()
    if old.state != new.state { attributes.state = new.state }
    if old.problem != new.problem { attributes.problem = .some(new.problem) }
    if !old.title.isExactly(new.title) { attributes.title = new.title }
    if old.animation != new.animation { attributes.animation = new.animation }
    let counts = new.counts
    if old.counts != counts { attributes.counts = counts }
    if old.isTruncated != new.isTruncated { attributes.isTruncated = new.isTruncated }
    if old.isForEdges != new.isForEdges { attributes.isForEdges = new.isForEdges }
    if old.window != new.window { attributes.window = .some(new.window) }
    if old.find != new.find { attributes.find = .some(new.find) }
    return attributes
  }
}
