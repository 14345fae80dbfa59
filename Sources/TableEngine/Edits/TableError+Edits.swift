import Definitions
import TableStore

extension TableError {
  /// What the protocol answers to an impossible edit.
  init(_ error: EditError) {
    switch error {
    case .unknownItem: self = .notFound("\(error)")
    case .unknownNeighbor, .besideItself, .indexOutOfRange, .notAnObject, .tooManyItems, .exhausted:
      self = .unprocessable("\(error)")
    }
  }
}

extension LimitsDefinition {
  /// Refuses an item that an edit would make larger than one may be, in bytes of JSON.
  func admit(item bytes: Int) throws(TableError) {
    guard bytes > itemBytes else { return }
    throw TableError(
      .tooLarge,
      detail: "The item would take \(bytes) bytes as JSON: \(itemBytes) are the most (`limits.itemBytes`)."
    )
  }

  /// Refuses an edit that would make a table's items larger than they may be, in bytes of JSON.
  func admit(table bytes: Int) throws(TableError) {
    guard bytes > tableBytes else { return }
    throw TableError(
      .tooLarge,
      detail: "The table's items would take \(bytes) bytes as JSON: \(tableBytes) are the most "
        + "(`limits.tableBytes`). Delete some first."
    )
  }
}
