import Definitions

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
