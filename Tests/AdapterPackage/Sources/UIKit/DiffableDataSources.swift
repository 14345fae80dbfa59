import Foundation

@MainActor
open class UITableViewDiffableDataSource<SectionID: Hashable & Sendable, ItemID: Hashable & Sendable>:
  NSObject, UITableViewDataSource
{
  public typealias CellProvider = (UITableView, IndexPath, ItemID) -> UITableViewCell?
  public var defaultRowAnimation = UITableView.RowAnimation.automatic
  public private(set) var applied = 0
  private weak var view: UITableView?
  private let provider: CellProvider
  private var state = DiffableState<SectionID, ItemID, UITableViewCell>()

  public init(tableView: UITableView, cellProvider: @escaping CellProvider) {
    (view, provider) = (tableView, cellProvider)
    super.init()
    tableView.dataSource = self
  }

  public func snapshot() -> NSDiffableDataSourceSnapshot<SectionID, ItemID> { state.current }

  public func apply(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionID, ItemID>,
    animatingDifferences: Bool = true,
    completion: (() -> Void)? = nil
  ) {
    guard let view else { return }
    if state.isAsking { view.raise("a snapshot is applied inside the cell provider") }
    if animatingDifferences, view.hasUncommittedUpdates { view.raise("a snapshot while there are uncommitted updates") }
    applied += 1
    view.load()
    let former = state
    state.current = snapshot.settled
    var list = view.list
    former.apply(
      snapshot,
      to: &list,
      fill: { cell($0, $1, in: view) },
      header: { view.header($0) },
      kind: { $0.reuseIdentifier },
      raise: { view.raise($0) }
    )
    view.list = list
    if let completion { view.completions.append { _ in completion() } }
  }

  public func applySnapshotUsingReloadData(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionID, ItemID>,
    completion: (() -> Void)? = nil
  ) {
    for exception in snapshot.exceptions { view?.raise(exception) }
    state.current = snapshot.settled
    view?.reloadData()
    completion?()
  }

  private func cell(_ path: IndexPath, _ item: ItemID, in view: UITableView) -> UITableViewCell? {
    state.isAsking = true
    defer { state.isAsking = false }
    let cell = provider(view, path, item)
    if cell == nil { view.raise("the cell provider gave nothing") }
    state.cells[item] = cell
    return cell
  }

  public func numberOfSections(in tableView: UITableView) -> Int { state.current.sectionIdentifiers.count }
  public func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    state.current.itemIdentifiers(inSection: state.current.sectionIdentifiers[section]).count
  }
  public func tableView(_ tableView: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
    state.current.item(path).flatMap { cell(path, $0, in: tableView) } ?? UITableViewCell()
  }
  open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
  open func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { nil }
  open func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool { false }
  open func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool { false }
  open func tableView(
    _ tableView: UITableView,
    commit editingStyle: UITableViewCell.EditingStyle,
    forRowAt indexPath: IndexPath
  ) {}
  open func tableView(_ tableView: UITableView, moveRowAt source: IndexPath, to destination: IndexPath) {}
}

public struct NSDiffableDataSourceTransaction<SectionID: Hashable & Sendable, ItemID: Hashable & Sendable>: Sendable {
  public let finalSnapshot: NSDiffableDataSourceSnapshot<SectionID, ItemID>
}

