#if canImport(UIKit)
public import TablecastClient
public import UIKit

/// A `UITableView` that a driver keeps showing a table.
///
/// It is the view's data source and its delegate: an app that needs more of either subclasses it and calls `super`.
@MainActor
open class UITableViewAdapter<Cell: CellModel>: NSObject, UITableViewDataSource, UITableViewDelegate {
  public typealias Configure = @MainActor (UITableViewCell, DisplayedRow<Cell>) -> Void

  public unowned let driver: TableDriver<Cell>
  public weak var tableView: UITableView?
  private let configure: Configure

  public init(_ driver: TableDriver<Cell>, _ tableView: UITableView, configure: @escaping Configure) {
    (self.driver, self.tableView, self.configure) = (driver, tableView, configure)
  }

  // MARK: Data source

  open func numberOfSections(in tableView: UITableView) -> Int { driver.sections.count }

  open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    driver.sections[section].rows.count
  }

  open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    guard let row = DisplayedRow(driver, RowPath(indexPath)) else { return UITableViewCell() }
    let cell = tableView.dequeueReusableCell(withIdentifier: row.cellIdentifier, for: indexPath)
    configure(cell, row)
    return cell
  }

  open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
    driver.sections[section].header?["payload"]?["title"]?.string
  }

  open func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? {
    driver.sections[section].footer?["payload"]?["title"]?.string
  }

  open func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
    guard let row = row(indexPath) else { return false }
    return row.can.edit || row.can.move || !row.actions.isEmpty
  }

  open func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
    row(indexPath)?.can.move ?? false
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
  }

  // MARK: Delegate

  open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    if let row = row(indexPath), row.can.select { driver.table.tap(row.id) }
  }

  open func tableView(
    _ tableView: UITableView,
    trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
  ) -> UISwipeActionsConfiguration? {
    guard let row = row(indexPath) else { return nil }
    var actions = row.actions.map { action in
      UIContextualAction(style: action.isDestructive ? .destructive : .normal, title: action.title) {
        [weak self] _, _, done in
        self?.driver.table.act(action.id, on: row.id)
        done(true)
      }
    }
    if row.can.edit {
      actions.insert(
        UIContextualAction(style: .destructive, title: nil) { [weak self] _, _, done in
          self?.driver.table.delete(row.id)
          done(true)
        },
        at: 0
      )
    }
    return actions.isEmpty ? nil : UISwipeActionsConfiguration(actions: actions)
  }

  open func tableView(_ tableView: UITableView, willBeginEditingRowAt indexPath: IndexPath) {
    driver.hold("swiped")
  }

  open func tableView(_ tableView: UITableView, didEndEditingRowAt indexPath: IndexPath?) {
    driver.release("swiped")
  }

  open func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) { driver.proceed() }

  private func row(_ indexPath: IndexPath) -> TableRow? {
    let path = RowPath(indexPath)
    guard driver.sections.indices.contains(path.section), driver.sections[path.section].rows.indices.contains(path.row)
    else { return nil }
    return driver.sections[path.section].rows[path.row]
  }
}

extension TableDriver {
  /// A driver of a table view: registers itself as data source and delegate, and begins to follow.
  ///
  /// - Parameter configure: fills a cell that was dequeued by the row's `cellIdentifier`, which the app has registered.
  public convenience init(
    _ table: LiveTable<Cell>,
    _ tableView: UITableView,
    configure: @escaping UITableViewAdapter<Cell>.Configure
  ) {
    let source = SectionSource()
    let list = UITableViewList(tableView, source)
    self.init(table, view: list)
    source.sections = { [weak self] in self?.sections ?? [] }
    let adapter = UITableViewAdapter(self, tableView, configure: configure)
    self.adapter = AdapterParts(list: list, adapter: adapter)
    tableView.dataSource = adapter
    tableView.delegate = adapter
    start()
  }
}
#endif
