import TableModel

/// How one client sees a version: through the cells that it can show, and with the rows that its view has toggled.
struct Lens: Sendable {
  var cells: AcceptedCells?
  var view: String?
}

/// What a reply is for: two replies with one key have the same bytes.
struct ReplyKey: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case snapshot
    case changes(Cursor?)
  }
  var kind: Kind
  var to: Cursor
  /// The identity of the set of cells that the client can show.
  var cells: ObjectIdentifier?
}
