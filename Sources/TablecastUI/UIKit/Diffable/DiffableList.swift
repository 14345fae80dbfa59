#if canImport(UIKit)
import TablecastClient
import UIKit

/// A view with a diffable data source, as the driver sees it: states are applied whole, with the identities of rows as
/// items; what stays and looks different is named, as the data source can't know.
@MainActor
final class DiffableList: ListView {
  typealias Snapshot = NSDiffableDataSourceSnapshot<Identity, Identity>

  /// What both kinds of data source can do.
  struct Source {
    var apply: @MainActor (Snapshot, _ animated: TableAnimation?, _ completion: @escaping @MainActor () -> Void) -> Void
    var reload: @MainActor (Snapshot) -> Void
    var snapshot: @MainActor () -> Snapshot
    var refillFrames: @MainActor ([Int], [TableSection]) -> Void
  }

  /// The view itself: its window, its scroll position, its selection.
  private let view: any ScrolledList
  private let reloadsFrames: Bool
  private let shown: SectionSource
  var source: Source?
  /// The rows that are shown: the data source asks for cells by identity.
  private(set) var rows: [Identity: TableRow] = [:]
  /// The row that the view asked last about whether the user may drag it.
  var picked: Identity?

  /// - Parameter reloadsFrames: a header that wasn't there comes with its section alone, as in table views.
  init(_ view: any ScrolledList, reloadsFrames: Bool, _ shown: SectionSource) {
    (self.view, self.reloadsFrames, self.shown) = (view, reloadsFrames, shown)
  }

  var takesStates: Bool { true }
  var isInWindow: Bool { view.isInWindow }
  var isInteracting: Bool { view.isInteracting }
  var rowCounts: [Int]? { view.rowCounts }

  func reload(_ setData: () -> Void) {
    view.willReload()
    setData()
    source?.reload(state())
  }

  func show(
    rows: [RowPath],
    reloaded: [RowPath],
    sections: [Int],
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    let former = shown.sections
    setData()
    guard let source else { return completion() }
    let state = shown.sections
    var snapshot = self.state()
    snapshot.reconfigureItems(rows.map { state[$0.section].rows[$0.row].identity })
    snapshot.reloadItems(reloaded.map { state[$0.section].rows[$0.row].identity })
    if reloadsFrames {
      snapshot.reloadSections(TableFrames.comingOrGoing(from: former, to: state).map { state[$0].identity })
    }
    let moves = !Self.isOrder(of: source.snapshot(), sameAs: snapshot)
    // What is only filled again doesn't flash.
    source.apply(snapshot, moves || !reloaded.isEmpty ? animation : nil) {
      source.refillFrames(sections, self.shown.sections)
      completion()
    }
  }

  /// The view has moved the row already, the data source of a table view doesn't know of it.
  func didMove() {
    let snapshot = state()
    guard let source, !Self.isOrder(of: source.snapshot(), sameAs: snapshot) else { return }
    source.apply(snapshot, nil) {}
  }

  /// States are whole: a batch is never asked for.
  func perform(
    _ stage: TableStage,
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    reload(setData)
    completion()
  }

  func refill(_ rows: [RowPath], reloaded: [RowPath], sections: [Int], animation: TableAnimation, _ setData: () -> Void)
  {
    reload(setData)
  }

  var anchor: ScrollAnchor? { view.anchor }
  func scroll(to path: RowPath, offset: Double) { view.scroll(to: path, offset: offset) }
  var selectedRows: [RowPath] { view.selectedRows }
  func select(_ rows: [RowPath]) { view.select(rows) }

  private func state() -> Snapshot {
    let sections = shown.sections
    rows = Dictionary(sections.lazy.flatMap { $0.rows.lazy.map { ($0.identity, $0) } }) { first, _ in first }
    var snapshot = Snapshot()
    snapshot.appendSections(sections.map(\.identity))
    for section in sections { snapshot.appendItems(section.rows.map(\.identity), toSection: section.identity) }
    return snapshot
  }

  private static func isOrder(of one: Snapshot, sameAs other: Snapshot) -> Bool {
    one.sectionIdentifiers == other.sectionIdentifiers
      && one.sectionIdentifiers.allSatisfy {
        one.itemIdentifiers(inSection: $0) == other.itemIdentifiers(inSection: $0)
      }
  }
}
#endif
