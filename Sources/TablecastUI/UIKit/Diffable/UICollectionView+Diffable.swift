#if canImport(UIKit)
public import TablecastClient
public import UIKit

extension TableDriver {
  /// A driver of a collection view with a diffable data source, which computes the moves itself. It registers the data
  /// source and a delegate, and begins to follow.
  ///
  /// - Parameter configure: fills a cell that was dequeued by the row's `cellIdentifier`, which the app has registered.
  public convenience init(
    _ table: LiveTable<Cell>,
    diffable collectionView: UICollectionView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping UICollectionViewAdapter<Cell>.Configure
  ) {
    self.init(table) {
      DiffableList(UICollectionViewList(collectionView, $0), reloadsFrames: false, $0)
    } adapter: {
      UICollectionViewAdapter($0, collectionView, options: options, configure: configure)
    } connect: { driver, list, adapter in
      let source = UICollectionViewDiffableDataSource<Identity, Identity>(collectionView: collectionView) {
        [weak driver, weak list] collectionView, path, id in
        guard let driver, let row = list?.rows[id] else { return UICollectionViewCell() }
        let displayed = DisplayedRow(driver, row)
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: displayed.cellIdentifier, for: path)
        configure(cell, displayed)
        return cell
      }
      source.supplementaryViewProvider = { [weak adapter] collectionView, kind, path in
        adapter?.collectionView(collectionView, viewForSupplementaryElementOfKind: kind, at: path)
      }
      source.reorderingHandlers.canReorderItem = { [weak driver, weak list] id in
        guard let driver, let row = list?.rows[id] else { return false }
        return driver.canMove(row)
      }
      source.reorderingHandlers.didReorder = { [weak driver] in driver?.didReorder($0.finalSnapshot) }
      list.source = DiffableList.Source(
        apply: { [weak source] snapshot, animation, completion in
          guard let source else { return completion() }
          source.apply(snapshot, animatingDifferences: animation != nil, completion: completion)
        },
        reload: { [weak source] in source?.applySnapshotUsingReloadData($0, completion: nil) },
        snapshot: { [weak source] in source?.snapshot() ?? DiffableList.Snapshot() },
        refillFrames: { [weak collectionView] in collectionView?.refillFrames($0, of: $1) }
      )
      collectionView.delegate = adapter
      collectionView.prefetchDataSource = adapter
      return source
    }
  }

  /// The user has let a row go, and the data source has it there already.
  private func didReorder(_ state: NSDiffableDataSourceSnapshot<Identity, Identity>) {
    let order = state.sectionIdentifiers.map { state.itemIdentifiers(inSection: $0) }
    let stages = [TableStage](from: sections, toRows: order)
    guard stages.count == 1, let move = stages[0].movedRows.first, stages[0].movedRows.count == 1 else { return }
    didMove(from: move.from, to: move.to)
  }
}

extension [TableStage] {
  /// From rows to the same rows in another order.
  fileprivate init(from sections: [TableSection], toRows order: [[Identity]]) {
    let rows = Dictionary(sections.lazy.flatMap { $0.rows.lazy.map { ($0.identity, $0) } }) { first, _ in first }
    var reordered = sections
    for (index, ids) in order.enumerated() where reordered.indices.contains(index) {
      reordered[index].rows = TableRows(ids.compactMap { rows[$0] })
    }
    self.init(from: sections, to: reordered)
  }
}
#endif
