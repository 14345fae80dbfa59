package import TableModel

/// Edits as a client asks for them, with the terms under which it does.
package struct EditRequest: Sendable {
  package var edits: [Edit]
  /// The edits are one batch: what refuses it names the edit.
  package var isBatch: Bool
  package var preconditions: EditPreconditions
  package var caller: CallerFields
  /// How the client sees the table: the answer's cursor is one of its view.
  package var lens: Lens
  package var authority: EditAuthority

  package init(
    _ edits: [Edit],
    isBatch: Bool = false,
    preconditions: EditPreconditions = EditPreconditions(),
    caller: CallerFields,
    lens: Lens = Lens(),
    authority: EditAuthority = .granted
  ) {
    (self.edits, self.isBatch, self.preconditions) = (edits, isBatch, preconditions)
    (self.caller, self.lens, self.authority) = (caller, lens, authority)
  }
}

extension EditRequest {
  /// Returns whether the answer is kept for repeats. For a caller that nobody here knows only the upstream's judgement
  /// is.
  func keeps(_ outcome: Result<EditAnswer, TableError>) -> Bool {
    switch (authority, outcome) {
    case (.granted, _), (.callersCredentials, .success): true
    case (.callersCredentials, .failure(let error)): error.upstreamStatus != nil
    }
  }
}

/// The authority that has allowed an edit.
package enum EditAuthority: Sendable {
  /// The service itself.
  case granted
  /// Nobody here. The caller's own credentials may go to the upstream, which judges them: only an edit that is really
  /// sent with them is carried out; any other is refused with this.
  case callersCredentials(else: TableError)
}

/// Under which terms a client asks for an edit or a tap.
package struct EditPreconditions: Sendable {
  /// `If-Match`: the versions that the table may be at.
  package var condition: VersionCondition?
  package var idempotency: Idempotency?

  package init(condition: VersionCondition? = nil, idempotency: Idempotency? = nil) {
    (self.condition, self.idempotency) = (condition, idempotency)
  }
}

/// The versions of a table that an edit may be built on.
package enum VersionCondition: Hashable, Sendable {
  /// There is a table at all.
  case any
  /// One that these cursors name, whatever the lens.
  case oneOf([Cursor])

  func holds(for version: Cursor) -> Bool {
    switch self {
    case .any: true
    case .oneOf(let cursors): cursors.contains { $0.epoch == version.epoch && $0.version == version.version }
    }
  }
}

/// `Idempotency-Key`, and what it stands for: keys of different callers or routes have nothing to do with each other.
package struct Idempotency: Hashable, Sendable {
  /// A token's name, an issuer and subject, a digest of forwarded credentials; empty: whoever.
  var caller = ""
  /// The table that was asked, where another one carries it out.
  var table: String?
  /// Method and path.
  let route: String
  let key: String
  /// A digest of the rest of the request: the same key for something else is a mistake of the client's.
  let content: [UInt8]

  package init(key: String, route: String, content: [UInt8]) {
    (self.key, self.route, self.content) = (key, route, content)
  }
}

/// The result of edits.
package struct EditAnswer: Equatable, Sendable {
  /// The cursor of a version that contains the edits, through the lens of the request.
  package var cursor: Cursor
  /// The rows' identities, an edit each; nil where the upstream did not say what the new item is.
  package var rows: [String?]
  /// An item was put in the place of another.
  package var hasReplaced = false
  /// Why an item that the upstream has added has no row here: no cell takes it.
  package var unfit: String?
  /// It was kept when the request came for the first time, perhaps to another replica.
  package var isRepeated = false
}

/// The result of a tap (`didSelectRow`): the row as it is now.
package struct TapAnswer: Sendable {
  package var cursor: Cursor
  package var id: String
  /// The row, encoded.
  package var row: [UInt8]
  /// The represented object.
  package var object: [UInt8]?
  /// The value of `select`, encoded.
  package var select: [UInt8]?
}
