import Definitions
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
