/// The tables of a configuration as one interface: by name what each takes and has.
struct TypeScriptTables {
  let tables: [NamedTable]

  var text: String {
    guard !tables.isEmpty else { return "" }
    return """
      /** The tables of the configuration: `Tables["issues"]["action"]`. */
      export interface Tables {
      \(tables.map(member).joined())}

      export type TableName = keyof Tables;


      """
  }

  private func member(_ table: NamedTable) -> String {
    let parameters = table.parameters.map { parameter in
      let type = parameter.words.isEmpty ? "string" : union(parameter.words)
      return
        "\(typescriptLiteral(parameter.key))\(parameter.defaultValue == nil && !parameter.isOptional ? "" : "?"): \(type)"
    }.joined(separator: ", ")
    return """
        \(typescriptLiteral(table.name)): {
          parameters: \(parameters.isEmpty ? "{}" : "{ \(parameters) }");
          item: \(table.item ?? "{ [name: string]: JSONValue }");
          header: \(frame(table.headers));
          footer: \(frame(table.footers));
          section: \(union(table.sections))\(table.hasOtherSections && !table.sections.isEmpty ? " | (string & {})" : "");
          action: \(union(table.actions));
          filter: \(union(table.filters));
          sort: \(union(table.sorts));
        };

      """
  }

  private func frame(_ cells: [String]) -> String { cells.isEmpty ? "Cell" : cells.joined(separator: " | ") }

  private func union(_ names: [NamedTable.Name]) -> String {
    names.isEmpty ? "string" : names.map { typescriptLiteral($0.key) }.joined(separator: " | ")
  }
}
