package import TableModel

/// One client's request of a table.
package struct TableQuery: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case snapshot
    /// The changes since a cursor; nil: everything.
    case changes(after: Cursor?)
  }
  package var kind: Kind
  package var lens: Lens

  package init(_ kind: Kind, _ lens: Lens) { (self.kind, self.lens) = (kind, lens) }

  /// The cursor that the client is at.
  package var after: Cursor? {
    switch kind {
    case .snapshot: nil
    case .changes(let after): after
    }
  }
}

/// The key of a reply: two replies with one key have the same bytes.
package struct ReplyKey: Hashable, Sendable {
  package var query: TableQuery
  package var to: Cursor
  /// The view that it is made for; nil where it is the same for all.
  var view: View?

  /// A view, and which of those that had its name.
  struct View: Hashable, Sendable {
    var name: String
    var incarnation: UInt64
  }

  package init(_ query: TableQuery, to: Cursor) { (self.query, self.to) = (query, to) }
}

/// A client's standing.
package struct QueryState: Sendable {
  /// There is nothing new for it.
  package var isCurrent: Bool
  /// The cursor of what there is now, as it sees it.
  package var to: Cursor
}

/// Why a client gets a snapshot instead of stages.
enum ResetReason: String, Sendable, CaseIterable {
  case start, epoch, expired, ahead, lens, large
}
