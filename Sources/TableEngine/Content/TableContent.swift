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
  /// What expressions see beside the items.
  var variables: MappingVariables
  /// By source name; the local source is not among them.
  var inputs: [String: SourceInput] = [:]
  var local: LocalContent?
  /// The rows, by identity, that taps without a view have toggled for everyone.
  var sharedToggles: Set<String> = []
  /// The last mapping.
  var result: MappingResult?
  /// What is shown for sources that have not answered yet: what the store had, or the table as it was before
  /// its definition changed.
  var restored: Table?
  /// The represented objects of those rows.
  var restoredObjects: [String: [UInt8]] = [:]

  // What changes need to know of those before them.
  var repeats = RepeatedEdits()
  /// The store has had a version of it before.
  var isKnownToStore = false
  /// What the next commit is built on: the store's revision of the table with all that is under way. Nil: the table is
  /// not stored.
  var base: Revision?
  /// Of a translation: the original's revision that it is made of, and the one that the store has it of.
  var translates: UInt64?
  var translated: UInt64?
  /// Others have written since the items were mapped.
  var isResultOld = false
  /// No change is begun any more: the table is gone, or another owner takes over what is stored.
  var isClosed = false
  var commits = CommitsUnderWay()
  /// An edit that asks for a certain version is on its way to the upstream: another such one would be built on what that
  /// is about to change.
  private var isConditionalUnderWay = false
  /// The table's own state as the store has it: what is gone back to where a commit fails.
  var durable = Own()
  /// What the sources have said could not be stored, so it is not shown: it is tried again with their next answer.
  var isBehind = false

  /// What no source has: it is in the table's own hands.
  struct Own: Sendable {
    var items: LocalItems?
    var toggles: Set<String> = []
    var base: Revision?
  }

  var own: Own {
    get { Own(items: local?.items, toggles: sharedToggles, base: base) }
    set {
      if let items = newValue.items { local?.items = items }
      (sharedToggles, base) = (newValue.toggles, newValue.base)
    }
  }

  /// What one upstream source has said.
  struct SourceInput: Sendable {
    /// The last answer.
    var content: SourceContent?
    /// The last answer that had a list of items.
    var good: SourceContent?
    /// What it was asked.
    var definition: UpstreamDefinition
    /// Why the last fetch failed.
    var problem: Problem?
    /// The failure itself.
    var error: UpstreamError?
    /// It was for readers whose credentials may have been revoked since: nobody is shown it before the upstream has
    /// agreed again.
    var isConcealed = false

    /// The last answer, where readers may be shown it.
    var shown: SourceContent? { isConcealed ? nil : content }

    init(definition: UpstreamDefinition) { self.definition = definition }

    /// The answer has no list of items: the one before counts.
    mutating func refuse(_ detail: String) {
      let since = problem?.since ?? Timestamp.now
      problem = Problem(title: "The upstream's answer has no items", detail: detail, since: since)
      (content, good) = (good, nil)
    }

    /// Its answer can be mapped.
    var accepted: SourceInput {
      var input = self
      input.good = content
      return input
    }
  }

  struct LocalContent: Sendable {
    var source: String
    var items: LocalItems
    var definition: LocalDefinition
  }

  /// - Parameters:
  ///   - parameters: of a family's member.
  ///   - locale: nil where the configuration names none.
  init(_ blueprint: TableBlueprint, parameters: [String: String] = [:], locale: String?) {
    (definition, mapper) = (blueprint.definition, blueprint.mapper)
    variables = MappingVariables(parameters: parameters, environment: blueprint.environment, locale: locale)
    for source in blueprint.upstreams { inputs[source.name] = SourceInput(definition: source.definition) }
  }

  /// Whether every source has answered or failed at least once.
  var isSettled: Bool { inputs.values.allSatisfy { $0.shown != nil || $0.problem != nil } }

  /// False where another one is under way.
  mutating func beginConditional() -> Bool {
    guard !isConditionalUnderWay else { return false }
    isConditionalUnderWay = true
    return true
  }

  mutating func endConditional() { isConditionalUnderWay = false }

  /// The represented object of a row: as the source gave it, or as it was while that has not answered.
  func object(_ row: String) -> RepresentedObject? {
    if let item = result?.item(row) { return RepresentedObject(bytes: item.bytes, isHidden: !item.hasRow) }
    guard restored != nil, let bytes = restoredObjects[row] else { return nil }
    return RepresentedObject(bytes: bytes, isHidden: false)
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

  /// Whether there is anything to be mapped. What is looked up makes no rows; but nothing is mapped before it has answered
  /// or failed, so that no row is shown without what belongs to it.
  private var hasContent: Bool {
    if local != nil { return true }
    let awaited = mapper.lookupSources.contains { inputs[$0].map { $0.shown == nil && $0.problem == nil } ?? false }
    return !awaited && mapper.sectionSources.contains { inputs[$0]?.shown != nil }
  }

  /// Those without an answer that could be shown, of which there are rows.
  private var silent: Set<String> {
    Set(mapper.sectionSources.filter { source in inputs[source].map { $0.shown == nil } ?? false })
  }

  /// The table as the sources have it now. O(bytes) of what changed.
  mutating func table(named name: String) -> Table {
    guard hasContent else { return unmapped(named: name) }
    let result = mapped()
    // No answer may have been one.
    guard hasContent else { return unmapped(named: name) }
    self.result = result
    let silent = silent
    if silent.isEmpty { restored = nil }
    let problem = firstProblem ?? restored?.problem
    var table = result.table(definition, state: problem != nil ? .stale : nil, problem: problem)
    table.name = name
    if let restored { table = keeping(restored, of: silent, in: table) }
    let isWaiting = problem == nil && !isSettled
    if isWaiting, table.counts.rows == 0 { table.state = .loading }
    if !sharedToggles.isEmpty { table.sections = table.sections.map(toggled) }
    return table
  }

  /// Of the sources in their order, so that it stays the same one.
  var firstProblem: Problem? { mapper.sources.lazy.compactMap { inputs[$0]?.problem }.first }

  /// Maps what the sources have. What has no list of items in it is no answer: the last one that had stays.
  private mutating func mapped() -> MappingResult {
    while true {
      var contents = inputs.compactMapValues(\.shown)
      if let local {
        contents[local.source] = .items(local.items.map { SourceItem(id: $0.id.description, bytes: $0.body) })
      }
      let result = mapper.map(contents, reusing: self.result?.cache, variables: variables)
      for problem in result.problems { inputs[problem.source]?.refuse(problem.detail) }
      // Else another round; each takes an answer away from a source, which has two at most.
      guard result.problems.isEmpty else { continue }
      inputs = inputs.mapValues { $0.accepted }
      return result
    }
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

/// A represented object, as its source gave it.
package struct RepresentedObject: Sendable {
  package var bytes: [UInt8]
  /// Of an item that has no row.
  package var isHidden: Bool
}
