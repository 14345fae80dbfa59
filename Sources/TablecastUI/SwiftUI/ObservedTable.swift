#if canImport(Observation)
public import Observation
public import TablecastClient

/// A table for SwiftUI: a row that changes redraws itself, and no other.
///
/// Sections and rows are the same objects as long as their identities stay, so that views keep their state.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class ObservedTable<Cell: CellModel> {
  public private(set) var sections: [ObservedSection<Cell>] = []
  public private(set) var state: TableState = .loading
  public private(set) var connection: TableConnection = .connecting
  public private(set) var title = ""
  public private(set) var problem: TableProblem?
  public private(set) var refusal: Problem?
  public private(set) var hasMore = false
  /// What the table can be searched by, once it was asked for (`search`, `LiveTable.find`).
  public private(set) var find: TableFind?
  /// The rows are still those of an earlier search.
  public private(set) var isSearching = false
  /// Why the service refused the last search.
  public private(set) var searchProblem: Problem?
  /// What the person looks for: setting it has it found, typing 150 ms after the last letter.
  ///
  ///     .searchable(text: $table.search.q, prompt: table.find?.prompt ?? "Search")
  public var search = TableSearch() {
    didSet { if search != oldValue { table.find(search) } }
  }

  @ObservationIgnored public let table: LiveTable<Cell>
  @ObservationIgnored private var rows: [Identity: ObservedRow<Cell>] = [:]
  @ObservationIgnored private var known: [Identity: ObservedSection<Cell>] = [:]

  /// - Parameter offersFinding: asks for what the table can be searched by: prompts, sorts, filters with counts.
  public init(_ table: LiveTable<Cell>, offersFinding: Bool = false) {
    self.table = table
    if offersFinding { table.find(table.snapshot?.search ?? TableSearch()) }
  }

  /// Follows until the task ends: `.task { await observed.follow() }`.
  public func follow() async {
    for await change in table.changes { show(change.snapshot) }
  }

  /// Shows a state. Only what differs is set. O(rows).
  public func show(_ snapshot: TableSnapshot) {
    var rows: [Identity: ObservedRow<Cell>] = [:]
    var known: [Identity: ObservedSection<Cell>] = [:]
    var sections: [ObservedSection<Cell>] = []
    for section in snapshot.sections {
      let shown = section.rows.map { row in
        let observed = self.rows[row.identity] ?? ObservedRow(row)
        observed.show(row, isPending: snapshot.pendingRows.contains(row.id))
        rows[row.identity] = observed
        return observed
      }
      let observed = self.known[section.identity] ?? ObservedSection(section.id)
      observed.show(section, shown)
      known[section.identity] = observed
      sections.append(observed)
    }
    (self.rows, self.known) = (rows, known)
    if !self.sections.elementsEqual(sections, by: ===) { self.sections = sections }
    set(\.state, snapshot.state)
    set(\.connection, snapshot.connection)
    set(\.title, snapshot.title)
    set(\.problem, snapshot.problem)
    set(\.refusal, snapshot.refusal)
    set(\.hasMore, snapshot.hasMore)
    set(\.find, snapshot.find)
    set(\.isSearching, snapshot.isSearching)
    set(\.searchProblem, snapshot.searchProblem)
  }

  private func set<Value: Equatable>(_ path: ReferenceWritableKeyPath<ObservedTable, Value>, _ value: Value) {
    if self[keyPath: path] != value { self[keyPath: path] = value }
  }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class ObservedSection<Cell: CellModel>: Identifiable {
  public nonisolated let id: String
  public private(set) var header: CellContent<Cell>?
  public private(set) var footer: CellContent<Cell>?
  public private(set) var rows: [ObservedRow<Cell>] = []
  @ObservationIgnored private var shown: (header: JSONText?, footer: JSONText?)

  init(_ id: String) { self.id = id }

  func show(_ section: TableSection, _ rows: [ObservedRow<Cell>]) {
    if shown.header != section.header { header = section.header.map { CellContent($0) } }
    if shown.footer != section.footer { footer = section.footer.map { CellContent($0) } }
    shown = (section.header, section.footer)
    if !self.rows.elementsEqual(rows, by: ===) { self.rows = rows }
  }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class ObservedRow<Cell: CellModel>: Identifiable {
  public nonisolated let id: String
  public private(set) var row: TableRow
  /// Decoded once for each state of the row.
  public private(set) var content: CellContent<Cell>
  /// An edit of it is on its way.
  public private(set) var isPending = false

  init(_ row: TableRow) {
    id = row.id
    self.row = row
    content = row.content()
  }

  func show(_ row: TableRow, isPending: Bool) {
    if self.row != row {
      self.row = row
      content = row.content()
    }
    if self.isPending != isPending { self.isPending = isPending }
  }
}
#endif
