import Foundation

/// What a batch of a list is to do.
struct Batch {
  var deletedRows: [IndexPath] = []
  var insertedRows: [IndexPath] = []
  var movedRows: [(from: IndexPath, to: IndexPath)] = []
  var deletedSections = IndexSet()
  var insertedSections = IndexSet()
  var movedSections: [(from: Int, to: Int)] = []
}

/// The cells that a list shows, to which batches are applied as UIKit does it. What it raises an exception for is
/// given to `raise`.
@MainActor
struct StrictList<Cell: AnyObject, Header: AnyObject> {
  var cells: [[Cell]] = []
  /// By section; they go with it, and are asked for again with it alone.
  var headers: [Header?] = []

  /// Deletions and moves from are in coordinates before the batch, insertions and moves to in those after it.
  mutating func apply(
    _ batch: Batch,
    counts: [Int],
    filled: (IndexPath) -> Cell?,
    header: (Int) -> Header?,
    raise: (String) -> Void
  ) {
    let leavingRows = batch.deletedRows + batch.movedRows.map(\.from)
    if Set(leavingRows).count != leavingRows.count { raise("a row is deleted and moved") }
    let leavingSections = batch.deletedSections.union(IndexSet(batch.movedSections.map(\.from)))
    if leavingSections.count != batch.deletedSections.count + batch.movedSections.count {
      raise("a section is deleted and moved")
    }
    if let last = leavingSections.last, last >= cells.count { return raise("attempt to delete section \(last)") }
    var before = cells.map { $0.map(Optional.some) }
    var moved: [IndexPath: Cell?] = [:]
    for path in leavingRows.sorted(by: >) {
      guard before.indices.contains(path.section), before[path.section].indices.contains(path.row) else {
        return raise("attempt to delete row \(path.row) from section \(path.section)")
      }
      if leavingSections.contains(path.section) { raise("a row operation in a section that moves") }
      moved[path] = before[path.section].remove(at: path.row)
    }
    var arriving: [Int: [Cell?]] = [:]
    for section in batch.insertedSections where counts.indices.contains(section) {
      arriving[section] = (0..<counts[section]).map { filled(IndexPath(row: $0, section: section)) }
    }
    var arrivingHeaders: [Int: Header?] = [:]
    for section in batch.insertedSections { arrivingHeaders[section] = .some(header(section)) }
    for move in batch.movedSections {
      arriving[move.to] = before[move.from]
      arrivingHeaders[move.to] = .some(headers[move.from])
    }
    if arriving.count != batch.insertedSections.count + batch.movedSections.count {
      raise("two sections enter at one place")
    }
    var after = before.indices.filter { !leavingSections.contains($0) }.map { before[$0] }
    var staying = headers.indices.filter { !leavingSections.contains($0) }.map { headers[$0] }
    for (at, section) in arriving.sorted(by: { $0.key < $1.key }) {
      guard at <= after.count else { return raise("attempt to insert section \(at)") }
      after.insert(section, at: at)
      staying.insert(arrivingHeaders[at] ?? nil, at: at)
    }
    var rows: [IndexPath: Cell?] = [:]
    for path in batch.insertedRows where counts.indices.contains(path.section) && path.row < counts[path.section] {
      rows[path] = filled(path)
    }
    for move in batch.movedRows { rows[move.to] = moved[move.from] ?? nil }
    if rows.count != batch.insertedRows.count + batch.movedRows.count { raise("two rows enter at one place") }
    for (path, cell) in rows.sorted(by: { $0.key < $1.key }) {
      guard after.indices.contains(path.section), path.row <= after[path.section].count else {
        return raise("attempt to insert row \(path.row) into section \(path.section)")
      }
      if arriving[path.section] != nil { raise("a row operation in a section that enters") }
      after[path.section].insert(cell, at: path.row)
    }
    if after.map(\.count) != counts { raise("invalid number of rows: \(after.map(\.count)), the data has \(counts)") }
    cells = after.map { $0.compactMap(\.self) }
    headers = staying
  }

  /// A cell that is reconfigured must be dequeued as the same kind again.
  mutating func refill(
    _ paths: [IndexPath],
    keepsKind: Bool,
    filled: (IndexPath) -> Cell?,
    kind: (Cell) -> String?,
    raise: (String) -> Void
  ) {
    if Set(paths).count != paths.count { raise("a row is filled twice") }
    for path in paths {
      guard cells.indices.contains(path.section), cells[path.section].indices.contains(path.row) else {
        raise("attempt to fill row \(path.row) in section \(path.section)")
        continue
      }
      guard let cell = filled(path) else { continue }
      if keepsKind, kind(cell) != kind(cells[path.section][path.row]) {
        raise("a cell of another kind was dequeued for a row that is reconfigured")
      }
      cells[path.section][path.row] = cell
    }
  }
}
