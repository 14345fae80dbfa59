/// Something that the user does to a table.
public enum TableEdit: Hashable, Sendable {
  /// Adds an item. `preview` is the row to show until the service has made one: `{"cellIdentifier","payload"}`.
  case add(item: JSONText, EditPlace, preview: JSONText?)
  /// Changes an item by a JSON merge patch (RFC 7396). `preview` is a merge patch of the payload that is shown.
  case patch(row: String, JSONText, preview: JSONText?)
  case delete(row: String)
  case move(row: String, EditPlace)
  /// Expands or folds a row, or asks what it is for.
  case tap(row: String)
  case action(row: String, id: String, body: JSONText?)
  /// Has the sources fetched now.
  case refresh

  /// The row that it is about.
  public var row: String? {
    switch self {
    case .patch(let row, _, _), .delete(let row), .move(let row, _), .tap(let row), .action(let row, _, _): row
    case .add, .refresh: nil
    }
  }
}

/// Where an added or moved row goes. Indices count after the removal, as UIKit's destination does.
public enum EditPlace: Hashable, Sendable {
  case end
  case section(String, at: Int?)
  case before(String)
  case after(String)
}

public enum EditState: Hashable, Sendable {
  /// Shown here, not sent yet.
  case local
  case sent
  /// Done, says the service; the table that shows it is still to come. With the body of the answer.
  case acknowledged(JSONText)
  /// In the service's own table.
  case confirmed(JSONText)
  /// Taken back.
  case refused(Problem)
  /// The service could not tell whether it was done (504): never sent again by itself.
  case unknown

  public var isOver: Bool {
    switch self {
    case .local, .sent, .acknowledged: false
    case .confirmed, .refused, .unknown: true
    }
  }
}

public struct EditStatus: Hashable, Sendable, Identifiable {
  public let id: EditID
  public internal(set) var edit: TableEdit
  public internal(set) var state: EditState
}
