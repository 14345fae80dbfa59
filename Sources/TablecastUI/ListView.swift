public import TablecastClient

/// A view that shows a table: `UITableView` and the like, or a simulated one.
///
/// Its data source answers from `TableDriver.sections`. The driver sets these at the moment that each method names.
@MainActor
public protocol ListView: AnyObject {
  /// Outside a window nothing is animated: a batch there has raised exceptions in every iOS so far.
  var isInWindow: Bool { get }
  /// The user drags, has swiped a row open, or moves one: what changes now would take it from under the finger.
  var isInteracting: Bool { get }
  /// What the view believes to have, row counts by section; nil where it has asked for nothing yet.
  var rowCounts: [Int]? { get }
  /// It finds out itself what moves, as a diffable data source does: `show` is called instead of `perform` and
  /// `refill`. False where nothing is said.
  var takesStates: Bool { get }

  /// Calls `setData`, then loads everything anew.
  func reload(_ setData: () -> Void)
  /// One animated batch: `setData` is called inside it. `completion` is called once, later or at once.
  func perform(
    _ stage: TableStage,
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  )
  /// Fills cells, headers and footers again in place; exchanges the cells of `reloaded`. Calls `setData` before.
  func refill(_ rows: [RowPath], reloaded: [RowPath], sections: [Int], animation: TableAnimation, _ setData: () -> Void)
  /// Shows another state, and of the rows that stay fills `rows` again in place and exchanges the cells of `reloaded`,
  /// all in that state's coordinates. Calls `setData` before; `completion` is called once, later or at once.
  func show(
    rows: [RowPath],
    reloaded: [RowPath],
    sections: [Int],
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  )

  /// The user's own move, which the view shows already, is in the data now. Nothing where nothing is said.
  func didMove()

  /// The first visible row and where it stands, to come back to after a reload.
  var anchor: ScrollAnchor? { get }
  func scroll(to path: RowPath, offset: Double)
  var selectedRows: [RowPath] { get }
  func select(_ rows: [RowPath])
}

extension ListView {
  public var takesStates: Bool { false }
  public func didMove() {}

  public func show(
    rows: [RowPath],
    reloaded: [RowPath],
    sections: [Int],
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    reload(setData)
    completion()
  }
}

/// A row, and the distance of its upper edge from the upper edge of the visible area, in points.
public struct ScrollAnchor: Hashable, Sendable {
  public var path: RowPath
  public var offset: Double

  public init(path: RowPath, offset: Double) { (self.path, self.offset) = (path, offset) }
}
