extension [TableStage] {
  /// The stages that lead from one state of a table to another, legal for a table view; none where they are equal.
  ///
  /// For states that differ by what only this client knows (edits under way, changes held back while the user drags):
  /// between two states of the service, its own changesets are used. O(rows · log rows).
  public init(from old: [TableSection], to new: [TableSection]) {
    let difference = TableDifference(from: old, to: new)
    self = difference.stages.filter { !$0.isEmpty }
  }
}

private struct TableDifference {
  private let old: [TableSection]
  private let new: [TableSection]
  private let oldIndex: [Identity: Int]
  private let newIndex: [Identity: Int]
  private let oldPaths: [Identity: RowPath]
  private let newPaths: [Identity: RowPath]

  init(from old: [TableSection], to new: [TableSection]) {
    (self.old, self.new) = (old, new)
    oldIndex = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.identity, $0) })
    newIndex = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1.identity, $0) })
    (oldPaths, newPaths) = (paths(of: old), paths(of: new))
  }

  var stages: [TableStage] {
    let kept = old.filter { newIndex[$0.identity] != nil }
    let order = kept.map { newIndex[$0.identity] ?? 0 }
    let inOrder = longestIncreasing(order)
    let movedSections = Set(kept.indices.filter { !inOrder.contains($0) }.map { kept[$0].identity })

    var (leave, change, arrive) = (TableStage(), TableStage(), TableStage())
    for (index, section) in old.enumerated() {
      if newIndex[section.identity] == nil {
        change.deletedSections.append(.init(at: index, id: section.id))
      } else if movedSections.contains(section.identity), let to = newIndex[section.identity] {
        change.movedSections.append(.init(from: index, to: to, id: section.id))
      }
    }
    for (index, section) in new.enumerated() where oldIndex[section.identity] == nil {
      change.insertedSections.append(.init(at: index, section: section))
    }
    // Where no section moves, all is one stage. Else rows leave in the first one, with the old indices, and the
    // others change places in the last one, with the new ones.
    let isOneStage = movedSections.isEmpty
    addRows(leave: &leave, arrive: &arrive, isOneStage: isOneStage)
    addUpdates(to: &arrive)
    guard isOneStage else { return [leave, change, arrive] }
    arrive.deletedRows = leave.deletedRows
    arrive.deletedSections = change.deletedSections
    arrive.insertedSections = change.insertedSections
    return [arrive]
  }

  private func addRows(leave: inout TableStage, arrive: inout TableStage, isOneStage: Bool) {
    for (index, section) in old.enumerated() where newIndex[section.identity] != nil {
      for (row, path) in section.rows.enumerated().map({ ($1, RowPath(section: index, row: $0)) }) {
        let goesWithSection = newPaths[row.identity].map { oldIndex[new[$0.section].identity] == nil } ?? true
        if goesWithSection { leave.deletedRows.append(.init(at: path, id: row.id)) }
      }
    }
    // Where rows stand once the first stages are done: the coordinates that moves start from.
    var before = oldPaths
    if !isOneStage {
      let gone = Set(leave.deletedRows.map { Identity($0.id) })
      before = [:]
      for section in old {
        guard let index = newIndex[section.identity] else { continue }
        for (row, element) in section.rows.lazy.filter({ !gone.contains($0.identity) }).enumerated() {
          before[element.identity] = RowPath(section: index, row: row)
        }
      }
    }
    for (index, section) in new.enumerated() where oldIndex[section.identity] != nil {
      let stayed = section.rows.filter { row in
        oldPaths[row.identity].map { old[$0.section].identity == section.identity } ?? false
      }
      let inOrder = longestIncreasing(stayed.map { oldPaths[$0.identity]?.row ?? 0 })
      let still = Set(inOrder.map { stayed[$0].identity })
      for (row, element) in section.rows.enumerated() where !still.contains(element.identity) {
        let to = RowPath(section: index, row: row)
        if let place = oldPaths[element.identity], newIndex[old[place.section].identity] != nil,
          let from = before[element.identity]
        {
          arrive.movedRows.append(.init(from: from, to: to, id: element.id))
        } else {
          arrive.insertedRows.append(.init(at: to, row: element))
        }
      }
    }
  }

  private func addUpdates(to stage: inout TableStage) {
    for (index, section) in new.enumerated() {
      guard let place = oldIndex[section.identity] else { continue }
      let skipped = old[place].skipped == section.skipped ? nil : section.skipped
      if old[place].header != section.header || old[place].footer != section.footer || skipped != nil {
        stage.updatedSections.append(
          .init(at: index, id: section.id, header: section.header, footer: section.footer, skipped: skipped)
        )
      }
      for (row, element) in section.rows.enumerated() {
        // A row out of a deleted section is inserted as it is.
        guard let path = oldPaths[element.identity], newIndex[old[path.section].identity] != nil else { continue }
        let former = old[path.section].rows[path.row]
        guard former != element else { continue }
        stage.updatedRows.append(
          .init(
            at: RowPath(section: index, row: row),
            row: element,
            reload: former.cellIdentifier != element.cellIdentifier
          )
        )
      }
    }
  }
}

private func paths(of sections: [TableSection]) -> [Identity: RowPath] {
  var paths: [Identity: RowPath] = [:]
  paths.reserveCapacity(sections.reduce(0) { $0 + $1.rows.count })
  for (index, section) in sections.enumerated() {
    for (row, element) in section.rows.enumerated() { paths[element.identity] = RowPath(section: index, row: row) }
  }
  return paths
}

/// The positions of one longest increasing subsequence: what need not move. O(n log n) (Fredman 1975).
private func longestIncreasing(_ values: [Int]) -> Set<Int> {
  var ends: [Int] = []
  var before = [Int](repeating: -1, count: values.count)
  for (position, value) in values.enumerated() {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
    }
    if low > 0 { before[position] = ends[low - 1] }
    if low == ends.count { ends.append(position) } else { ends[low] = position }
  }
  var result: Set<Int> = []
  var position = ends.last ?? -1
  while position >= 0 {
    result.insert(position)
    position = before[position]
  }
  return result
}