@MainActor
open class UICollectionViewDiffableDataSource<SectionID: Hashable & Sendable, ItemID: Hashable & Sendable>:
  NSObject, UICollectionViewDataSource
{
  public struct ReorderingHandlers {
    public var canReorderItem: ((ItemID) -> Bool)?
    public var didReorder: ((NSDiffableDataSourceTransaction<SectionID, ItemID>) -> Void)?
  }

  public typealias CellProvider = (UICollectionView, IndexPath, ItemID) -> UICollectionViewCell?
  public var supplementaryViewProvider: ((UICollectionView, String, IndexPath) -> UICollectionReusableView?)?
  public var reorderingHandlers = ReorderingHandlers()
  public private(set) var applied = 0
  private weak var view: UICollectionView?
  private let provider: CellProvider
  private var state = DiffableState<SectionID, ItemID, UICollectionViewCell>()

  public init(collectionView: UICollectionView, cellProvider: @escaping CellProvider) {
    (view, provider) = (collectionView, cellProvider)
    super.init()
    collectionView.dataSource = self
  }

  public func snapshot() -> NSDiffableDataSourceSnapshot<SectionID, ItemID> { state.current }

  public func apply(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionID, ItemID>,
    animatingDifferences: Bool = true,
    completion: (() -> Void)? = nil
  ) {
    guard let view else { return }
    if state.isAsking { view.raise("a snapshot is applied inside the cell provider") }
    if animatingDifferences, view.hasUncommittedUpdates { view.raise("a snapshot while there are uncommitted updates") }
    applied += 1
    view.load()
    let former = state
    state.current = snapshot.settled
    var list = view.list
    former.apply(
      snapshot,
      to: &list,
      fill: { cell($0, $1, in: view) },
      header: { view.header($0) },
      kind: { $0.reuseIdentifier },
      raise: { view.raise($0) }
    )
    view.list = list
    if let completion { view.completions.append { _ in completion() } }
  }

  public func applySnapshotUsingReloadData(
    _ snapshot: NSDiffableDataSourceSnapshot<SectionID, ItemID>,
    completion: (() -> Void)? = nil
  ) {
    for exception in snapshot.exceptions { view?.raise(exception) }
    state.current = snapshot.settled
    view?.reloadData()
    completion?()
  }

  /// The user drags an item to another place: the data source has it there, then tells.
  public func drag(_ origin: IndexPath, to destination: IndexPath) {
    guard let view, let item = state.current.item(origin), reorderingHandlers.canReorderItem?(item) == true else {
      return
    }
    var order = state.current.sectionIdentifiers.map { ($0, state.current.itemIdentifiers(inSection: $0)) }
    order[origin.section].1.remove(at: origin.item)
    order[destination.section].1.insert(item, at: destination.item)
    var next = NSDiffableDataSourceSnapshot<SectionID, ItemID>()
    next.appendSections(order.map(\.0))
    for (section, items) in order { next.appendItems(items, toSection: section) }
    let cell = view.list.cells[origin.section].remove(at: origin.item)
    view.list.cells[destination.section].insert(cell, at: destination.item)
    state.current = next
    reorderingHandlers.didReorder?(NSDiffableDataSourceTransaction(finalSnapshot: next))
  }

  private func cell(_ path: IndexPath, _ item: ItemID, in view: UICollectionView) -> UICollectionViewCell? {
    state.isAsking = true
    defer { state.isAsking = false }
    let cell = provider(view, path, item)
    if cell == nil { view.raise("the cell provider gave nothing") }
    state.cells[item] = cell
    return cell
  }

  public func numberOfSections(in collectionView: UICollectionView) -> Int { state.current.sectionIdentifiers.count }
  public func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
    state.current.itemIdentifiers(inSection: state.current.sectionIdentifiers[section]).count
  }
  public func collectionView(_ collectionView: UICollectionView, cellForItemAt path: IndexPath) -> UICollectionViewCell
  {
    state.current.item(path).flatMap { cell(path, $0, in: collectionView) } ?? UICollectionViewCell()
  }
  public func collectionView(
    _ collectionView: UICollectionView,
    viewForSupplementaryElementOfKind kind: String,
    at indexPath: IndexPath
  ) -> UICollectionReusableView {
    supplementaryViewProvider?(collectionView, kind, indexPath) ?? UICollectionReusableView()
  }
  public func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool { false }
  public func collectionView(
    _ collectionView: UICollectionView,
    moveItemAt source: IndexPath,
    to destination: IndexPath
  ) {}
}
