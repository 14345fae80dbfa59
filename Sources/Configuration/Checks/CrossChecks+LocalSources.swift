import Definitions

/// Items that the service owns: each has one table that keeps what is edited.
extension CrossChecks {
  /// Two tables of one local source would each begin with its items and keep its own edits: copies that drift apart, where
  /// one would think that they share them. A family keeps nothing: its members show the configuration's items.
  func checkLocalSources() {
    let local = definition.sources.filter { if case .local = $0.kind { true } else { false } }.map(\.name)
    let families = Set(definition.tables.filter(\.isFamily).map(\.name))
    var owners: [String: String] = [:]
    var warned: Set<String> = []
    for use in reading.uses where use.kind == .source && local.contains(use.name.value) {
      guard use.path.count > 1, use.path[0] == "tables", !use.path.contains(TableKeys.lookups.name) else { continue }
      let (name, table) = (use.name.value, use.path[1])
      if families.contains(table) {
        if warned.insert(table).inserted { warnOfReadOnly(name, in: table, at: use.name.place) }
        continue
      }
      let owner = owners[name] ?? table
      owners[name] = owner
      guard owner != table else { continue }
      reading.error(
        at: use.name.place,
        "the tables '\(owner)' and '\(table)' can't both own the items of '\(name)': edits of one would not be in the other",
        "give each table a local source of its own, or one table both looks, as sections"
      )
    }
  }

  /// Callers who see rows of their own all see the same local items, which nobody can edit there.
  private func warnOfReadOnly(_ source: String, in table: String, at place: TextPosition) {
    guard definition.tables.contains(where: { $0.name == table && !$0.forward.isEmpty }) else { return }
    reading.warning(
      at: place,
      "the items of '\(source)' can only be read in '\(table)', which forwards headers: it is another table for each caller",
      "to have them edited, put them in a table of their own"
    )
  }
}
