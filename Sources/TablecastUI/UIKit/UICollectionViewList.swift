#if canImport(UIKit)
import TablecastClient
import UIKit

/// A `UICollectionView` as the driver sees it.
@MainActor
final class UICollectionViewList: ScrolledList {
  private weak var view: UICollectionView?
  private let source: SectionSource
  private var margins = ScrollMargins()

  init(_ view: UICollectionView, _ source: SectionSource) { (self.view, self.source) = (view, source) }

  var isInWindow: Bool { view?.window != nil }
  var isInteracting: Bool { view?.isHeldByTheUser ?? false }

  /// Asking loads the data where none was loaded: with what the data source has now.
  var rowCounts: [Int]? {
    guard let view, view.dataSource != nil else { return nil }
    return (0..<view.numberOfSections).map { view.numberOfItems(inSection: $0) }
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
    // How items come and go is the layout's affair.
    view.performBatchUpdates {
      // Inside the block: the view asks for the counts before and after it.
      setData()
      view.deleteItems(at: stage.deletedRows.map { IndexPath(item: $0.at) })
      view.deleteSections(IndexSet(stage.deletedSections.map(\.at)))
      view.insertSections(IndexSet(stage.insertedSections.map(\.at)))
      for move in stage.movedSections { view.moveSection(move.from, toSection: move.to) }
      view.insertItems(at: stage.insertedRows.map { IndexPath(item: $0.at) })
      for move in stage.movedRows { view.moveItem(at: IndexPath(item: move.from), to: IndexPath(item: move.to)) }
    } completion: { _ in
      completion()
    }
  }

  func refill(_ rows: [RowPath], reloaded: [RowPath], sections: [Int], animation: TableAnimation, _ setData: () -> Void)
  {
    setData()
    guard let view else { return }
    if !rows.isEmpty { view.reconfigureItems(at: rows.map { IndexPath(item: $0) }) }
    if !reloaded.isEmpty { view.reloadItems(at: reloaded.map { IndexPath(item: $0) }) }
    view.refillFrames(sections, of: source.sections)
  }

  var anchor: ScrollAnchor? { view?.firstVisibleItem }

  func scroll(to path: RowPath, offset: Double) {
    guard let view else { return }
    view.scroll(within: margins) {
      view.layoutAttributesForItem(at: IndexPath(item: path)).map { $0.frame.minY - CGFloat(offset) }
    }
  }

  var selectedRows: [RowPath] { view?.selectedItems ?? [] }
  func select(_ rows: [RowPath]) { view?.selectItems(rows) }
}

extension UICollectionView {
  var isHeldByTheUser: Bool { isDragging || hasUncommittedUpdates || hasActiveDrag || hasActiveDrop }

  /// Visible items come in no order.
  var firstVisibleItem: ScrollAnchor? {
    guard let path = indexPathsForVisibleItems.min(), let frame = layoutAttributesForItem(at: path)?.frame else {
      return nil
    }
    return ScrollAnchor(path: RowPath(item: path), offset: Double(frame.minY - contentOffset.y))
  }

  var selectedItems: [RowPath] { (indexPathsForSelectedItems ?? []).map { RowPath(item: $0) } }

  func selectItems(_ rows: [RowPath]) {
    for row in rows { selectItem(at: IndexPath(item: row), animated: false, scrollPosition: []) }
  }
}

extension RowPath {
  init(item path: IndexPath) { self.init(section: path.section, row: path.item) }
}

extension IndexPath {
  init(item path: RowPath) { self.init(item: path.row, section: path.section) }
}
#endif
