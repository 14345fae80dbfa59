/// The state of a table to show: the service's state with this client's edits applied. Immutable.
public struct TableSnapshot: Sendable {
  public let address: TableAddress
  /// The service's name for the table; a family's member has all its parameters. Nil before the first answer.
  public internal(set) var name: String?
  /// The version that this state is based on. Nil before the first answer.
  public internal(set) var cursor: TableCursor?
  public internal(set) var sections: [TableSection] = []
  public internal(set) var attributes = TableAttributes()
  public internal(set) var connection: TableConnection = .connecting
  /// The reason why the service refuses the table, if it does.
  public internal(set) var refusal: Problem?
  /// The obstacle for edits or all requests, if a person can remove it.
  public internal(set) var trouble: ClientTrouble?
  /// Edits that the service has not confirmed yet, in order. Failed ones stay until they are retried or discarded.
  public internal(set) var edits: [EditStatus] = []
  /// The rows of these edits.
  public internal(set) var pendingRows: Set<String> = []
  /// The search that the user has entered, from the first letter on. Nil if `LiveTable.find` was not called.
  public internal(set) var search: TableSearch?
  /// Whether the rows are still those of an earlier search.
  public internal(set) var isSearching = false
  /// The reason why the service refused the last search, if it did. The rows are then those of the search before.
  public internal(set) var searchProblem: Problem?
  /// The number of this state. Changes name the number of the state that they lead from.
  public internal(set) var revision = 0

  init(_ address: TableAddress, revision: Int = 0) { (self.address, self.revision) = (address, revision) }

  public var state: TableState { attributes.state }
  public var problem: TableProblem? { attributes.problem }
  public var title: String { attributes.title }
  public var window: TableWindow? { attributes.window }
  /// The search that the table offers, after `LiveTable.find`. Nil if it offers none.
  public var find: TableFind? { attributes.find }
  /// Whether rows can be moved by hand. They can't while the user has chosen a sort.
  public var offersMoves: Bool { search?.sort == nil && attributes.find?.sort == nil }
  /// Whether there are rows after the window, for `loadMore()`.
  public var hasMore: Bool { attributes.window?.hasMore ?? false }

  public var rowCount: Int { sections.reduce(0) { $0 + $1.rows.count } }

  public func row(at path: RowPath) -> TableRow? {
    guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
      return nil
    }
    return sections[path.section].rows[path.row]
  }

  /// The place of a row. O(rows).
  public func path(of id: String) -> RowPath? {
    let identity = Identity(id)
    for (section, element) in sections.enumerated() {
      if let row = element.rows.firstIndex(where: { $0.identity == identity }) {
        return RowPath(section: section, row: row)
      }
    }
    return nil
  }

  /// A row by its identity. O(rows).
  public func row(id: String) -> TableRow? { path(of: id).flatMap { row(at: $0) } }

  /// The stages that lead from another state of the table to this one, for a view that has missed changes. O(rows · log
  /// rows).
  public func stages(from other: TableSnapshot) -> [TableStage] { [TableStage](from: other.sections, to: sections) }
}

/// A change of the shown state.
public struct TableChange: Sendable {
  public enum Kind: Sendable {
    /// The batches that lead from the state `from` to the snapshot.
    case stages([TableStage])
    /// The snapshot replaces everything that was shown.
    case reset
    /// The rows are the same. The connection, the state or an edit has changed.
    case status
  }

  public let kind: Kind
  /// The revision that the stages lead from.
  public let from: Int
  public let snapshot: TableSnapshot
}
