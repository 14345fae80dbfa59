#if canImport(UIKit)
public import TablecastClient
public import UIKit

/// A table view's diffable data source, with sections and rows by identity. Other questions go to the adapter, the
/// view's delegate.
public final class DiffableTableSource<Cell: CellModel>: UITableViewDiffableDataSource<Identity, Identity> {
  weak var adapter: UITableViewAdapter<Cell>?

  public override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
    adapter?.tableView(tableView, titleForHeaderInSection: section)
  }

  public override func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? {
    adapter?.tableView(tableView, titleForFooterInSection: section)
  }

  public override func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
    adapter?.tableView(tableView, canEditRowAt: indexPath) ?? false
  }

  public override func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
    adapter?.tableView(tableView, canMoveRowAt: indexPath) ?? false
  }

  public override func tableView(
    _ tableView: UITableView,
    commit style: UITableViewCell.EditingStyle,
    forRowAt indexPath: IndexPath
  ) {
    adapter?.tableView(tableView, commit: style, forRowAt: indexPath)
  }

  public override func tableView(_ tableView: UITableView, moveRowAt origin: IndexPath, to destination: IndexPath) {
    adapter?.tableView(tableView, moveRowAt: origin, to: destination)
  }
}

extension TableDriver {
  /// A driver of a table view with a diffable data source, which computes the moves itself. It registers the data
  /// source and a delegate, and begins to follow.
  ///
  /// - Parameter configure: fills a cell that was dequeued by the row's `cellIdentifier`, which the app has registered.
  public convenience init(
    _ table: LiveTable<Cell>,
    diffable tableView: UITableView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping UITableViewAdapter<Cell>.Configure
  ) {
    self.init(table) {
      DiffableList(UITableViewList(tableView, $0), reloadsFrames: true, $0)
    } adapter: {
      UITableViewAdapter($0, tableView, options: options, configure: configure)
    } connect: { driver, list, adapter in
      let source = DiffableTableSource<Cell>(tableView: tableView) { [weak driver, weak list] tableView, path, id in
        guard let driver, let row = list?.rows[id] else { return UITableViewCell() }
        let displayed = DisplayedRow(driver, row)
        let cell = tableView.dequeueReusableCell(withIdentifier: displayed.cellIdentifier, for: path)
        configure(cell, displayed)
        return cell
      }
      source.adapter = adapter
      list.source = DiffableList.Source(
        apply: { [weak source] snapshot, animation, completion in
          guard let source else { return completion() }
          if let animation { source.defaultRowAnimation = UITableView.RowAnimation(animation.insert) }
          source.apply(snapshot, animatingDifferences: animation != nil, completion: completion)
        },
        reload: { [weak source] in source?.applySnapshotUsingReloadData($0, completion: nil) },
        snapshot: { [weak source] in source?.snapshot() ?? DiffableList.Snapshot() },
        refillFrames: { [weak tableView] in tableView?.refillFrames($0, of: $1) }
      )
      tableView.delegate = adapter
      tableView.prefetchDataSource = adapter
      return source
    }
  }
}
#endif
