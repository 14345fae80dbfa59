import Foundation

@MainActor open class UICollectionReusableView: UIView {
  public internal(set) var reuseIdentifier: String?
  override public required nonisolated init() { super.init() }
  public required init?(coder: NSCoder) { nil }
}

@MainActor open class UICollectionViewCell: UICollectionReusableView {
  public var contentConfiguration: (any UIContentConfiguration)?
}

open class UICollectionViewListCell: UICollectionViewCell {
  public func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }
}

public struct UICollectionViewLayoutAttributes { public var frame: CGRectLike }

@MainActor public protocol UICollectionViewDataSourcePrefetching: AnyObject {
  func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
}

@MainActor public protocol UICollectionViewDelegate: UIScrollViewDelegate {
  func collectionView(
    _ collectionView: UICollectionView,
    willDisplay cell: UICollectionViewCell,
    forItemAt indexPath: IndexPath
  )
  func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath)
  func collectionView(
    _ collectionView: UICollectionView,
    contextMenuConfigurationForItemAt indexPath: IndexPath,
    point: CGPoint
  ) -> UIContextMenuConfiguration?
  func collectionView(
    _ collectionView: UICollectionView,
    willDisplayContextMenu configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  )
  func collectionView(
    _ collectionView: UICollectionView,
    willEndContextMenuInteraction configuration: UIContextMenuConfiguration,
    animator: (any UIContextMenuInteractionAnimating)?
  )
}

@MainActor public protocol UICollectionViewDataSource: AnyObject {
  func numberOfSections(in collectionView: UICollectionView) -> Int
  func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
  func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell
  func collectionView(
    _ collectionView: UICollectionView,
    viewForSupplementaryElementOfKind kind: String,
    at indexPath: IndexPath
  ) -> UICollectionReusableView
  func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool
  func collectionView(
    _ collectionView: UICollectionView,
    moveItemAt sourceIndexPath: IndexPath,
    to destinationIndexPath: IndexPath
  )
}

