#if canImport(UIKit)
public import TablecastClient
public import UIKit

/// An adapter that shows a table in a `UICollectionView`.
///
/// It is the view's data source and its delegate: an app that needs more of either subclasses it and calls `super`.
/// A list layout takes swipe actions from its configuration: `swipeActions(at:)` has them.
@MainActor
open class UICollectionViewAdapter<Cell: CellModel>: NSObject, UICollectionViewDataSource, UICollectionViewDelegate,
  UICollectionViewDataSourcePrefetching, ListAdapter
{
  public typealias Configure = @MainActor (UICollectionViewCell, DisplayedRow<Cell>) -> Void
  typealias FrameRegistration = UICollectionView.SupplementaryRegistration<UICollectionViewListCell>

  public unowned let driver: TableDriver<Cell>
  public weak var collectionView: UICollectionView?
  public let options: AdapterOptions
  private let configure: Configure
  private let presenter: ListStatusPresenter
  /// Made once: a registration that is made while a view is asked for makes UIKit raise an exception.
  private let frames: [String: FrameRegistration]

  public init(
    _ driver: TableDriver<Cell>,
    _ collectionView: UICollectionView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping Configure
  ) {
    (self.driver, self.collectionView, self.options, self.configure) = (driver, collectionView, options, configure)
    presenter = ListStatusPresenter(collectionView, options, of: driver.table)
    var frames: [String: FrameRegistration] = [:]
    for kind in UICollectionView.frameKinds {
      frames[kind] = FrameRegistration(elementKind: kind) { [weak driver] view, kind, path in
        view.fill(kind, driver?.section(path.section))
      }
    }
    self.frames = frames
    collectionView.register(UICollectionViewCell.self, forCellWithReuseIdentifier: placeholderCellIdentifier)
  }

  func show(_ snapshot: TableSnapshot) { presenter.show(snapshot) }

  /// The result for a list layout's `trailingSwipeActionsConfigurationProvider`.
  public func swipeActions(at indexPath: IndexPath) -> UISwipeActionsConfiguration? {
    UISwipeActionsConfiguration(offers(indexPath))
  }

  // MARK: Data source

  open func numberOfSections(in collectionView: UICollectionView) -> Int { driver.sections.count }

  open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
    driver.section(section)?.rows.count ?? 0
  }

  open func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath)
    -> UICollectionViewCell
  {
    guard let row = DisplayedRow(driver, RowPath(item: indexPath)) else { return UICollectionViewCell() }
    let cell = collectionView.dequeueReusableCell(withReuseIdentifier: row.cellIdentifier, for: indexPath)
    configure(cell, row)
    return cell
  }

  open func collectionView(
    _ collectionView: UICollectionView,
    viewForSupplementaryElementOfKind kind: String,
    at indexPath: IndexPath
  ) -> UICollectionReusableView {
    guard let registration = frames[kind] else { return UICollectionReusableView() }
    return collectionView.dequeueConfiguredReusableSupplementary(using: registration, for: indexPath)
  }

  open func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool {
    driver.row(RowPath(item: indexPath)).map { driver.canMove($0) } ?? false
  }

  open func collectionView(_ collectionView: UICollectionView, moveItemAt origin: IndexPath, to destination: IndexPath)
  {
    driver.didMove(from: RowPath(item: origin), to: RowPath(item: destination))
  }

  // MARK: Delegate

  open func collectionView(
    _ collectionView: UICollectionView,
    willDisplay cell: UICollectionViewCell,
    forItemAt indexPath: IndexPath
  ) {
    if options.loadsByScroll { driver.willShow(RowPath(item: indexPath)) }
  }

  /// Rows that will soon be visible.
  open func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
    guard options.loadsByScroll else { return }
    for path in [indexPaths.min(), indexPaths.max()] { if let path { driver.willShow(RowPath(item: path)) } }
  }

  open func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
    if let row = driver.row(RowPath(item: indexPath)), row.can.select { driver.table.tap(row.id) }
  }

  open func collectionView(
    _ collectionView: UICollectionView,
    contextMenuConfigurationForItemAt indexPath: IndexPath,
    point: CGPoint
  ) -> UIContextMenuConfiguration? {
    driver.row(RowPath(item: indexPath)).flatMap { UIContextMenuConfiguration(offers(indexPath), of: $0.id) }
  }

  open func collectionView(
    _ collectionView: UICollectionView,
    willDisplayContextMenu configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  ) {
    driver.hold("menu")
  }

  open func collectionView(
    _ collectionView: UICollectionView,
    willEndContextMenuInteraction configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  ) {
    driver.release("menu")
  }

  open func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool) { driver.proceed() }

  private func offers(_ path: IndexPath) -> [RowOffer] { driver.offers(RowPath(item: path), options) }
}

extension UICollectionView {
  static let frameKinds = [elementKindSectionHeader, elementKindSectionFooter]

  /// Fills visible headers and footers again: reloading a section would take all its rows along.
  func refillFrames(_ indices: [Int], of sections: [TableSection]) {
    for kind in Self.frameKinds {
      for index in indices where sections.indices.contains(index) {
        let frame = supplementaryView(forElementKind: kind, at: IndexPath(item: 0, section: index))
        (frame as? UICollectionViewListCell)?.fill(kind, sections[index])
      }
    }
  }
}

extension UICollectionViewListCell {
  /// As a header or a footer.
  fileprivate func fill(_ kind: String, _ section: TableSection?) {
    let frame = kind == UICollectionView.elementKindSectionHeader ? section?.header : section?.footer
    var content = defaultContentConfiguration()
    content.text = frame?["payload"]?["title"]?.string
    contentConfiguration = content
  }
}

extension TableDriver {
  /// A driver of a collection view: registers itself as data source and delegate, and begins to follow.
  ///
  /// - Parameter configure: fills a cell that was dequeued by the row's `cellIdentifier`, which the app has registered.
  public convenience init(
    _ table: LiveTable<Cell>,
    _ collectionView: UICollectionView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping UICollectionViewAdapter<Cell>.Configure
  ) {
    self.init(table) {
      UICollectionViewList(collectionView, $0)
    } adapter: {
      UICollectionViewAdapter($0, collectionView, options: options, configure: configure)
    } connect: { _, _, adapter in
      collectionView.dataSource = adapter
      collectionView.delegate = adapter
      collectionView.prefetchDataSource = adapter
      return nil
    }
  }
}
#endif
