/// A table as it is to be shown: the service's state with this client's own edits over it. Immutable.
public struct TableSnapshot: Sendable {
  public let address: TableAddress
  /// As the service names it: a family's member with all its parameters; nil where nothing has come yet.
  public internal(set) var name: String?
  /// What it was made from; nil where nothing has come yet.
  public internal(set) var cursor: TableCursor?
  public internal(set) var sections: [TableSection] = []
  public internal(set) var attributes = TableAttributes()
  public internal(set) var connection: TableConnection = .connecting
  /// Why the service refuses the table, where it does.
  public internal(set) var refusal: Problem?
  /// What keeps edits from being sent, or everything from getting through, where somebody can do something about it.
  public internal(set) var trouble: ClientTrouble?
  /// Edits that the service has not confirmed yet, in their order, and those that ended badly: they stay until they are
  /// retried or discarded.
  public internal(set) var edits: [EditStatus] = []
  /// Rows that such edits are about.
  public internal(set) var pendingRows: Set<String> = []
  /// What the person looks for, from the first letter on; nil where nobody asked for menus or searched.
  public internal(set) var search: TableSearch?
  /// The rows are still those of an earlier search.
  public internal(set) var isSearching = false
  /// Why the service refused the last search, where it did: rows are those of the one before.
  public internal(set) var searchProblem: Problem?
  /// Counts the states that were shown: changes say which one they lead from.
  public internal(set) var revision = 0

  init(_ address: TableAddress) { self.address = address }

  public var state: TableState { attributes.state }
  public var problem: TableProblem? { attributes.problem }
  public var title: String { attributes.title }
  public var window: TableWindow? { attributes.window }
  /// What the table can be searched by, once `LiveTable.find` has asked; nil where it offers nothing.
  public var find: TableFind? { attributes.find }
  /// Rows can be moved by hand: not where they stand in the order of a sort that the person has chosen.
  public var offersMoves: Bool { search?.sort == nil && attributes.find?.sort == nil }
  /// There are rows behind the window: `loadMore()` brings them.
  public var hasMore: Bool { attributes.window?.hasMore ?? false }

  public var rowCount: Int { sections.reduce(0) { $0 + $1.rows.count } }

  public func row(at path: RowPath) -> TableRow? {
    guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
      return nil
    }
    return sections[path.section].rows[path.row]
  }

  /// Where a row stands. O(rows).
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

  /// The stages that lead here from another state of the table: for a view that has missed some. O(rows · log rows).
  public func stages(from other: TableSnapshot) -> [TableStage] { [TableStage](from: other.sections, to: sections) }
}

/// A change of what is shown.
public struct TableChange: Sendable {
  public enum Kind: Sendable {
    /// Batches that lead from the state `from` to the snapshot.
    case stages([TableStage])
    /// Another table altogether: shown anew.
    case reset
    /// The same rows; the connection, the state or an edit is another.
    case status
  }

  public let kind: Kind
  /// The revision that the stages lead from.
  public let from: Int
  public let snapshot: TableSnapshot
}
