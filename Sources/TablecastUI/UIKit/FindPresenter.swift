#if canImport(UIKit)
import TablecastClient
public import UIKit

extension TableDriver {
  /// Puts a search field into the navigation bar, with a menu of sorts and of filters with their counts, if the table
  /// offers them. The list stays the same, and shows the found rows by animated batches.
  ///
  ///     driver.offerFinding(in: navigationItem)
  public func offerFinding(in item: UINavigationItem, texts: FindTexts = FindTexts()) {
    let presenter = FindPresenter(table, item, texts)
    finding = presenter
    onFind = { [weak presenter] in presenter?.show($0) }
    if let snapshot { presenter.show(snapshot) }
  }
}

/// An adapter's search field and filter button: an app's own are others.
final class AdapterSearchController: UISearchController {}
final class AdapterBarButton: UIBarButtonItem {}

/// A search field and a menu, in a navigation bar. A bar's next presenter replaces what the one before left.
@MainActor
final class FindPresenter: NSObject, UISearchResultsUpdating {
  private weak var item: UINavigationItem?
  private let texts: FindTexts
  private let find: @MainActor (TableSearch) -> Void
  private let controller = AdapterSearchController(searchResultsController: nil)
  private let button: AdapterBarButton
  /// What the person looks for: what is shown follows.
  private var search: TableSearch
  private var shown: TableFind?

  init<Cell: CellModel>(_ table: LiveTable<Cell>, _ item: UINavigationItem, _ texts: FindTexts) {
    (self.item, self.texts) = (item, texts)
    find = { table.find($0) }
    search = table.snapshot?.search ?? TableSearch()
    button = AdapterBarButton(image: UIImage(systemName: "line.3.horizontal.decrease.circle"), menu: nil)
    button.accessibilityLabel = texts.menu
    super.init()
    removeFormerParts(of: item)
    controller.obscuresBackgroundDuringPresentation = false
    controller.searchBar.text = search.q
    controller.searchResultsUpdater = self
    find(search)
  }

  func show(_ snapshot: TableSnapshot) {
    guard let found = snapshot.find, found != shown else { return }
    shown = found
    controller.searchBar.placeholder = found.prompt ?? texts.prompt
    if item?.searchController == nil { item?.searchController = controller }
    drawMenu()
  }

  /// The presenter before, of another list of the screen perhaps, has no bar any more.
  private func removeFormerParts(of item: UINavigationItem) {
    if let former = item.searchController as? AdapterSearchController {
      (former.searchResultsUpdater as? FindPresenter)?.item = nil
      item.searchController = nil
    }
    item.rightBarButtonItems?.removeAll { $0 is AdapterBarButton }
  }

  func updateSearchResults(for controller: UISearchController) {
    let text = controller.searchBar.text ?? ""
    if text != search.q { change { $0.q = text } }
  }

  private func change(_ body: (inout TableSearch) -> Void) {
    body(&search)
    find(search)
    drawMenu()
  }

  /// What the person has chosen is marked at once; counts come with the answer.
  private func drawMenu() {
    guard let shown, !shown.sorts.isEmpty || !shown.filters.isEmpty else { return }
    var parts = shown.filters.map { filter in
      let actions = filter.values.map { value in
        UIAction(
          title: "\(value.title) (\(value.count))",
          state: search.isSelected(value.value, of: filter.id) ? .on : .off
        ) { [weak self] _ in
          self?.change { $0.toggle(value.value, of: filter.id) }
        }
      }
      return UIMenu(title: filter.title, children: actions)
    }
    if !shown.sorts.isEmpty {
      let sorts = [nil] + shown.sorts.map(\.id)
      let titles = [texts.plainOrder] + shown.sorts.map(\.title)
      let actions = zip(sorts, titles).map { sort, title in
        UIAction(title: title, state: search.sort == sort ? .on : .off) { [weak self] _ in
          self?.change { $0.sort = sort }
        }
      }
      parts.append(UIMenu(title: texts.sort, options: .displayInline, children: actions))
    }
    let isFiltered = !search.filters.isEmpty
    button.image = UIImage(systemName: "line.3.horizontal.decrease.circle\(isFiltered ? ".fill" : "")")
    button.menu = UIMenu(title: "", children: parts)
    let items = item?.rightBarButtonItems ?? []
    if !items.contains(where: { $0 === button }) { item?.rightBarButtonItems = items + [button] }
  }
}
#endif
