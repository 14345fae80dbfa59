#if canImport(UIKit)
public import TablecastClient
public import UIKit

/// An adapter that shows a table in a `UITableView`.
///
/// It is the view's data source and its delegate: an app that needs more of either subclasses it and calls `super`.
/// Everything that UIKit calls stands in the class itself: what an extension of a generic class has it doesn't see.
@MainActor
open class UITableViewAdapter<Cell: CellModel>: NSObject, UITableViewDataSource, UITableViewDelegate,
  UITableViewDataSourcePrefetching, ListAdapter
{
  public typealias Configure = @MainActor (UITableViewCell, DisplayedRow<Cell>) -> Void

  public unowned let driver: TableDriver<Cell>
  public weak var tableView: UITableView?
  public let options: AdapterOptions
  private let configure: Configure
  private let presenter: ListStatusPresenter

  public init(
    _ driver: TableDriver<Cell>,
    _ tableView: UITableView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping Configure
  ) {
    (self.driver, self.tableView, self.options, self.configure) = (driver, tableView, options, configure)
    presenter = ListStatusPresenter(tableView, options, of: driver.table)
    tableView.register(UITableViewCell.self, forCellReuseIdentifier: placeholderCellIdentifier)
  }

  func show(_ snapshot: TableSnapshot) { presenter.show(snapshot) }

  // MARK: Data source

  open func numberOfSections(in tableView: UITableView) -> Int { driver.sections.count }

  open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    driver.section(section)?.rows.count ?? 0
  }

  open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    guard let row = DisplayedRow(driver, RowPath(indexPath)) else { return UITableViewCell() }
    let cell = tableView.dequeueReusableCell(withIdentifier: row.cellIdentifier, for: indexPath)
    configure(cell, row)
    return cell
  }

  open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
    TableFrames.title(driver.section(section)?.header)
  }

  open func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? {
    TableFrames.title(driver.section(section)?.footer)
  }

  open func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
    guard let row = row(indexPath) else { return false }
    return row.can.edit || driver.canMove(row) || options.offersActions && !row.actions.isEmpty
  }

  open func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
    row(indexPath).map { driver.canMove($0) } ?? false
  }

  open func tableView(
    _ tableView: UITableView,
    commit style: UITableViewCell.EditingStyle,
    forRowAt indexPath: IndexPath
  ) {
    if style == .delete, let row = row(indexPath) { driver.table.delete(row.id) }
  }

  open func tableView(_ tableView: UITableView, moveRowAt origin: IndexPath, to destination: IndexPath) {
    driver.didMove(from: RowPath(origin), to: RowPath(destination))
    driver.release("moving")
  }

  // MARK: Delegate

  open func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {
    if options.loadsByScroll { driver.willShow(RowPath(indexPath)) }
  }

  open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    if let row = row(indexPath), row.can.select { driver.table.tap(row.id) }
  }

  open func tableView(_ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath)
    -> UITableViewCell.EditingStyle
  {
    row(indexPath)?.can.edit ?? false ? .delete : .none
  }

  open func tableView(_ tableView: UITableView, shouldIndentWhileEditingRowAt indexPath: IndexPath) -> Bool {
    row(indexPath)?.can.edit ?? false
  }

  /// Holds changes back while the row is over another place. If the user drops it over its own place, UIKit sends
  /// nothing more.
  open func tableView(
    _ tableView: UITableView,
    targetIndexPathForMoveFromRowAt origin: IndexPath,
    toProposedIndexPath proposed: IndexPath
  ) -> IndexPath {
    if proposed == origin { driver.release("moving") } else { driver.hold("moving") }
    return proposed
  }

  open func tableView(
    _ tableView: UITableView,
    trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
  ) -> UISwipeActionsConfiguration? {
    UISwipeActionsConfiguration(offers(indexPath))
  }

  open func tableView(
    _ tableView: UITableView,
    contextMenuConfigurationForRowAt indexPath: IndexPath,
    point: CGPoint
  ) -> UIContextMenuConfiguration? {
    row(indexPath).flatMap { UIContextMenuConfiguration(offers(indexPath), of: $0.id) }
  }

  open func tableView(
    _ tableView: UITableView,
    willDisplayContextMenu configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  ) {
    driver.hold("menu")
  }

  open func tableView(
    _ tableView: UITableView,
    willEndContextMenuInteraction configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  ) {
    driver.release("menu")
  }

  open func tableView(_ tableView: UITableView, willBeginEditingRowAt indexPath: IndexPath) { driver.hold("swiped") }

  open func tableView(_ tableView: UITableView, didEndEditingRowAt indexPath: IndexPath?) { driver.release("swiped") }

  open func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) { driver.proceed() }

  // MARK: Prefetching

  /// Rows that will soon be visible.
  open func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
    guard options.loadsByScroll else { return }
    for path in [indexPaths.min(), indexPaths.max()] { if let path { driver.willShow(RowPath(path)) } }
  }

  // MARK: Rows

  private func row(_ path: IndexPath) -> TableRow? { driver.row(RowPath(path)) }

  private func offers(_ path: IndexPath) -> [RowOffer] { driver.offers(RowPath(path), options) }
}

extension TableDriver {
  /// A driver of a table view: registers itself as data source and delegate, and begins to follow.
  ///
  /// - Parameter configure: fills a cell that was dequeued by the row's `cellIdentifier`, which the app has registered.
  public convenience init(
    _ table: LiveTable<Cell>,
    _ tableView: UITableView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping UITableViewAdapter<Cell>.Configure
  ) {
    self.init(table) {
      UITableViewList(tableView, $0)
    } adapter: {
      UITableViewAdapter($0, tableView, options: options, configure: configure)
    } connect: { _, _, adapter in
      tableView.dataSource = adapter
      tableView.delegate = adapter
      tableView.prefetchDataSource = adapter
      return nil
    }
  }
}
#endif
