#if canImport(Observation)
public import Observation
public import TablecastClient

/// A table for SwiftUI. Only the rows that change are drawn again.
///
/// Sections and rows stay the same objects while their identities stay, so views keep their state. The cost of a change
/// is that of the changed rows. Cells are decoded when they are first used.
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
  /// The obstacle for edits, if a person can remove it.
  public private(set) var trouble: ClientTrouble?
  public private(set) var hasMore = false
  /// Edits that are not confirmed yet, and failed ones.
  public private(set) var edits: [EditStatus] = []
  /// The search that the table offers, after `search` was set or `LiveTable.find` was called.
  public private(set) var find: TableFind?
  /// Whether the rows are still those of an earlier search.
  public private(set) var isSearching = false
  /// The reason why the service refused the last search.
  public private(set) var searchProblem: Problem?
  /// The user's search. Setting it starts the search, 150 ms after the last letter.
  ///
  ///     .searchable(text: $table.search.q, prompt: table.find?.prompt ?? "Search")
  public var search = TableSearch() {
    didSet { if search != oldValue { table.find(search) } }
  }

  @ObservationIgnored public let table: LiveTable<Cell>
  @ObservationIgnored private var rows: [Identity: ObservedRow<Cell>] = [:]
  /// The state that `sections` show.
  @ObservationIgnored private var shown: TableSnapshot?
  /// Stages are under way, or one of them did not fit: `sections` do not show `shown`.
  @ObservationIgnored private var isBetweenStates = false

  /// - Parameter offersFinding: asks for what the table can be searched by: prompts, sorts, filters with counts. If
  ///   another screen of the table has begun a search at the time of `init`, `search` is that one.
  public init(_ table: LiveTable<Cell>, offersFinding: Bool = false) {
    self.table = table
    guard offersFinding else { return }
    search = table.snapshot?.search ?? TableSearch()
    table.find(search)
  }

  /// Follows until the task ends: `.task { await observed.follow() }`.
  public func follow() async {
    for await change in table.changes { take(change) }
  }

  /// Shows the result of a change. O(changes). If changes were missed, this costs as much as `show`.
  public func take(_ change: TableChange) {
    switch change.kind {
    case .stages(let stages) where change.from == shown?.revision:
      isBetweenStates = true
      guard stages.allSatisfy(apply) else { return show(change.snapshot) }
    case .status where change.from == shown?.revision: break
    case .stages, .status, .reset: return show(change.snapshot)
    }
    finish(change.snapshot)
  }

  /// Shows a state. Sets only the differences. O(differences), and a comparison of references for each 16 rows where the
  /// rows are the same ones in the same order; else O(rows).
  public func show(_ snapshot: TableSnapshot) {
    showSections(snapshot)
    finish(snapshot)
  }

  /// Call this when a row becomes visible. If the table has a window, further rows are loaded near its ends.
  ///
  ///     ForEach(section.rows) { row in RowView(row: row).onAppear { table.appeared(row) } }
  public func appeared(_ row: ObservedRow<Cell>) {
    guard let window = shown?.window, window.hasMore || window.hasPrevious else { return }
    let margin = ScrollLoading.margin
    if window.hasMore,
      sections.reversed().lazy.flatMap({ $0.rows.reversed() }).prefix(margin).contains(where: { $0 === row })
    {
      table.loadMore()
    } else if window.hasPrevious, sections.lazy.flatMap(\.rows).prefix(margin).contains(where: { $0 === row }) {
      table.loadPrevious()
    }
  }

  private func finish(_ snapshot: TableSnapshot) {
    let former = shown?.pendingRows ?? []
    for id in former.symmetricDifference(snapshot.pendingRows) {
      rows[Identity(id)]?.show(isPending: snapshot.pendingRows.contains(id))
    }
    (shown, isBetweenStates) = (snapshot, false)
    set(\.state, snapshot.state)
    set(\.connection, snapshot.connection)
    set(\.title, snapshot.title)
    set(\.problem, snapshot.problem)
    set(\.refusal, snapshot.refusal)
    set(\.trouble, snapshot.trouble)
    set(\.hasMore, snapshot.hasMore)
    set(\.edits, snapshot.edits)
    set(\.find, snapshot.find)
    set(\.isSearching, snapshot.isSearching)
    set(\.searchProblem, snapshot.searchProblem)
  }

  private func set<Value: Equatable>(_ path: ReferenceWritableKeyPath<ObservedTable, Value>, _ value: Value) {
    if self[keyPath: path] != value { self[keyPath: path] = value }
  }

  // MARK: Whole states

  /// Shows a state with the same sections. False where rows came, went or moved.
  private func showInPlace(_ snapshot: TableSnapshot) -> Bool {
    let former = isBetweenStates || shown?.sections.count != sections.count ? nil : shown?.sections
    return sections.indices.allSatisfy { index in
      sections[index].showInPlace(snapshot.sections[index], from: former.map { $0[index].rows })
    }
  }

  private func showSections(_ snapshot: TableSnapshot) {
    let isInPlace = snapshot.sections.elementsEqual(sections) { $0.identity == $1.identity }
    if isInPlace, showInPlace(snapshot) { return }
    var rows: [Identity: ObservedRow<Cell>] = [:]
    rows.reserveCapacity(snapshot.rowCount)
    let known = Dictionary(sections.map { ($0.identity, $0) }) { first, _ in first }
    let sections = snapshot.sections.map { section in
      let shown = section.rows.map { row in
        let observed = self.rows[row.identity] ?? ObservedRow(row, snapshot.pendingRows)
        observed.show(row)
        rows[row.identity] = observed
        return observed
      }
      let observed = known[section.identity] ?? ObservedSection(section.id)
      observed.show(section.header, section.footer)
      observed.show(shown)
      return observed
    }
    self.rows = rows
    if !self.sections.elementsEqual(sections, by: ===) { self.sections = sections }
  }

  // MARK: Stages

  /// Applies a batch. False where it doesn't fit; what was done until then `show` puts right.
  private func apply(_ stage: TableStage) -> Bool {
    if stage.changesStructure, !changeStructure(stage) { return false }
    // Read once: each reading of an observed member tells who looks, which takes some microseconds.
    let sections = sections
    var lists: [[ObservedRow<Cell>]?] = Array(repeating: nil, count: sections.count)
    for update in stage.updatedSections {
      guard sections.indices.contains(update.at), sections[update.at].identity == Identity(update.id) else {
        return false
      }
      sections[update.at].show(update.header, update.footer)
    }
    for update in stage.updatedRows {
      let (section, place) = (update.at.section, update.at.row)
      guard sections.indices.contains(section) else { return false }
      let rows = lists[section] ?? sections[section].rows
      lists[section] = rows
      guard rows.indices.contains(place), rows[place].identity == update.row.identity else { return false }
      rows[place].show(update.row)
    }
    return true
  }

  private func changeStructure(_ stage: TableStage) -> Bool {
    var leaving: [Int: [Int]] = [:]
    var moved: [Identity: ObservedRow<Cell>] = [:]
    let deletions = stage.deletedRows.map { (path: $0.at, id: $0.id, isMove: false) }
    let moves = stage.movedRows.map { (path: $0.from, id: $0.id, isMove: true) }
    for (path, id, isMove) in deletions + moves {
      let identity = Identity(id)
      guard sections.indices.contains(path.section), let row = sections[path.section].row(path.row),
        row.identity == identity
      else { return false }
      leaving[path.section, default: []].append(path.row)
      if isMove { moved[identity] = row } else { rows[identity] = nil }
    }
    for (section, gone) in leaving { sections[section].remove(gone) }
    guard changeSections(stage) else { return false }
    var arriving: [Int: [(Int, ObservedRow<Cell>)]] = [:]
    for insertion in stage.insertedRows {
      arriving[insertion.at.section, default: []].append((insertion.at.row, made(insertion.row)))
    }
    for move in stage.movedRows {
      guard let row = moved[Identity(move.id)] else { return false }
      arriving[move.to.section, default: []].append((move.to.row, row))
    }
    for (section, rows) in arriving {
      guard sections.indices.contains(section), sections[section].insert(rows) else { return false }
    }
    return true
  }

  private func changeSections(_ stage: TableStage) -> Bool {
    guard !(stage.deletedSections.isEmpty && stage.insertedSections.isEmpty && stage.movedSections.isEmpty) else {
      return true
    }
    var (leaving, arriving): (Set<Int>, [(at: Int, section: ObservedSection<Cell>)]) = ([], [])
    for deletion in stage.deletedSections {
      guard sections.indices.contains(deletion.at), sections[deletion.at].identity == Identity(deletion.id) else {
        return false
      }
      for row in sections[deletion.at].rows { rows[row.identity] = nil }
      leaving.insert(deletion.at)
    }
    for move in stage.movedSections {
      guard sections.indices.contains(move.from), sections[move.from].identity == Identity(move.id) else {
        return false
      }
      leaving.insert(move.from)
      arriving.append((move.to, sections[move.from]))
    }
    for insertion in stage.insertedSections {
      let section = ObservedSection<Cell>(insertion.section.id)
      section.show(insertion.section.header, insertion.section.footer)
      section.show(insertion.section.rows.map { made($0) })
      arriving.append((insertion.at, section))
    }
    var result = sections.indices.filter { !leaving.contains($0) }.map { sections[$0] }
    for (at, section) in arriving.sorted(by: { $0.at < $1.at }) {
      guard at <= result.count else { return false }
      result.insert(section, at: at)
    }
    sections = result
    return true
  }

  private func made(_ row: TableRow) -> ObservedRow<Cell> {
    let observed = ObservedRow<Cell>(row, shown?.pendingRows ?? [])
    rows[row.identity] = observed
    return observed
  }
}
#endif
