/// Refusals for now, and of edits whose outcome can't be told yet.
extension TableError {
  static func isGone(_ name: String) -> TableError { .notFound("The table `\(name)` is no longer there.") }

  /// The error while requests are still answered by the configuration before.
  static func isMadeFamily(_ name: String) -> TableError {
    TableError(
      .unavailable,
      detail: "What the table `\(name)` shows is about to depend on who asks: ask again.",
      retryAfter: .seconds(1)
    )
  }

  static var hasMadeRoom: TableError {
    TableError(
      .unavailable,
      detail: "This table has made room while it was being refreshed: whoever reads it again has it made anew.",
      retryAfter: .seconds(1)
    )
  }

  static var notStoredYet: TableError {
    TableError(
      .unavailable,
      detail: "This table was not read before, and the replica that asks its sources has not told of it yet.",
      retryAfter: .seconds(1)
    )
  }

  static func hasNoRowsYet(_ name: String) -> TableError {
    TableError(
      .unavailable,
      detail: "It is not known yet which rows `\(name)` has: its sources have not answered.",
      retryAfter: .seconds(1)
    )
  }

  /// A refusal would be final: a client that has kept an edit through a restart of the service would drop it.
  static func notKnownYet(_ row: String, of table: String) -> TableError {
    TableError(
      .unavailable,
      detail: "It is not known yet whether `\(table)` has a row `\(row)`: its sources have not all answered.",
      retryAfter: .seconds(1)
    )
  }

  /// The lookups that tell whose an item is have found nothing yet.
  static func isNobodysYet(table: String) -> TableError {
    TableError(
      .unavailable,
      detail: "It is not known yet whose items of `\(table)` are: a source that it looks up has not answered.",
      retryAfter: .seconds(1)
    )
  }

  /// The error while the sources' answers are known, and not shown yet.
  static var notStoredForNow: TableError {
    TableError(
      .unavailable,
      detail: "What the sources have said can't be stored for now: it is shown as soon as it is.",
      retryAfter: .seconds(1)
    )
  }

  /// The error of a replica whose configuration does not count.
  static func isUnknownToLeader(_ table: String) -> TableError {
    TableError(
      .unavailable,
      detail: "By the configuration that counts there is no table `\(table)`, or another source feeds it: "
        + "this replica, which has another one, is about to be replaced.",
      retryAfter: .seconds(1)
    )
  }

  static func isMadeAnew(_ table: String) -> TableError {
    TableError(
      .unavailable,
      detail: "The table `\(table)` is being made anew by another configuration. Send the edit again a moment later.",
      retryAfter: .seconds(1)
    )
  }

  static var inOtherHands: TableError {
    TableError(
      .unavailable,
      detail: "Another replica has this request in hand, or had it when it ended: ask again.",
      retryAfter: .seconds(5)
    )
  }

  /// The items that are looked up are older here than those that the table shows.
  static var itemsBehind: TableError {
    TableError(
      .unavailable,
      detail: "What the table looks up has been changed by another replica, and is not known here yet.",
      retryAfter: .seconds(1)
    )
  }

  static var storeUnreachable: TableError {
    TableError(
      .unavailable,
      detail: "The database can't be reached: nothing was sent to the upstream.",
      retryAfter: .seconds(1)
    )
  }

  /// The edit is stored, and another replica has to show it.
  static var storedUnseen: TableError {
    TableError(
      .unavailable,
      detail:
        "The edit is stored, but the replica that asks the table's upstreams has not shown it yet: a repeat with the same "
        + "`Idempotency-Key` gets its answer.",
      retryAfter: .seconds(1)
    )
  }

  /// The upstream has taken an edit that the store doesn't have yet.
  static var acceptedUnseen: TableError {
    TableError(
      .unanswered,
      detail: "The upstream has accepted the edit, but it can't be shown for now: it will be, without being sent again."
    )
  }

  /// A fault of the service: the steps of a change came in an order that they can't come in.
  static var outOfTurn: TableError {
    TableError(.failed, detail: "The service has lost its place in this request.")
  }
}
