import Foundation

@MainActor open class UITableViewCell: UIView {
  public enum EditingStyle: Int, Sendable { case none, delete, insert }
  public internal(set) var reuseIdentifier: String?
  public let textLabel: UILabel? = UILabel()
}

@MainActor open class UITableViewHeaderFooterView: UIView {
  public let textLabel: UILabel? = UILabel()
  public var contentConfiguration: (any UIContentConfiguration)?
}

@MainActor public protocol UITableViewDataSourcePrefetching: AnyObject {
  func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
}

@MainActor public protocol UITableViewDelegate: UIScrollViewDelegate {
  func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath)
  func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
  func tableView(_ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath) -> UITableViewCell.EditingStyle
  func tableView(_ tableView: UITableView, shouldIndentWhileEditingRowAt indexPath: IndexPath) -> Bool
  func tableView(
    _ tableView: UITableView,
    targetIndexPathForMoveFromRowAt sourceIndexPath: IndexPath,
    toProposedIndexPath proposedDestinationIndexPath: IndexPath
  ) -> IndexPath
  func tableView(_ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath)
    -> UISwipeActionsConfiguration?
  func tableView(_ tableView: UITableView, contextMenuConfigurationForRowAt indexPath: IndexPath, point: CGPoint)
    -> UIContextMenuConfiguration?
  func tableView(
    _ tableView: UITableView,
    willDisplayContextMenu configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  )
  func tableView(
    _ tableView: UITableView,
    willEndContextMenuInteraction configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  )
  func tableView(_ tableView: UITableView, willBeginEditingRowAt indexPath: IndexPath)
  func tableView(_ tableView: UITableView, didEndEditingRowAt indexPath: IndexPath?)
}

@MainActor public protocol UITableViewDataSource: AnyObject {
  func numberOfSections(in tableView: UITableView) -> Int
  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
  func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
  func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String?
  func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool
  func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool
  func tableView(
    _ tableView: UITableView,
    commit editingStyle: UITableViewCell.EditingStyle,
    forRowAt indexPath: IndexPath
  )
  func tableView(
    _ tableView: UITableView,
    moveRowAt sourceIndexPath: IndexPath,
    to destinationIndexPath: IndexPath
  )
}

