import Definitions
import FieldValues
import TableMapping
import TableModel
import TableStore

extension TableContent {
  /// A table whose sources have not answered yet, or never worked.
  func unmapped(named name: String) -> Table {
    let problem = firstProblem
    guard var table = restored else {
      var table = Table(
        name: name,
        title: mapper.title(for: variables),
        state: problem == nil ? .loading : .failed,
        problem: problem,
        animation: definition.animation
      )
      table.isForEdges = definition.isForEdges
      return table
    }
    table.title = mapper.title(for: variables)
    table.animation = definition.animation
    table.isForEdges = definition.isForEdges
    if let problem {
      (table.state, table.problem) = (.stale, problem)
    } else if !inputs.isEmpty, inputs.values.allSatisfy(\.isConfirmed) {
      (table.state, table.problem) = (table.rowCount > 0 ? .ready : .empty, nil)
    }
    return table
  }

  /// The table with the sections of silent sources as they were. A table with groups has one source, so that there
  /// is nothing to be kept once that has answered.
  func keeping(_ restored: Table, of silent: Set<String>, in table: Table) -> Table {
    guard case .list(let definitions, _) = definition.sections else { return table }
    let mapped = Dictionary(table.sections.map { (ByteText($0.id), $0) }, uniquingKeysWith: { first, _ in first })
    var taken = Set(table.sections.lazy.flatMap(\.rows).map { ByteText($0.id) })
    var result = table
    result.sections = definitions.compactMap { section in
      guard silent.contains(section.source ?? definition.source),
        let kept = restored.sections.first(where: { $0.id.isExactly(section.id) })
      else { return mapped[ByteText(section.id)] }
      let rows = kept.rows.filter { taken.insert(ByteText($0.id)).inserted }
      guard !rows.isEmpty || !section.hideEmpty else { return nil }
      return Section(id: kept.id, header: kept.header, footer: kept.footer, rows: rows)
    }
    result.omittedSections = definitions.count - result.sections.count
    if result.counts.rows > 0, result.state == .empty { result.state = .ready }
    return result
  }
}

extension TableContent {
  /// Goes on with another definition. A source that is asked for the same keeps its answer; until the others have one,
  /// their rows stay.
  ///
  /// - Returns: the sources that need not say again what they have said.
  mutating func follow(_ blueprint: TableBlueprint, _ otherLogs: [ItemLog], shown table: Table) -> AnsweredSources {
    takeOthers(otherLogs)
    let (former, environment) = (variables.environment, blueprint.environment)
    (mapper, variables.environment) = (blueprint.mapper, environment)
    offersEdits = blueprint.offersEdits
    var isOther = layout != blueprint.layout
    layout = blueprint.layout
    if let local = blueprint.local ?? blueprint.callersLocal { self.local?.definition = local.definition }
    let before = inputs
    inputs = [:]
    var heard = AnsweredSources()
    for upstream in blueprint.upstreams {
      let source = upstream.name
      var input = SourceInput(upstream)
      if let known = before[source], known.definition.asksForTheSame(as: upstream.definition, former, environment) {
        input = known
        // As it is laid out now, that may be otherwise.
        input.showsAll = nil
        heard.note(source, input)
      } else {
        isOther = true
      }
      input.asked = upstream.asked
      inputs[source] = input
    }
    keep(table)
    // Rows that a restart has restored are not a former configuration's, as long as requests and layout are the same.
    showsFormerRows = restored != nil && (showsFormerRows || isOther)
    return heard
  }

  /// Lets go of what it shares with other tables: nobody reads it, and an old answer is not kept for that. Its rows stay
  /// until the source says again what it has. O(rows).
  mutating func letGo(showing table: Table) {
    guard result?.isPart == true || isStanding, table.hasWorked else { return }
    refreshResult(named: table.name)
    inputs = inputs.mapValues { input in
      var input = input
      input.letGo()
      return input
    }
    keep(table)
    result = nil
  }

  /// Goes on showing what a table has, for the sources that are now asked for something else.
  private mutating func keep(_ table: Table) {
    guard table.hasWorked else { return }
    keepUntold()
    let objects = restoredObjects
    restored = table
    restoredObjects = [:]
    guard inputs.values.contains(where: { $0.content == nil }) else { return }
    for row in table.sections.lazy.flatMap(\.rows) {
      restoredObjects[ByteText(row.id)] = result?.item(row.id)?.bytes ?? objects[ByteText(row.id)]
    }
  }
}

/// The origin of a new table's stored rows.
enum StoredOrigin {
  /// The process before.
  case earlier
  /// The table that this one replaces.
  case former
  /// A configuration before the former one. Its access rules are not known any more, so an upstream's rows are not shown.
  case left
}

extension TableContent {
  /// Returns whether the items, which it alone shows, would make the version that is stored.
  func isShownAsStored(by stored: StoredTable, _ log: ItemLog?) -> Bool {
    layout != nil && layout == stored.layout && log?.isStored == true && isKnownToStore
  }

  /// The store may have it, which is found out when it is looked there.
  mutating func expectStored() {
    record.base = StoredTable().revision
    (durable, record.durable) = (own, record.base)
  }

  /// Begins with what the store has of the table: what stands in for the sources until they answer.
  ///
  /// - Parameter isShared: other replicas may have asked the upstream until now: what was shown is not old.
  mutating func begin(from stored: StoredTable, _ origin: StoredOrigin, isShared: Bool) {
    isKnownToStore = stored.versions != nil
    record.base = stored.revision
    storedInputRevisions = stored.inputs
    guard var table = stored.versions?.all.last?.table, local == nil, table.hasWorked else { return }
    guard origin != .left || isShared else { return }
    if origin != .former, !isShared {
      table.state = .stale
      table.problem = Problem(
        title: "Not refreshed yet",
        detail: "These rows are from before the service started; the upstream is being asked.",
        since: Timestamp.now
      )
    }
    (restored, restoredObjects, showsFormerRows) = (table, stored.objects, origin == .former)
  }
}

extension TableContent {
  /// The bytes of its sources' answers, and of the rows made of them. Looked-up items count, too.
  var byteCount: Int {
    let shown = Set(mapper.sectionSources)
    let lookedUp = inputs.lazy.filter { !shown.contains($0.key) }.reduce(0) {
      $0 + ($1.value.content?.byteCount ?? 0) * 2
    }
    return (result?.byteCount ?? 0) + lookedUp
  }

  /// The bytes of rows that another replica has written, and of which the upstream has only said that they still hold.
  var takenOverBytes: Int { restored.map { $0.footprint(without: nil) + restoredBytes } ?? 0 }

  /// The objects of rows that another replica has written.
  var restoredBytes: Int { restoredObjects.values.reduce(0) { $0 + $1.count } }
}
