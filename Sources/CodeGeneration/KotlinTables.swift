/// The tables of a configuration as objects with the names that each has.
struct KotlinTables {
  let tables: [NamedTable]
  /// How a text and a name are written.
  let string: (String) -> String
  let escaped: (String) -> String

  var text: String {
    guard !tables.isEmpty else { return "" }
    return """

      /** The tables of the configuration. */
      object Tables {
      \(tables.map(object).joined(separator: "\n"))}

      """
  }

  private func object(_ table: NamedTable) -> String {
    let names = [
      constants("Parameters", table.parameters.map { NamedTable.Name(key: $0.key, name: $0.name) }),
      constants("Sections", table.sections), constants("Actions", table.actions),
      constants("Filters", table.filters), constants("Sorts", table.sorts),
      table.parameters.filter { !$0.words.isEmpty }.map { constants($0.typeName, $0.words) }.joined(),
    ].joined()
    let parts = [
      table.item.map { "Its items, as edits write them, are `\($0)`." }, frames("headers", table.headers),
      frames("footers", table.footers),
    ].compactMap(\.self)
    let item = parts.isEmpty ? "" : "        /** \(parts.joined(separator: " ")) */\n"
    return """
          /** \(table.title) */
          object \(table.typeName) {
      \(item)        const val NAME = \(string(table.name))
      \(names)    }

      """
  }

  private func frames(_ name: String, _ cells: [String]) -> String? {
    cells.isEmpty ? nil : "Its \(name) are \(cells.map { "`\($0)`" }.joined(separator: ", "))."
  }

  private func constants(_ name: String, _ names: [NamedTable.Name]) -> String {
    guard !names.isEmpty else { return "" }
    let constants = names.map { "            const val \(escaped($0.name)) = \(string($0.key))\n" }.joined()
    return "\n        object \(name) {\n\(constants)        }\n"
  }
}
