import Definitions
import TableEncoding
import TableMapping
import TableModel
import TableStore
import Upstream

/// What a table's versions are made of: what its sources have, and how that is mapped. Owned by the table's queue.
struct TableContent: Sendable {
  var definition: TableDefinition
  var mapper: TableMapper
  /// Of a family's member: `$params`.
  var parameters: [String: String] = [:]
  var environment: [String: String] = [:]
  /// By source name; the local source is not among them.
  var inputs: [String: SourceInput] = [:]
  var local: LocalContent?
  /// The rows, by identity, that taps without a view have toggled for everyone.
  var sharedToggles: Set<String> = []
  /// The last mapping.
  var result: MappingResult?
  /// What the store had, shown until the sources have answered.
  var restored: Table?
  /// The represented objects of those rows.
  var restoredObjects: [String: [UInt8]] = [:]

  // What changes need to know of those before them.
  var repeats = RepeatedRequests()
  var commits = CommitsUnderWay()
  /// The table's own state as the store has it: what is gone back to where a commit fails.
  var durable = Own()
  /// What the sources have said could not be stored, so it is not shown: it is tried again with their next answer.
  var isBehind = false

  /// What no source has: it is in the table's own hands.
  struct Own: Sendable {
    var items: LocalItems?
    var toggles: Set<String> = []
  }

  var own: Own {
    get { Own(items: local?.items, toggles: sharedToggles) }
    set {
      if let items = newValue.items { local?.items = items }
      sharedToggles = newValue.toggles
    }
  }

  /// What one upstream source has said.
  struct SourceInput: Sendable {
    /// The last good answer.
    var content: SourceContent?
    /// Why the last fetch failed.
    var problem: Problem?
    /// The failure itself.
    var error: UpstreamError?
  }

  struct LocalContent: Sendable {
    var source: String
    var items: LocalItems
    var definition: LocalDefinition
  }

  /// Whether every source has answered or failed at least once.
  var isSettled: Bool { inputs.values.allSatisfy { $0.content != nil || $0.problem != nil } }

  /// The represented object of a row: as the source gave it, or as it was before the process started.
  func object(_ row: String) -> [UInt8]? {
    restored == nil ? result?.item(row)?.bytes : restoredObjects[row]
  }

  /// Toggles a row for everyone. Returns whether it is toggled now.
  mutating func toggle(_ row: String, in table: Table) -> Bool {
    // Rows go, and their toggles with them, before they are more than the rows that there are.
    if sharedToggles.count > table.counts.rows {
      sharedToggles = sharedToggles.filter { table.indexPath(of: $0) != nil }
    }
    guard sharedToggles.remove(row) == nil else { return false }
    sharedToggles.insert(row)
    return true
  }

  /// The table as the sources have it now. O(bytes) of what changed.
  mutating func table(named name: String) -> Table {
    let failed = inputs.values.lazy.compactMap(\.problem).first
    let hasContent = local != nil || inputs.values.contains { $0.content != nil }
    guard hasContent, restored == nil || inputs.values.allSatisfy({ $0.content != nil }) else {
      return unmapped(named: name, problem: failed)
    }
    restored = nil
    var contents = inputs.compactMapValues(\.content)
    if let local {
      contents[local.source] = .items(local.items.map { SourceItem(id: $0.id.description, bytes: $0.body) })
    }
    let result = mapper.map(contents, reusing: self.result?.cache, parameters: parameters, environment: environment)
    self.result = result
    let problem = failed ?? result.problems.first.map { sourceProblem($0) }
    let isWaiting = problem == nil && !isSettled
    var table = result.table(
      definition,
      state: problem != nil ? .stale : isWaiting ? .loading : nil,
      problem: problem
    )
    table.name = name
    if isWaiting, table.counts.rows > 0 { table.state = .ready }
    if !sharedToggles.isEmpty { table.sections = table.sections.map(toggled) }
    return table
  }

  /// A table whose sources have not answered yet, or never worked.
  private func unmapped(named name: String, problem: Problem?) -> Table {
    guard var table = restored else {
      return Table(
        name: name,
        title: definition.title,
        state: problem == nil ? .loading : .failed,
        problem: problem,
        animation: definition.animation
      )
    }
    table.title = definition.title
    table.animation = definition.animation
    table.state = .stale
    table.problem = problem ?? table.problem
    return table
  }

  private func sourceProblem(_ problem: SourceProblem) -> Problem {
    Problem(title: "The upstream's answer has no items", detail: problem.detail, since: Timestamp.now)
  }

  private func toggled(_ section: Section) -> Section {
    guard section.rows.contains(where: { sharedToggles.contains($0.id) }) else { return section }
    return Section(
      id: section.id,
      header: section.header,
      footer: section.footer,
      rows: section.rows.map { sharedToggles.contains($0.id) ? $0.toggled() : $0 }
    )
  }
}
