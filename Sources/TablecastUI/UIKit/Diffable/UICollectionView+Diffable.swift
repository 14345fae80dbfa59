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
        guard let driver, let list, let row = list.rows[id], driver.canMove(row) else { return false }
        list.picked = id
        return true
      }
      source.reorderingHandlers.didReorder = { [weak driver, weak list] in
        driver?.didReorder($0.finalSnapshot, picked: list?.picked)
      }
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

  /// The user has let a row go, and the data source has it there already. Where two neighbours have changed places, the
  /// order does not tell which of them was dragged.
  private func didReorder(_ state: NSDiffableDataSourceSnapshot<Identity, Identity>, picked: Identity?) {
    let order = state.sectionIdentifiers.map { state.itemIdentifiers(inSection: $0) }
    let guess = [TableStage](from: sections, toRows: order).first?.movedRows.first.map { Identity($0.id) }
    for id in [picked, guess] {
      guard let id, let move = sections.move(of: id, to: order) else { continue }
      return didMove(from: move.from, to: move.to)
    }
  }
}

extension [TableSection] {
  /// Where a row goes from and to, if its move alone leads to an order of rows. O(rows).
  fileprivate func move(of id: Identity, to order: [[Identity]]) -> (from: RowPath, to: RowPath)? {
    func path(_ rows: [[Identity]]) -> RowPath? {
      for (section, ids) in rows.enumerated() {
        if let row = ids.firstIndex(of: id) { return RowPath(section: section, row: row) }
      }
      return nil
    }
    var rows = map { $0.rows.map(\.identity) }
    guard let from = path(rows), let to = path(order), from != to, rows.indices.contains(to.section) else { return nil }
    rows[from.section].remove(at: from.row)
    guard to.row <= rows[to.section].count else { return nil }
    rows[to.section].insert(id, at: to.row)
    return rows == order ? (from, to) : nil
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
