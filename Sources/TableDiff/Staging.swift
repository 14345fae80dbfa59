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
  /// Whether sections move first, in a stage of their own.
  private let isStaged: Bool

  /// O(sections + operations).
  init(from old: Table, to new: Table, sections: SectionMatching, rows: RowMatching, moves: RowMoves) {
    (self.old, self.new, self.sections, self.rows, self.moves) = (old, new, sections, rows, moves)
    guard !zip(sections.pairs, sections.pairs.dropFirst()).allSatisfy({ $0.from < $1.from }) else {
      isMoved = [Bool](repeating: false, count: sections.pairs.count)
      isStaged = false
      return
    }
    var hasRowOperations = [Bool](repeating: false, count: sections.pairs.count)
    for (index, pair) in rows.pairs.enumerated() {
      hasRowOperations[pair.pair] =
        !moves.moves(ofPair: index).isEmpty
        || !rows.oldStrays[pair.oldStrays].allSatisfy(\.staysInSection)
        || !rows.newStrays[pair.newStrays].allSatisfy(\.staysInSection)
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
      let section = new.sections[pair.to]
      guard !Section.sameFrame(old.sections[pair.from], section) else { return nil }
      return .init(at: pair.to, id: section.id, header: section.header, footer: section.footer)
    }
  }

  /// Deletes, inserts and moves of rows.
  private func rowOperations() -> Changeset.RowOperations {
    var (deletes, inserts, moved): ([Changeset.RowDelete], [Changeset.RowInsert], [Changeset.RowMove]) = ([], [], [])
    deletes.reserveCapacity(rows.oldStrays.count - rows.matches)
    inserts.reserveCapacity(rows.newStrays.count - rows.matches)
    moved.reserveCapacity(moves.count + rows.crossings)
    for (index, pair) in rows.pairs.enumerated() {
      let section = sectionBefore(pair.pair)
      let newSection = sections.pairs[pair.pair].to
      old.sections[sections.pairs[pair.pair].from].withUnsafeRows { oldRows in
        moved.append(
          contentsOf: moves.moves(ofPair: index).lazy.reversed().map { move in
            Changeset.RowMove(
              from: IndexPath(section: section, row: Int(move.from)),
              to: IndexPath(section: newSection, row: Int(move.to)),
              id: oldRows.id(Int(move.from))
            )
          }
        )
      }
      for stray in rows.oldStrays[pair.oldStrays] where !stray.staysInSection {
        let place = IndexPath(section: section, row: Int(stray.place.row))
        if stray.isMatched {
          let newSection = sections.pairs[Int(stray.counterpart.pair)].to
          let destination = IndexPath(section: newSection, row: Int(stray.counterpart.row))
          moved.append(.init(from: place, to: destination, id: stray.id))
        } else {
          deletes.append(.init(at: place, id: stray.id))
        }
      }
      let newRows = new.sections[newSection].rows
      for stray in rows.newStrays[pair.newStrays] where !stray.isMatched {
        let place = IndexPath(section: newSection, row: Int(stray.place.row))
        inserts.append(.init(at: place, row: newRows[Int(stray.place.row)]))
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
      let section = sections.pairs[update.pair].to
      let row = new.sections[section].rows[update.row]
      return .init(at: IndexPath(section: section, row: update.row), row: row, reload: update.isReload)
    }
  }

  private func attributes() -> Changeset.Attributes {
    var attributes = Changeset.Attributes()
    if old.state != new.state { attributes.state = new.state }
    if old.problem != new.problem { attributes.problem = .some(new.problem) }
    if old.title != new.title { attributes.title = new.title }
    if old.animation != new.animation { attributes.animation = new.animation }
    let counts = new.counts
    if old.counts != counts { attributes.counts = counts }
    return attributes
  }
}
