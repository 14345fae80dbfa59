import Definitions
import Expressions
import FieldValues

extension CrossChecks {
  /// Declared, and never named.
  func warnOfUnused() {
    let used = Dictionary(grouping: reading.uses, by: \.kind).mapValues { Set($0.map(\.name.value)) }
    for name in declarations(.source) where used[.source]?.contains(name.value) != true {
      reading.warning(at: name.place, "no table uses the source '\(name.value)'", "it is not fetched")
    }
    for name in declarations(.cell) where used[.cell]?.contains(name.value) != true {
      reading.warning(at: name.place, "nothing shows the cell '\(name.value)'", "clients are told of it all the same")
    }
    warnOfUnusedRepresentations()
  }

  /// A representation is used by `use`, as `$default`, or by a table whose types can be it.
  private func warnOfUnusedRepresentations() {
    for declaration in reading.declarations {
      guard case .representation(let owner) = declaration.kind, declaration.name.value != "$default" else { continue }
      let name = declaration.name.value
      let tables = definition.tables.filter { owner == nil || $0.name == owner }
      let isNamed = reading.uses.contains { use in
        guard case .representation(let user) = use.kind, use.name.value == name else { return false }
        return owner == nil || user == owner
      }
      let mayBeType = tables.contains { table in
        table.hasTypes && types(of: table).map { $0.contains(name) } ?? true
      }
      if !isNamed, !mayBeType {
        reading.warning(
          at: declaration.name.place,
          "no table has items of the type '\(name)'",
          "name it in `row.type`, or by `use`"
        )
      }
    }
  }

  /// Types that an expression can result in, and nothing takes.
  func warnOfTypes() {
    for table in definition.tables where table.cell == nil && !hasRepresentation("$default", in: table) {
      guard let types = types(of: table), let node = rowType(of: table) else { continue }
      for type in types where !hasRepresentation(type, in: table) {
        let near = Nearest.name(
          to: type,
          among: definition.representations.keys.sorted() + table.representations.keys.sorted()
        )
        reading.warning(
          at: node.place,
          "no representation takes the type '\(type)': its items are skipped",
          near.map { "did you mean '\($0)'?" } ?? "declare it under `representations`, or `$default`"
        )
      }
    }
  }

  private func rowType(of table: TableDefinition) -> YAMLNode? {
    reading.rowTypes.first { $0.table == table.name }?.node
  }

  /// Returns the types that `row.type` can result in, the table's and its sections'; nil where only the items tell.
  private func types(of table: TableDefinition) -> [String]? {
    var types: [String] = []
    let nodes = reading.rowTypes.filter { $0.table == table.name }
    for (_, node) in nodes {
      guard let text = node.scalar?.text else { return nil }
      let template = TemplateParts(text)
      if template.expressions.isEmpty {
        types.append(text)
      } else {
        guard let constants = template.whole.flatMap({ ExpressionOutline($0).constants }) else { return nil }
        types += constants
      }
    }
    return nodes.isEmpty ? nil : types
  }

  /// Credentials that anyone on the way can read.
  func warnOfPlainHTTP() {
    for request in reading.requests {
      guard let url = request.url?.scalar?.text, url.hasPrefix("http://") else { continue }
      let host = url.dropFirst(7).prefix { !"/?#".contains($0) }
      let loopback = ["localhost", "127.0.0.1", "[::1]"]
      guard !loopback.contains(where: { host == $0 || host.hasPrefix($0 + ":") }), !host.hasPrefix("${") else {
        continue
      }
      for header in request.headers where ["authorization", "cookie"].contains(header.value.lowercased()) {
        reading.warning(
          at: header.place,
          "'\(header.value)' is sent without encryption",
          "use https:// for what is not on this machine"
        )
      }
    }
  }
}
