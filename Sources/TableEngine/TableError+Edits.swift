import Definitions
import TableStore

/// Refusals of edits that are final.
extension TableError {
  static func taken(_ row: String) -> TableError {
    TableError(
      .conflict,
      detail: "There is a row `\(row)` already: identities are unique in a table.",
      field: "id"
    )
  }

  /// The client has asked to add an item, and there is one.
  static func isThere(_ row: String) -> TableError {
    TableError(
      .conditionFailed,
      detail: "There is a row `\(row)` already, and `If-None-Match: *` asks that there be none.",
      field: "If-None-Match"
    )
  }

  /// Identities are not for clients to choose here.
  static func namesItsOwn(_ table: String, _ reason: String) -> TableError {
    TableError(.notAllowed, detail: "Clients can't choose the identities of items of `\(table)`: \(reason).")
  }

  /// After the edit another caller would have the row.
  static var wouldBeOthers: TableError {
    .unprocessable("The item would be none of yours then: what tells whose it is stays as it is.")
  }

  /// How much others have is not told.
  static func hasNoRoom(table: String) -> TableError {
    TableError(.tooLarge, detail: "The table `\(table)` has no room for more items.")
  }

  /// `If-Match` names another version than the one that an edit would be built on.
  static var movedOn: TableError {
    TableError(
      .conditionFailed,
      detail: "The table has moved on since the version that `If-Match` names. Follow its changes, then decide again.",
      field: "If-Match"
    )
  }

  static func anotherIsOnItsWay(ofTable name: String) -> TableError {
    TableError(
      .conditionFailed,
      detail:
        "Another edit of the table `\(name)` is on its way to the upstream. Follow its changes, then decide again.",
      field: "If-Match"
    )
  }

  static let keyReused = TableError.unprocessable(
    "This `Idempotency-Key` stood on another request: use a new one for a new request.",
    field: "Idempotency-Key"
  )

  /// Returns the refusal of members that may not be written as they were sent.
  static func unwritable(_ faults: [ItemFields.Fault]) -> TableError {
    let words = faults.prefix(3).map { "`\($0.name)` \($0.reason)" }.joined(separator: "; ")
    let more = faults.count > 3 ? "; and \(faults.count - 3) more" : ""
    let first = faults.first?.name
    var error = TableError.unprocessable(
      words + more + ".",
      field: faults.allSatisfy { $0.name == first } ? first : nil
    )
    for fault in faults {
      if let known = error.fields.firstIndex(where: { $0.name == fault.name }) {
        error.fields[known].reasons.append(fault.reason)
      } else {
        error.fields.append(FieldFault(name: fault.name, reasons: [fault.reason]))
      }
    }
    return error
  }

  /// Takes an impossible edit, as the protocol answers it.
  init(_ error: EditError) {
    switch error {
    case .unknownItem: self = .notFound("\(error)")
    case .itemTooLarge, .tableTooLarge: self.init(.tooLarge, detail: "\(error)")
    case .taken(let name): self = .taken(name)
    case .unusableName, .unknownNeighbor, .besideItself, .indexOutOfRange, .notAnObject, .tooManyItems, .exhausted:
      self = .unprocessable("\(error)")
    }
  }

  /// With other content it might not be said.
  var isOfContent: Bool {
    switch kind {
    case .unavailable, .unknown, .conflict, .conditionFailed, .impossible, .forbidden, .notAllowed:
      upstreamStatus == nil
    default: false
    }
  }
}