@MainActor open class UITableView: UIScrollView {
  public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }
  public enum ScrollPosition: Int, Sendable { case none, top, middle, bottom }

  public weak var dataSource: (any UITableViewDataSource)?
  public weak var delegate: (any UITableViewDelegate)?
  public weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
  public var backgroundView: UIView?
  public var hasUncommittedUpdates = false
  public var hasActiveDrag = false
  public var hasActiveDrop = false

  public private(set) var batches = 0
  public internal(set) var reloads = 0
  /// Cells as they were filled last.
  public var cells: [[UITableViewCell]] { list.cells }
  /// By section; nil where it has none, until the section is loaded anew.
  public var headers: [UITableViewHeaderFooterView?] { list.headers }
  var list = StrictList<UITableViewCell, UITableViewHeaderFooterView>()
  var completions: [(Bool) -> Void] = []
  /// The height of rows that haven't sized themselves, from the next reload on.
  public var estimatedRowHeight: CGFloat = 10
  private var guessedRowHeight: CGFloat = 10
  private var sizedRows: Set<Int> = []
  private var hasLoaded = false
  private var registered: Set<String> = []
  private var batch: Batch?
  private var selection: Set<IndexPath> = []

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
    (guessedRowHeight, sizedRows) = (estimatedRowHeight, [])
    list.cells = dataCounts.enumerated().map { section, rows in
      (0..<rows).compactMap { filled(IndexPath(row: $0, section: section)) }
    }
    list.headers = list.cells.indices.map { header($0) }
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
    list.apply(
      done,
      counts: dataCounts,
      filled: { filled($0) },
      header: { header($0) },
      raise: { raise($0) }
    )
    if let completion { completions.append(completion) }
  }

  /// What the run loop does when animations are over.
  public func completeAnimations() {
    let due = completions
    completions = []
    for completion in due { completion(true) }
  }

  /// The user drags a row to another place in edit mode: the view shows it there, then tells its data source.
  public func drag(_ origin: IndexPath, to destination: IndexPath) {
    let proposed =
      delegate?.tableView(self, targetIndexPathForMoveFromRowAt: origin, toProposedIndexPath: destination)
      ?? destination
    let cell = list.cells[origin.section].remove(at: origin.row)
    list.cells[proposed.section].insert(cell, at: min(proposed.row, list.cells[proposed.section].count))
    dataSource?.tableView(self, moveRowAt: origin, to: proposed)
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

  public func reconfigureRows(at paths: [IndexPath]) { refill(paths, keepsKind: true) }
  public func reloadRows(at paths: [IndexPath], with animation: RowAnimation) { refill(paths, keepsKind: false) }

  public func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {
    if !completions.isEmpty { raise("two animations for one cell") }
    if dataCounts != cells.map(\.count) { return raise("invalid number of rows at a refill") }
    for section in sections {
      list.headers[section] = header(section)
      list.cells[section] = cells[section].indices.compactMap { filled(IndexPath(row: $0, section: section)) }
    }
  }

  private func refill(_ paths: [IndexPath], keepsKind: Bool) {
    if !completions.isEmpty { raise("two animations for one cell") }
    if dataCounts != cells.map(\.count) { return raise("invalid number of rows at a refill") }
    list.refill(
      paths,
      keepsKind: keepsKind,
      filled: { filled($0) },
      kind: { $0.reuseIdentifier },
      raise: { raise($0) }
    )
  }

  public func headerView(forSection section: Int) -> UITableViewHeaderFooterView? { list.headers[section] }
  public func footerView(forSection section: Int) -> UITableViewHeaderFooterView? { nil }

  public var indexPathsForVisibleRows: [IndexPath]? {
    cells.enumerated().flatMap { section, rows in rows.indices.map { IndexPath(row: $0, section: section) } }
  }
  public func rectForRow(at path: IndexPath) -> CGRectLike {
    CGRectLike(minY: top(ofRow: cells[..<path.section].reduce(0) { $0 + $1.count } + path.row))
  }
  override open var contentSize: CGSize { CGSize(width: 0, height: top(ofRow: cells.joined().count)) }

  /// Rows that are in sight size themselves.
  override open func layoutIfNeeded() {
    let (upper, lower) = (contentOffset.y, contentOffset.y + bounds.height)
    let inSight = (0..<cells.joined().count).filter { top(ofRow: $0) < lower && top(ofRow: $0 + 1) > upper }
    sizedRows.formUnion(inSight)
  }

  /// Of all rows together. Every row is 10 points high once it has sized itself.
  private func top(ofRow row: Int) -> CGFloat {
    let sized = (0..<row).filter { sizedRows.contains($0) }.count
    return 10 * CGFloat(sized) + guessedRowHeight * CGFloat(row - sized)
  }

  public var indexPathsForSelectedRows: [IndexPath]? { selection.isEmpty ? nil : Array(selection) }
  public func selectRow(at path: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
    if let path { selection.insert(path) }
  }

  func load() { if !hasLoaded { reloadData() } }

  var dataCounts: [Int] {
    guard let dataSource else { return [] }
    return (0..<dataSource.numberOfSections(in: self)).map { dataSource.tableView(self, numberOfRowsInSection: $0) }
  }

  func header(_ section: Int) -> UITableViewHeaderFooterView? {
    guard let title = dataSource?.tableView(self, titleForHeaderInSection: section) else { return nil }
    let view = UITableViewHeaderFooterView()
    view.textLabel?.text = title
    return view
  }

  private func filled(_ path: IndexPath) -> UITableViewCell? { dataSource?.tableView(self, cellForRowAt: path) }
}
