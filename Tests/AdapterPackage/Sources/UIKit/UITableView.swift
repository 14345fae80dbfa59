import Foundation

@MainActor open class UITableView: UIScrollView {
  public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }
  public enum ScrollPosition: Int, Sendable { case none, top, middle, bottom }

  public weak var dataSource: (any UITableViewDataSource)?
  public weak var delegate: (any UITableViewDelegate)?
  public var hasUncommittedUpdates = false
  public var hasActiveDrag = false
  public var hasActiveDrop = false

  /// What the real view raises an exception for.
  public private(set) var exceptions: [String] = []
  public private(set) var batches = 0
  public private(set) var reloads = 0
  /// Cells as they were filled last.
  public private(set) var cells: [[UITableViewCell]] = []
  private var hasLoaded = false
  private var registered: Set<String> = []
  private var batch: Batch?
  private var completions: [(Bool) -> Void] = []
  private var selection: Set<IndexPath> = []

  private struct Batch {
    var deletedRows: [IndexPath] = []
    var insertedRows: [IndexPath] = []
    var movedRows: [(from: IndexPath, to: IndexPath)] = []
    var deletedSections = IndexSet()
    var insertedSections = IndexSet()
    var movedSections: [(from: Int, to: Int)] = []
  }

  public func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
    registered.insert(identifier)
  }

  public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
    if !registered.contains(identifier) { raise("unable to dequeue a cell with identifier \(identifier)") }
    let cell = UITableViewCell()
    cell.reuseIdentifier = identifier
    return cell
  }

  public var numberOfSections: Int {
    load()
    return cells.count
  }

  public func numberOfRows(inSection section: Int) -> Int {
    load()
    return cells[section].count
  }

  public func reloadData() {
    if batch != nil { raise("reloadData inside a batch") }
    hasLoaded = true
    reloads += 1
    selection = []
    cells = dataCounts.enumerated().map { section, rows in (0..<rows).compactMap { filled(section, $0) } }
  }

  public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
    load()
    if window == nil { raise("a batch outside a window") }
    if hasUncommittedUpdates { raise("a batch while the view has uncommitted updates") }
    if batch != nil { raise("a batch inside a batch") }
    if dataCounts != cells.map(\.count) { raise("the data was changed before the batch") }
    batches += 1
    batch = Batch()
    updates?()
    let done = batch ?? Batch()
    batch = nil
    apply(done)
    if let completion { completions.append(completion) }
  }

  /// What the run loop does when animations are over.
  public func completeAnimations() {
    let due = completions
    completions = []
    for completion in due { completion(true) }
  }

  public func insertRows(at paths: [IndexPath], with animation: RowAnimation) { batch?.insertedRows += paths }
  public func deleteRows(at paths: [IndexPath], with animation: RowAnimation) { batch?.deletedRows += paths }
  public func moveRow(at path: IndexPath, to newPath: IndexPath) { batch?.movedRows.append((path, newPath)) }
  public func insertSections(_ sections: IndexSet, with animation: RowAnimation) {
    batch?.insertedSections.formUnion(sections)
  }
  public func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {
    batch?.deletedSections.formUnion(sections)
  }
  public func moveSection(_ section: Int, toSection newSection: Int) {
    batch?.movedSections.append((section, newSection))
  }

  public func reconfigureRows(at paths: [IndexPath]) { refill(paths) }
  public func reloadRows(at paths: [IndexPath], with animation: RowAnimation) { refill(paths) }

  private func refill(_ paths: [IndexPath]) {
    if !completions.isEmpty { raise("two animations for one cell") }
    if dataCounts != cells.map(\.count) { return raise("invalid number of rows at a refill") }
    for path in paths {
      guard let cell = filled(path.section, path.row) else { continue }
      cells[path.section][path.row] = cell
    }
  }

  public func headerView(forSection section: Int) -> UITableViewHeaderFooterView? { nil }
  public func footerView(forSection section: Int) -> UITableViewHeaderFooterView? { nil }
  public var indexPathsForVisibleRows: [IndexPath]? {
    cells.enumerated().flatMap { section, rows in rows.indices.map { IndexPath(row: $0, section: section) } }
  }
  public func rectForRow(at path: IndexPath) -> CGRectLike { CGRectLike(minY: CGFloat(path.section * 1000 + path.row)) }
  public var indexPathsForSelectedRows: [IndexPath]? { selection.isEmpty ? nil : Array(selection) }
  public func selectRow(at path: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
    if let path { selection.insert(path) }
  }

  private func load() { if !hasLoaded { reloadData() } }

  private func raise(_ what: String) { exceptions.append(what) }

  private var dataCounts: [Int] {
    guard let dataSource else { return [] }
    return (0..<dataSource.numberOfSections(in: self)).map { dataSource.tableView(self, numberOfRowsInSection: $0) }
  }

  private func filled(_ section: Int, _ row: Int) -> UITableViewCell? {
    dataSource?.tableView(self, cellForRowAt: IndexPath(row: row, section: section))
  }

  /// Deletions and moves from are in coordinates before the batch, insertions and moves to in those after it.
  private func apply(_ batch: Batch) {
    let leavingRows = batch.deletedRows + batch.movedRows.map(\.from)
    if Set(leavingRows).count != leavingRows.count { raise("a row is deleted and moved") }
    let leavingSections = batch.deletedSections.union(IndexSet(batch.movedSections.map(\.from)))
    var before = cells.map { $0.map(Optional.some) }
    var moved: [IndexPath: UITableViewCell?] = [:]
    for path in leavingRows.sorted(by: >) {
      guard before.indices.contains(path.section), before[path.section].indices.contains(path.row) else {
        return raise("attempt to delete row \(path.row) from section \(path.section)")
      }
      if leavingSections.contains(path.section) { raise("a row operation in a section that moves") }
      moved[path] = before[path.section].remove(at: path.row)
    }
    let counts = dataCounts
    var arriving: [Int: [UITableViewCell?]] = [:]
    for section in batch.insertedSections where counts.indices.contains(section) {
      arriving[section] = (0..<counts[section]).map { filled(section, $0) }
    }
    for move in batch.movedSections { arriving[move.to] = before[move.from] }
    var after = before.indices.filter { !leavingSections.contains($0) }.map { before[$0] }
    for (at, section) in arriving.sorted(by: { $0.key < $1.key }) {
      guard at <= after.count else { return raise("attempt to insert section \(at)") }
      after.insert(section, at: at)
    }
    var rows: [IndexPath: UITableViewCell?] = [:]
    for path in batch.insertedRows { rows[path] = filled(path.section, path.row) }
    for move in batch.movedRows { rows[move.to] = moved[move.from] ?? nil }
    if rows.count != batch.insertedRows.count + batch.movedRows.count { raise("two rows enter at one place") }
    for (path, cell) in rows.sorted(by: { $0.key < $1.key }) {
      guard after.indices.contains(path.section), path.row <= after[path.section].count else {
        return raise("attempt to insert row \(path.row) into section \(path.section)")
      }
      after[path.section].insert(cell, at: path.row)
    }
    if after.map(\.count) != counts { raise("invalid number of rows: \(after.map(\.count)), the data has \(counts)") }
    cells = after.map { $0.compactMap(\.self) }
  }
}