@MainActor open class UICollectionView: UIScrollView {
  public struct ScrollPosition: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }

  public struct SupplementaryRegistration<Supplementary: UICollectionReusableView> {
    public typealias Handler = @MainActor (Supplementary, String, IndexPath) -> Void
    let elementKind: String
    let handler: Handler
    /// Whether it was made while a view asked for its parts: the real one raises an exception when it is used.
    let isLate: Bool

    @MainActor
    public init(elementKind: String, handler: @escaping Handler) {
      (self.elementKind, self.handler, isLate) = (elementKind, handler, UICollectionView.isAsking)
    }
  }

  public static let elementKindSectionHeader = "UICollectionElementKindSectionHeader"
  public static let elementKindSectionFooter = "UICollectionElementKindSectionFooter"
  fileprivate static var isAsking = false

  public weak var dataSource: (any UICollectionViewDataSource)?
  public weak var delegate: (any UICollectionViewDelegate)?
  public weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
  public var backgroundView: UIView?
  public var hasUncommittedUpdates = false
  public var hasActiveDrag = false
  public var hasActiveDrop = false
  public private(set) var batches = 0
  public internal(set) var reloads = 0
  public var cells: [[UICollectionViewCell]] { list.cells }
  /// By section.
  public var headers: [UICollectionReusableView?] { list.headers }
  var list = StrictList<UICollectionViewCell, UICollectionReusableView>()
  var completions: [(Bool) -> Void] = []
  private var hasLoaded = false
  private var registered: Set<String> = []
  private var batch: Batch?
  private var selection: Set<IndexPath> = []

  public func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
    registered.insert(identifier)
  }

  public func dequeueReusableCell(withReuseIdentifier identifier: String, for path: IndexPath) -> UICollectionViewCell {
    if !registered.contains(identifier) { raise("could not dequeue a view of kind cell with identifier \(identifier)") }
    let cell = UICollectionViewListCell()
    cell.reuseIdentifier = identifier
    return cell
  }

  public func dequeueConfiguredReusableSupplementary<Supplementary: UICollectionReusableView>(
    using registration: SupplementaryRegistration<Supplementary>,
    for path: IndexPath
  ) -> Supplementary {
    if registration.isLate { raise("a registration was made inside the data source's method") }
    let view = Supplementary()
    registration.handler(view, registration.elementKind, path)
    return view
  }

  public func supplementaryView(forElementKind kind: String, at path: IndexPath) -> UICollectionReusableView? {
    kind == Self.elementKindSectionHeader ? list.headers[path.section] : nil
  }

  public var numberOfSections: Int {
    load()
    return cells.count
  }

  public func numberOfItems(inSection section: Int) -> Int {
    load()
    return cells[section].count
  }

  public func reloadData() {
    if batch != nil { raise("reloadData inside a batch") }
    hasLoaded = true
    reloads += 1
    selection = []
    list.cells = dataCounts.enumerated().map { section, items in
      (0..<items).compactMap { filled(IndexPath(item: $0, section: section)) }
    }
    list.headers = list.cells.indices.map { header($0) }
  }

  public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
    load()
    if window == nil { raise("a batch outside a window") }
    if hasUncommittedUpdates { raise("a batch while the view has uncommitted updates") }
    if batch != nil { raise("a batch inside a batch") }
    if dataCounts != cells.map(\.count) { raise("the data was changed before the batch") }
    batches += 1
    batch = Batch()
    updates?()
    let done = batch ?? Batch()
    batch = nil
    list.apply(
      done,
      counts: dataCounts,
      filled: { filled($0) },
      header: { header($0) },
      raise: { raise($0) }
    )
    if let completion { completions.append(completion) }
  }

  /// What the run loop does when animations are over.
  public func completeAnimations() {
    let due = completions
    completions = []
    for completion in due { completion(true) }
  }

  public func insertItems(at paths: [IndexPath]) { batch?.insertedRows += paths }
  public func deleteItems(at paths: [IndexPath]) { batch?.deletedRows += paths }
  public func moveItem(at path: IndexPath, to newPath: IndexPath) { batch?.movedRows.append((path, newPath)) }
  public func insertSections(_ sections: IndexSet) { batch?.insertedSections.formUnion(sections) }
  public func deleteSections(_ sections: IndexSet) { batch?.deletedSections.formUnion(sections) }
  public func moveSection(_ section: Int, toSection newSection: Int) {
    batch?.movedSections.append((section, newSection))
  }
  public func reconfigureItems(at paths: [IndexPath]) { refill(paths, keepsKind: true) }
  public func reloadItems(at paths: [IndexPath]) { refill(paths, keepsKind: false) }

  private func refill(_ paths: [IndexPath], keepsKind: Bool) {
    if !completions.isEmpty { raise("two animations for one cell") }
    if dataCounts != cells.map(\.count) { return raise("invalid number of items at a refill") }
    list.refill(
      paths,
      keepsKind: keepsKind,
      filled: { filled($0) },
      kind: { $0.reuseIdentifier },
      raise: { raise($0) }
    )
  }

  /// In no order, as the real one gives them.
  public var indexPathsForVisibleItems: [IndexPath] {
    cells.enumerated().flatMap { section, items in items.indices.map { IndexPath(item: $0, section: section) } }
      .reversed()
  }
  /// Every item is 10 points high.
  public func layoutAttributesForItem(at path: IndexPath) -> UICollectionViewLayoutAttributes? {
    let above = cells[..<path.section].reduce(0) { $0 + $1.count } + path.item
    return UICollectionViewLayoutAttributes(frame: CGRectLike(minY: CGFloat(10 * above)))
  }
  override open var contentSize: CGSize { CGSize(width: 0, height: CGFloat(10 * cells.joined().count)) }
  public var indexPathsForSelectedItems: [IndexPath]? { selection.isEmpty ? nil : Array(selection) }
  public func selectItem(at path: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
    if let path { selection.insert(path) }
  }

  func load() { if !hasLoaded { reloadData() } }

  var dataCounts: [Int] {
    guard let dataSource else { return [] }
    return (0..<dataSource.numberOfSections(in: self)).map {
      dataSource.collectionView(self, numberOfItemsInSection: $0)
    }
  }

  func header(_ section: Int) -> UICollectionReusableView? {
    Self.isAsking = true
    defer { Self.isAsking = false }
    return dataSource?.collectionView(
      self,
      viewForSupplementaryElementOfKind: Self.elementKindSectionHeader,
      at: IndexPath(item: 0, section: section)
    )
  }

  private func filled(_ path: IndexPath) -> UICollectionViewCell? {
    Self.isAsking = true
    defer { Self.isAsking = false }
    return dataSource?.collectionView(self, cellForItemAt: path)
  }
}
