import Definitions
import Dispatch
import HTTPServer
import JSON
import TableMapping
import TableModel
import TableStore

extension LiveTable {
  /// What the rows depend on beside the table.
  var vary: [String] { TableRenderer.vary(forwards) }

  var cacheControl: String { isPrivate ? "private, no-cache" : "no-cache" }

  /// Gives the table as it is through a lens, on the rendering queue.
  func read(_ lens: Lens, _ body: @escaping @Sendable (Table, Cursor) -> Void) {
    onRenderingQueue { [self] in
      let (table, cursor) = shown(through: lens)
      body(table, cursor)
    }
  }

  /// The represented object of a row. `completion` runs on the table's queue.
  ///
  /// - Parameter orHidden: also that of an item that no section shows.
  func item(
    _ row: String,
    orHidden: Bool,
    _ completion: @escaping @Sendable (Result<TableContent.RepresentedObject, ServiceError>) -> Void
  ) {
    content.queue.async { [self] in
      let object = content.access { $0.object(row) }
      if let object, orHidden || !object.isHidden { return completion(.success(object)) }
      completion(.failure(.notFound("The table `\(name)` has no row `\(row)`.")))
    }
  }
}
