extension [TableStage] {
  /// The stages that lead from one state of a table to another. They are legal for a table view. Empty if the states
  /// are equal.
  ///
  /// For states that differ by something that only this client knows: pending edits, or changes held back while the
  /// user drags. Between two states of the service, the service's own changesets are used. O(rows) comparisons of
  /// references, and O(r · log r) for the r rows of a section between the first and the last difference.
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
  /// By section: what lies between the first and the last row that differ. All rows where sections come, go or move.
  private let oldRows: [Range<Int>]
  private let newRows: [Range<Int>]

  init(from old: [TableSection], to new: [TableSection]) {
    (self.old, self.new) = (old, new)
    oldIndex = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.identity, $0) })
    newIndex = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1.identity, $0) })
    if old.elementsEqual(new, by: { $0.identity == $1.identity }) {
      let ranges = zip(old, new).map { differing($0.rows, $1.rows) }
      (oldRows, newRows) = (ranges.map(\.old), ranges.map(\.new))
    } else {
      (oldRows, newRows) = (old.map(\.rows.indices), new.map(\.rows.indices))
    }
    (oldPaths, newPaths) = (paths(of: old, oldRows), paths(of: new, newRows))
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
      for (row, path) in oldRows[index].map({ (section.rows[$0], RowPath(section: index, row: $0)) }) {
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
      let rows = Array(section.rows[newRows[index]])
      let stayed = rows.filter { row in
        oldPaths[row.identity].map { old[$0.section].identity == section.identity } ?? false
      }
      let inOrder = longestIncreasing(stayed.map { oldPaths[$0.identity]?.row ?? 0 })
      let still = Set(inOrder.map { stayed[$0].identity })
      for (row, element) in zip(newRows[index], rows) where !still.contains(element.identity) {
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
      for row in newRows[index] {
        let element = section.rows[row]
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

private func paths(of sections: [TableSection], _ rows: [Range<Int>]) -> [Identity: RowPath] {
  var paths: [Identity: RowPath] = [:]
  paths.reserveCapacity(rows.reduce(0) { $0 + $1.count })
  for (index, section) in sections.enumerated() {
    for row in rows[index] { paths[section.rows[row].identity] = RowPath(section: index, row: row) }
  }
  return paths
}

/// What lies between the first and the last row that differ. What is the same at both ends stays in every shortest list of
/// changes.
private func differing(_ old: TableRows, _ new: TableRows) -> (old: Range<Int>, new: Range<Int>) {
  let shorter = min(old.count, new.count)
  var (start, end) = (0, 0)
  while start < shorter, old[start] == new[start] { start += 1 }
  while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
  return (start..<old.count - end, start..<new.count - end)
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
