public import TablecastClient

/// A row, for filling a cell.
public struct DisplayedRow<Cell: CellModel> {
  public let row: TableRow
  /// The row's content. Unknown or malformed content is shown as a placeholder, and never left out.
  public let content: CellContent<Cell>
  /// Whether the row has a pending edit.
  public let isPending: Bool

  @MainActor
  init?(_ driver: TableDriver<Cell>, _ path: RowPath) {
    guard let row = driver.row(path) else { return nil }
    self.init(driver, row)
  }

  @MainActor
  init(_ driver: TableDriver<Cell>, _ row: TableRow) {
    self.row = row
    content = row.content()
    isPending = driver.snapshot?.pendingRows.contains(row.id) ?? false
  }

  /// The kind of cell to dequeue: the row's own, its fallback's, or `placeholderCellIdentifier`.
  public var cellIdentifier: String { row.shownIdentifier(content) }
}

/// The kind of cell for content of an unknown kind. Dequeuing the unknown kind itself would crash the app. UIKit's
/// adapters register a plain cell for it.
public let placeholderCellIdentifier = "tablecast.placeholder"

extension TableRow {
  /// The kind of cell that shows the row in this app. O(bytes).
  func shownIdentifier<Cell: CellModel>(as type: Cell.Type) -> String { shownIdentifier(content(as: Cell.self)) }

  fileprivate func shownIdentifier<Cell: CellModel>(_ content: CellContent<Cell>) -> String {
    switch content {
    case .known, .malformed: cellIdentifier
    case .unknown: placeholderCellIdentifier
    case .fallback: fallbackIdentifier(as: Cell.self)
    }
  }

  /// The first cell in the chain of fallbacks that the app knows.
  private func fallbackIdentifier<Cell: CellModel>(as type: Cell.Type) -> String {
    var candidate = json["fallback"]
    while let next = candidate {
      if let identifier = next["cellIdentifier"]?.string, Cell.decodes(cellIdentifier: identifier),
        (try? next.decode(Cell.self)) != nil
      {
        return identifier
      }
      candidate = next["fallback"]
    }
    return cellIdentifier
  }
}

/// What a view's side of the driver asks for the rows that are shown: it is made before the driver.
@MainActor
final class SectionSource {
  fileprivate var read: () -> [TableSection] = { [] }
  var sections: [TableSection] { read() }
}

/// A view's data source and delegate, which says of the table what is to be said beside its rows.
@MainActor
protocol ListAdapter: AnyObject {
  func show(_ snapshot: TableSnapshot)
}

/// What a driver keeps, as views don't keep their data sources.
@MainActor
private final class AdapterParts {
  let list: any ListView
  let adapter: any ListAdapter
  let source: AnyObject?

  init(list: any ListView, adapter: any ListAdapter, source: AnyObject?) {
    (self.list, self.adapter, self.source) = (list, adapter, source)
  }
}

extension TableDriver {
  /// A driver with what stands between it and a view of the system's. Begins to follow.
  ///
  /// - Parameter connect: makes the adapter what it is to the view; returns what else is to be kept.
  convenience init<List: ListView, Adapter: ListAdapter>(
    _ table: LiveTable<Cell>,
    list makeList: (SectionSource) -> List,
    adapter makeAdapter: (TableDriver) -> Adapter,
    connect: (TableDriver, List, Adapter) -> AnyObject?
  ) {
    let source = SectionSource()
    let list = makeList(source)
    self.init(table, view: list)
    source.read = { [weak self] in self?.sections ?? [] }
    let adapter = makeAdapter(self)
    self.adapter = AdapterParts(list: list, adapter: adapter, source: connect(self, list, adapter))
    onStatus = { [weak adapter] in adapter?.show($0) }
    start()
  }

  /// What the row there offers: nothing where the app wants it so.
  func offers(_ path: RowPath?, _ options: AdapterOptions) -> [RowOffer] {
    guard options.offersActions, let row = path.flatMap({ row($0) }) else { return [] }
    return RowOffer.all(row, of: table, texts: options.texts)
  }
}
