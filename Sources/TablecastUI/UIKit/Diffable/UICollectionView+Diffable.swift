#if canImport(UIKit)
public import TablecastClient
public import UIKit

extension TableDriver {
  /// A driver of a collection view by a diffable data source, which finds out itself what moves. Registers the data
  /// source and a delegate, and begins to follow.
  ///
  /// - Parameter configure: fills a cell that was dequeued by the row's `cellIdentifier`, which the app has registered.
  public convenience init(
    _ table: LiveTable<Cell>,
    diffable collectionView: UICollectionView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping UICollectionViewAdapter<Cell>.Configure
  ) {
    let owner = DriverSource<Cell>()
    let view = UICollectionViewList(collectionView) { view, sections in
      UICollectionViewAdapter.refillFrames(view, sections, of: owner.driver)
    }
    let list = DiffableList(view, reloadsFrames: false) { owner.driver?.sections ?? [] }
    self.init(table, view: list)
    owner.driver = self
    let adapter = UICollectionViewAdapter(self, collectionView, options: options, configure: configure)
    let source = UICollectionViewDiffableDataSource<String, String>(collectionView: collectionView) {
      [weak self, weak list] collectionView, path, id in
      guard let self, let row = list?.rows[id] else { return UICollectionViewCell() }
      let displayed = DisplayedRow(self, row)
      let cell = collectionView.dequeueReusableCell(withReuseIdentifier: displayed.cellIdentifier, for: path)
      configure(cell, displayed)
      return cell
    }
    source.supplementaryViewProvider = { [weak adapter] collectionView, kind, path in
      adapter?.collectionView(collectionView, viewForSupplementaryElementOfKind: kind, at: path)
    }
    source.reorderingHandlers.canReorderItem = { [weak list] in list?.rows[$0]?.can.move ?? false }
    source.reorderingHandlers.didReorder = { [weak self] transaction in self?.didReorder(transaction.finalSnapshot) }
    list.source = DiffableList.Source(
      apply: { [weak source] snapshot, animation, completion in
        guard let source else { return completion() }
        source.apply(snapshot, animatingDifferences: animation != nil, completion: completion)
      },
      reload: { [weak source] in source?.applySnapshotUsingReloadData($0, completion: nil) },
      snapshot: { [weak source] in source?.snapshot() ?? DiffableList.Snapshot() },
      refillFrames: { [weak collectionView, weak self] sections in
        guard let collectionView else { return }
        UICollectionViewAdapter.refillFrames(collectionView, sections, of: self)
      }
    )
    self.adapter = AdapterParts(list: list, adapter: adapter, source: source)
    onStatus = { [weak adapter] in adapter?.show($0) }
    collectionView.delegate = adapter
    start()
  }

  /// The user has let a row go, and the data source has it there already.
  private func didReorder(_ state: NSDiffableDataSourceSnapshot<String, String>) {
    let order = state.sectionIdentifiers.map { state.itemIdentifiers(inSection: $0) }
    let stages = [TableStage](from: sections, toRows: order)
    guard stages.count == 1, let move = stages[0].movedRows.first, stages[0].movedRows.count == 1 else { return }
    didMove(from: move.from, to: move.to)
  }
}

extension [TableStage] {
  /// From rows to the same rows in another order.
  fileprivate init(from sections: [TableSection], toRows order: [[String]]) {
    let rows = Dictionary(sections.lazy.flatMap { $0.rows.lazy.map { ($0.id, $0) } }) { first, _ in first }
    var reordered = sections
    for (index, ids) in order.enumerated() where reordered.indices.contains(index) {
      reordered[index].rows = ids.compactMap { rows[$0] }
    }
    self.init(from: sections, to: reordered)
  }
}
#endif
