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
  /// Several additions, patches, deletions and moves, 1,000 at most: all are done, in one version, or none is.
  case batch([TableEdit])

  /// The row that it is about; nil for several.
  public var row: String? {
    switch self {
    case .patch(let row, _, _), .delete(let row), .move(let row, _), .tap(let row), .action(let row, _, _): row
    case .add, .refresh, .batch: nil
    }
  }

  /// The edits that it is made of: itself, but for a batch.
  var parts: [TableEdit] { if case .batch(let edits) = self { edits } else { [self] } }
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
  /// Taken back, by the service's own words.
  case refused(Problem)
  /// Nobody can tell whether it was done: the service could not (504), or it was sent too long ago. Never sent again by
  /// itself.
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
  /// Why it was refused, or why nobody knows its end.
  public internal(set) var problem: Problem?
  /// It is to be done only if the table has not moved on from there: the `If-Match` of its request.
  public internal(set) var version: TableCursor?
  /// When its first byte may have left, in seconds since 1970; nil while none has.
  var firstSent: Double?
  /// How often it was tried again after a refusal: each time under another key.
  var attempt = 0
  /// An addition that was sent without an identity of this client's making.
  var isPosted = false
  /// It was answered in this epoch, and sent once more as the service had been set back since.
  var repeatedEpoch: String?

  init(id: EditID, edit: TableEdit, state: EditState) { (self.id, self.edit, self.state) = (id, edit, state) }

  /// The row that it is about; of an addition the one that it makes, as this client names it.
  public var row: String? { edit.row ?? addedRow }

  /// Its `Idempotency-Key`.
  var key: String { attempt == 0 ? id.description : "\(id)-\(attempt)" }
}
