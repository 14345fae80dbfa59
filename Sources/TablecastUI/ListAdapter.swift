public import TablecastClient

/// A row as a cell is filled from it.
public struct DisplayedRow<Cell: CellModel> {
  public let row: TableRow
  /// What it shows: an unknown or malformed one is shown as a placeholder, never left out.
  public let content: CellContent<Cell>
  /// An edit of it is on its way.
  public let isPending: Bool

  @MainActor
  init?(_ driver: TableDriver<Cell>, _ path: RowPath) {
    let sections = driver.sections
    guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
      return nil
    }
    row = sections[path.section].rows[path.row]
    content = row.content()
    isPending = driver.snapshot?.pendingRows.contains(row.id) ?? false
  }

  /// The kind of cell to dequeue: the row's own, or that of the fallback which stands in for it.
  public var cellIdentifier: String {
    switch content {
    case .known, .malformed, .unknown: row.cellIdentifier
    case .fallback: row.fallbackIdentifier(as: Cell.self)
    }
  }
}

extension TableRow {
  /// The first cell in the chain of fallbacks that the app knows.
  func fallbackIdentifier<Cell: CellModel>(as type: Cell.Type) -> String {
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
  var sections: () -> [TableSection] = { [] }
}

/// What a driver keeps, as views don't keep their data sources.
@MainActor
final class AdapterParts {
  let list: any ListView
  let adapter: AnyObject

  init(list: any ListView, adapter: AnyObject) { (self.list, self.adapter) = (list, adapter) }
}
