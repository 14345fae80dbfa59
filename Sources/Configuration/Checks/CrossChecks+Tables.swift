import Definitions
import Expressions
import FieldValues

extension CrossChecks {
  /// Checks the needs of tables, which depend on their sources.
  func checkTables() {
    let placesByTable = Dictionary(reading.tables.map { ($0.name, $0) }) { first, _ in first }
    for table in definition.tables {
      guard let places = placesByTable[table.name] else { continue }
      checkIdentity(of: table, places)
      checkEdits(of: table, places)
      checkActions(of: table, places)
      checkLook(of: table, places)
      if let place = places.forward, isLocal(table) {
        reading.error(
          at: place,
          "a local table has no upstream to forward headers to",
          "leave 'forward' out"
        )
      }
      if let place = places.items, isLocal(table) {
        reading.error(
          at: place,
          "the items of a local source are rows themselves",
          "leave 'items' out: what stands in lists of upstreams' items can be shown so"
        )
      }
    }
    checkParameters()
  }

  private func isLocal(_ table: TableDefinition) -> Bool {
    if case .local? = source(table.source)?.kind { true } else { false }
  }

  private func checkIdentity(of table: TableDefinition, _ places: TablePlaces) {
    guard table.rowID == nil, !places.rowIDIsWrong else { return }
    let sources = table.sections.sourcesOfTableRows(in: table)
    let isOfUpstream = sources.contains { name in
      if case .upstream? = source(name)?.kind { true } else { false }
    }
    guard isOfUpstream else { return }
    reading.error(
      at: places.row,
      "'row.id' is missing: rows of an upstream need an identity",
      "write for example `row: {id: \"${id}\"}`"
    )
  }

  private func checkEdits(of table: TableDefinition, _ places: TablePlaces) {
    if let place = places.edits, isLocal(table) {
      reading.error(
        at: place,
        "edits of a local table are not forwarded",
        "leave 'edits' out: the service owns the items"
      )
    }
    // A client replaces an item by the request that adds one under a chosen identity.
    if let place = places.replace, table.edits.replace != nil, !table.edits.takesChosenIdentities, !isLocal(table) {
      reading.warning(
        at: place,
        "no client can replace an item of '\(table.name)': 'insert' doesn't say what a new one is to be called",
        "use `$id` there: `insert: {method: PUT, url: \"https://api.example.com/items/${$id}\", body: \"${$edit}\"}`"
      )
    }
  }

  /// A request needs an upstream, and a patch an item that the service owns.
  private func checkActions(of table: TableDefinition, _ places: TablePlaces) {
    for action in places.actions {
      if let place = action.request, isLocal(table) {
        reading.error(
          at: place,
          "a local table has no upstream to send an action to",
          "patch the item: `patch: {done: true}`"
        )
      }
      if let place = action.patch, !isLocal(table), source(table.source) != nil {
        reading.warning(
          at: place,
          "the items of '\(table.name)' are an upstream's: only local items are patched, so that no row offers this",
          "send it a request: `request: {method: PATCH, url: …}`"
        )
      }
    }
  }

  /// Some item of the table can be shown.
  private func checkLook(of table: TableDefinition, _ places: TablePlaces) {
    let hasDefault = table.cell != nil || hasRepresentation("$default", in: table) || places.hasCell
    let hasTypes =
      table.hasTypes
      && !(declarations(.representation(table: nil)).isEmpty
        && declarations(.representation(table: table.name)).isEmpty)
    guard !hasDefault, !hasTypes else { return }
    reading.error(
      at: places.place,
      "nothing says how the items of '\(table.name)' are shown",
      !table.hasTypes && !definition.representations.isEmpty
        ? "give it `row.type`, a `cell`, or a representation `$default`" : "give it a `cell` and a `payload`"
    )
  }

  /// `$params.NAME` is a parameter of the table, or of every table that reads the source.
  private func checkParameters() {
    for use in reading.parameterUses where use.path.count > 1 {
      let name = use.path[1]
      let tables =
        use.path[0] == ServiceKeys.tables.name
        ? definition.tables.filter { $0.name == name }
        : use.path[0] == ServiceKeys.sources.name
          ? definition.tables.filter { $0.sources.contains(name) } : []
      for table in tables where !table.parameters.contains(where: { $0.name == use.name.value }) {
        let near = Nearest.name(to: use.name.value, among: table.parameters.map(\.name))
        reading.error(
          at: use.name.place,
          "the table '\(table.name)' has no parameter '\(use.name.value)'",
          near.map { "did you mean '\($0)'?" }
            ?? "declare it: `parameters: {\(use.name.value): {pattern: \"[a-z0-9-]+\"}}`"
        )
      }
    }
  }
}

/// Items that the service owns: the tables that show them share them; families only show what the configuration begins with.
extension CrossChecks {
  func checkLocalSources() {
    let local = Set(definition.sources.lazy.filter { if case .local = $0.kind { true } else { false } }.map(\.name))
    let families = Set(definition.tables.filter(\.isFamily).map(\.name))
    var warned: Set<String> = []
    for use in reading.uses where use.kind == .source && local.contains(use.name.value) {
      guard use.path.count > 1, use.path[0] == "tables", !use.path.contains(TableKeys.lookups.name) else { continue }
      let (name, table) = (use.name.value, use.path[1])
      guard families.contains(table), warned.insert(table).inserted else { continue }
      warnOfReadOnly(name, in: table, at: use.name.place)
    }
  }

  /// Warns of local items that nobody can edit: where callers are told apart by the fields that they send on, or rows
  /// by their content.
  private func warnOfReadOnly(_ source: String, in table: String, at place: TextPosition) {
    guard let found = definition.tables.first(where: { $0.name == table && $0.dependsOnCaller }),
      !(found.isEditedByCallers && found.source == source)
    else { return }
    reading.warning(
      at: place,
      "the items of '\(source)' can only be read in '\(table)', which is another table for each caller",
      found.forward.isEmpty && found.source == source
        ? "to have callers edit their own, leave `row.id` out: the service names them"
        : "to have them edited, put them in a table of their own"
    )
  }
}

/// Checks of callers' tables.
extension CrossChecks {
  /// Caches can't tell who holds a token: where reading takes one, clients are not sent to any.
  mutating func leaveOutEdges() {
    guard definition.auth.reading == .tokens else { return }
    for index in definition.tables.indices where definition.tables[index].edges {
      definition.tables[index].edges = false
      let name = definition.tables[index].name
      guard let place = reading.tables.first(where: { $0.name == name })?.place else { continue }
      reading.warning(
        at: place,
        "'\(name)' has `edges: true`, and reading takes a token, which caches can't ask for",
        "it is polled with `wait`, unless reading is open"
      )
    }
  }

  /// A subject means somebody to its issuer alone: two issuers may call different people the same.
  func warnOfEqualSubjects() {
    guard definition.auth.issuers.count > 1 else { return }
    for table in definition.tables {
      let paths = table.callerUse.paths
      let readsSubject = paths.contains(["claims", "sub"]) || paths.contains(["name"])
      let readsIssuer = paths.contains { [[], ["claims"], ["claims", "iss"]].contains($0) }
      guard readsSubject, !readsIssuer, let place = reading.tables.first(where: { $0.name == table.name })?.place else {
        continue
      }
      reading.warning(
        at: place,
        "'\(table.name)' tells callers apart by their subject, and two issuers may call different people the same",
        "compare `$caller.claims.iss`, too"
      )
    }
  }
}
