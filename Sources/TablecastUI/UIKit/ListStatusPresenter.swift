#if canImport(UIKit)
import TablecastClient
import UIKit

/// A scroll view that can show something behind its rows.
@MainActor
protocol ListWithBackground: UIScrollView {
  var backgroundView: UIView? { get set }
}

extension UITableView: ListWithBackground {}
extension UICollectionView: ListWithBackground {}

/// An adapter's refresh control: an app's own is another.
final class AdapterRefreshControl: UIRefreshControl {}

/// Shows a list's state, and has it refreshed by pulling. A list's next presenter replaces what the one before left.
@MainActor
final class ListStatusPresenter {
  private weak var list: (any ListWithBackground)?
  private let options: AdapterOptions
  private let retry: @MainActor () -> Void
  private let refresh: @MainActor () async -> Void
  private var shown: (status: TableStatus, view: UIView)?
  private var refreshing: Task<Void, Never>?

  init<Cell: CellModel>(_ list: any ListWithBackground, _ options: AdapterOptions, of table: LiveTable<Cell>) {
    (self.list, self.options) = (list, options)
    (retry, refresh) = ({ table.reload() }, { await table.refreshOnce() })
    removeFormerParts(of: list)
    guard options.refreshesByPull, list.refreshControl == nil else { return }
    let control = AdapterRefreshControl()
    control.addAction(UIAction { [weak self] _ in self?.pulled() }, for: .valueChanged)
    list.refreshControl = control
  }

  deinit { refreshing?.cancel() }

  func show(_ snapshot: TableSnapshot) {
    // Where there is no connection a spinner would turn until there is one.
    if [.retrying, .paused, .refused].contains(snapshot.connection) { list?.refreshControl?.endRefreshing() }
    guard options.showsStatus else { return }
    let status = TableStatus(snapshot, texts: options.texts)
    guard status != shown?.status else { return }
    clear()
    guard let status, let list else { return }
    let view = TableStatusView(status, texts: options.texts, retry: retry)
    view.isOfAdapter = true
    if status.kind == .stale {
      addStrip(view, to: list)
    } else if list.backgroundView == nil {
      list.backgroundView = view
    } else {
      // The app's own.
      return
    }
    shown = (status, view)
  }

  private func removeFormerParts(of list: any ListWithBackground) {
    if list.refreshControl is AdapterRefreshControl { list.refreshControl = nil }
    if (list.backgroundView as? TableStatusView)?.isOfAdapter == true { list.backgroundView = nil }
    for case let strip as TableStatusView in list.subviews where strip.isOfAdapter { strip.removeFromSuperview() }
  }

  private func clear() {
    guard let view = shown?.view else { return }
    shown = nil
    if list?.backgroundView === view { list?.backgroundView = nil } else { view.removeFromSuperview() }
  }

  /// At the lower edge of what is visible: it doesn't scroll with the rows.
  private func addStrip(_ view: UIView, to list: any ListWithBackground) {
    view.translatesAutoresizingMaskIntoConstraints = false
    list.addSubview(view)
    NSLayoutConstraint.activate([
      view.leadingAnchor.constraint(equalTo: list.frameLayoutGuide.leadingAnchor),
      view.trailingAnchor.constraint(equalTo: list.frameLayoutGuide.trailingAnchor),
      view.bottomAnchor.constraint(equalTo: list.safeAreaLayoutGuide.bottomAnchor),
    ])
  }

  private func pulled() {
    refreshing = Task { [weak self, refresh] in
      await refresh()
      self?.list?.refreshControl?.endRefreshing()
    }
  }
}

extension UISwipeActionsConfiguration {
  /// Nil where the row offers nothing.
  convenience init?(_ offers: [RowOffer]) {
    guard !offers.isEmpty else { return nil }
    self.init(
      actions: offers.map { offer in
        UIContextualAction(style: offer.isDestructive ? .destructive : .normal, title: offer.title) { _, _, done in
          offer.perform()
          // UIKit may take the row of a destructive action that is done away by itself; it goes by the table's own batch.
          done(!offer.isDestructive)
        }
      }
    )
  }
}

extension UIContextMenuConfiguration {
  /// Nil where the row offers nothing.
  convenience init?(_ offers: [RowOffer], of row: String) {
    guard !offers.isEmpty else { return nil }
    self.init(identifier: NSString(string: row), previewProvider: nil) { _ in
      UIMenu(
        title: "",
        children: offers.map { offer in
          UIAction(title: offer.title, attributes: offer.isDestructive ? .destructive : []) { _ in offer.perform() }
        }
      )
    }
  }
}
#endif
