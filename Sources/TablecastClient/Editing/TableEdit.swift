/// An edit of a table by the user.
public enum TableEdit: Hashable, Sendable {
  /// Adds an item. `preview` is the row to show until the service has made one: `{"cellIdentifier","payload"}`.
  case add(item: JSONText, EditPlace, preview: JSONText?)
  /// Changes an item by a JSON merge patch (RFC 7396). `preview` is a merge patch of the shown payload.
  case patch(row: String, JSONText, preview: JSONText?)
  case delete(row: String)
  case move(row: String, EditPlace)
  /// Selects a row: it expands or folds, and the answer has its item and `select`.
  case tap(row: String)
  case action(row: String, id: String, body: JSONText?)
  /// Lets the service fetch the table's sources now.
  case refresh
  /// Several additions, patches, deletions and moves, at most 1,000. Either all are done, in one version, or none is.
  case batch([TableEdit])

  /// The edited row; nil for several.
  public var row: String? {
    switch self {
    case .patch(let row, _, _), .delete(let row), .move(let row, _), .tap(let row), .action(let row, _, _): row
    case .add, .refresh, .batch: nil
    }
  }

  /// The edits that it is made of: itself, but for a batch.
  var parts: [TableEdit] { if case .batch(let edits) = self { edits } else { [self] } }
}

/// The place of an added or moved row. Indices count after the removal, like UIKit's destination.
public enum EditPlace: Hashable, Sendable {
  case end
  case section(String, at: Int?)
  case before(String)
  case after(String)
}

public enum EditState: Hashable, Sendable {
  /// Shown by this client, but not sent yet.
  case local
  case sent
  /// The service has done it, but the table has not shown it yet. With the body of the answer.
  case acknowledged(JSONText)
  /// The service's table contains it.
  case confirmed(JSONText)
  /// The service refused it, and the client no longer shows it.
  case refused(Problem)
  /// Nobody knows whether it was done: the service could not tell (504), or it was sent too long ago. The client does
  /// not send it again by itself.
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
  /// The reason of `refused` or `unknown`.
  public internal(set) var problem: Problem?
  /// The version on which the edit depends: the `If-Match` of its request. The service refuses the edit if the table
  /// has changed since.
  public internal(set) var version: TableCursor?
  /// The view on which the edit was made: its request and its answer's cursor are of this one. Other views show it, too.
  public internal(set) var view: String?
  /// When its first byte may have left, in seconds since 1970; nil while none has.
  var firstSent: Double?
  /// How often it was tried again after a refusal: each time under another key.
  var attempt = 0
  /// An addition that was sent without an identity of this client's making.
  var isPosted = false
  /// It was answered in this epoch, and sent once more as the service had been set back since.
  var repeatedEpoch: String?

  init(id: EditID, edit: TableEdit, state: EditState) { (self.id, self.edit, self.state) = (id, edit, state) }

  /// The edited row. For an addition, the new row as this client names it.
  public var row: String? { edit.row ?? addedRow }

  /// Its `Idempotency-Key`.
  var key: String { attempt == 0 ? id.description : "\(id)-\(attempt)" }
}

extension EditPlace {
  init(section: String?, at index: Int?) throws {
    guard let section else {
      guard index == nil else { throw MalformedReply("the index of an added row needs a section: it counts in that") }
      self = .end
      return
    }
    self = .section(section, at: index)
  }
}
