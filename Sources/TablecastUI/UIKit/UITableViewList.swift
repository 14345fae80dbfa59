#if canImport(UIKit)
import TablecastClient
import UIKit

/// A `UITableView` as the driver sees it.
@MainActor
final class UITableViewList: ScrolledList {
  private weak var view: UITableView?
  private let source: SectionSource
  private var margins = ScrollMargins()

  init(_ view: UITableView, _ source: SectionSource) { (self.view, self.source) = (view, source) }

  var isInWindow: Bool { view?.window != nil }

  var isInteracting: Bool {
    guard let view else { return false }
    return view.isDragging || view.hasUncommittedUpdates || view.hasActiveDrag || view.hasActiveDrop
  }

  /// Asking loads the data where none was loaded: with what the data source has now.
  var rowCounts: [Int]? {
    guard let view, view.dataSource != nil else { return nil }
    return (0..<view.numberOfSections).map { view.numberOfRows(inSection: $0) }
  }

  func willReload() { margins = view?.scrollMargins ?? margins }

  func reload(_ setData: () -> Void) {
    willReload()
    setData()
    view?.reloadData()
  }

  func perform(
    _ stage: TableStage,
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    guard let view else {
      setData()
      return completion()
    }
    let (insert, delete) = (UITableView.RowAnimation(animation.insert), UITableView.RowAnimation(animation.delete))
    view.performBatchUpdates {
      // Inside the block: the view asks for the counts before and after it.
      setData()
      view.deleteRows(at: stage.deletedRows.map { IndexPath($0.at) }, with: delete)
      view.deleteSections(IndexSet(stage.deletedSections.map(\.at)), with: delete)
      view.insertSections(IndexSet(stage.insertedSections.map(\.at)), with: insert)
      for move in stage.movedSections { view.moveSection(move.from, toSection: move.to) }
      view.insertRows(at: stage.insertedRows.map { IndexPath($0.at) }, with: insert)
      for move in stage.movedRows { view.moveRow(at: IndexPath(move.from), to: IndexPath(move.to)) }
    } completion: { _ in
      completion()
    }
  }

  func refill(_ rows: [RowPath], reloaded: [RowPath], sections: [Int], animation: TableAnimation, _ setData: () -> Void)
  {
    let former = source.sections
    setData()
    guard let view else { return }
    let anew = Set(TableFrames.comingOrGoing(from: former, to: source.sections))
    // Reconfiguring keeps the cell: no flash, and what the user does in it goes on.
    let rows = rows.filter { !anew.contains($0.section) }.map { IndexPath($0) }
    if !rows.isEmpty { view.reconfigureRows(at: rows) }
    let reloaded = reloaded.filter { !anew.contains($0.section) }.map { IndexPath($0) }
    if !reloaded.isEmpty { view.reloadRows(at: reloaded, with: UITableView.RowAnimation(animation.reload)) }
    if !anew.isEmpty { view.reloadSections(IndexSet(anew), with: .none) }
    view.refillFrames(sections.filter { !anew.contains($0) }, of: source.sections)
  }

  var anchor: ScrollAnchor? {
    guard let view, let path = view.indexPathsForVisibleRows?.first else { return nil }
    return ScrollAnchor(path: RowPath(path), offset: Double(view.rectForRow(at: path).minY - view.contentOffset.y))
  }

  func scroll(to path: RowPath, offset: Double) {
    guard let view else { return }
    view.scroll(within: margins) { view.rectForRow(at: IndexPath(path)).minY - CGFloat(offset) }
  }

  var selectedRows: [RowPath] { (view?.indexPathsForSelectedRows ?? []).map { RowPath($0) } }

  func select(_ rows: [RowPath]) {
    for row in rows { view?.selectRow(at: IndexPath(row), animated: false, scrollPosition: .none) }
  }
}

extension UITableView {
  /// Fills visible headers and footers again: `reloadSections` would take all their rows along.
  func refillFrames(_ indices: [Int], of sections: [TableSection]) {
    for index in indices where sections.indices.contains(index) {
      headerView(forSection: index)?.refill(sections[index].header)
      footerView(forSection: index)?.refill(sections[index].footer)
    }
  }
}

extension UITableViewHeaderFooterView {
  fileprivate func refill(_ frame: JSONText?) {
    let title = TableFrames.title(frame)
    guard var content = contentConfiguration as? UIListContentConfiguration else {
      textLabel?.text = title
      return
    }
    content.text = title
    contentConfiguration = content
  }
}

/// Headers and footers of a table view. One that wasn't there is asked for with its section alone.
enum TableFrames {
  /// Sections, in the coordinates of the second state, whose header or footer wasn't there before, or no longer is.
  static func comingOrGoing(from old: [TableSection], to new: [TableSection]) -> [Int] {
    let former = Dictionary(old.lazy.map { ($0.identity, $0) }) { first, _ in first }
    return new.indices.filter { index in
      guard let section = former[new[index].identity] else { return false }
      return (title(section.header) == nil) != (title(new[index].header) == nil)
        || (title(section.footer) == nil) != (title(new[index].footer) == nil)
    }
  }

  static func title(_ frame: JSONText?) -> String? { frame?["payload"]?["title"]?.string }
}

extension RowPath {
  init(_ path: IndexPath) { self.init(section: path.section, row: path.row) }
}

extension IndexPath {
  init(_ path: RowPath) { self.init(row: path.row, section: path.section) }
}

extension UITableView.RowAnimation {
  /// By the protocol's names, which are UIKit's.
  init(_ name: String) {
    switch name {
    case "fade": self = .fade
    case "right": self = .right
    case "left": self = .left
    case "top": self = .top
    case "bottom": self = .bottom
    case "none": self = .none
    case "middle": self = .middle
    default: self = .automatic
    }
  }
}
#endif
