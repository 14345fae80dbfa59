import Definitions

extension CrossChecks {
  /// Fallbacks and `use` lead somewhere.
  func checkCycles() {
    let places = Dictionary(
      reading.uses.filter { $0.path.last == CellKeys.fallback.name }.map { ($0.path.dropLast().last ?? "", $0.name.place) },
      uniquingKeysWith: { first, _ in first })
    var next: [String: [String]] = [:]
    for cell in definition.cells { next[cell.identifier] = cell.fallback.map { [$0] } ?? [] }
    report(cycles(in: next), "fallbacks go round in a circle", "let one of them end without a fallback") { places[$0] }

    for table in [nil] + definition.tables.map(Optional.some) { checkUses(in: table) }
  }

  private func checkUses(in table: TableDefinition?) {
    let own = table.map(\.representations) ?? [:]
    if table != nil, own.isEmpty { return }
    var next: [String: [String]] = [:]
    for (name, representation) in definition.representations.merging(own, uniquingKeysWith: { $1 }) {
      next[name] = representation.usedNames
    }
    let uses = reading.uses.filter { $0.path.last == RepresentationKeys.use.name }
    report(cycles(in: next), "representations use each other in a circle", "let one of them name a cell") { name in
      let ownPath = table.map { [ServiceKeys.tables.name, $0.name, TableKeys.representations.name, name] }
      let shared = [ServiceKeys.representations.name, name]
      let owner = own[name] == nil ? shared : ownPath ?? shared
      return uses.first { $0.path.starts(with: owner) }?.name.place
    }
  }

  private func report(
    _ cycles: [[String]], _ message: String, _ suggestion: String, place: (String) -> Place?
  ) {
    for cycle in cycles {
      guard let place = cycle.compactMap(place).min() else { continue }
      let way = (cycle + [cycle[0]]).joined(separator: " → ")
      reading.error(at: place, "\(message): \(way)", suggestion)
    }
  }

  /// Each circle once, from its smallest name on.
  private func cycles(in next: [String: [String]]) -> [[String]] {
    var done: Set<String> = []
    var found: [[String]] = []
    func visit(_ name: String, _ way: [String]) {
      if let start = way.firstIndex(of: name) {
        let cycle = Array(way[start...])
        let smallest = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
        found.append(Array(cycle[smallest...] + cycle[..<smallest]))
        return
      }
      guard !done.contains(name) else { return }
      for follower in next[name] ?? [] { visit(follower, way + [name]) }
      done.insert(name)
    }
    for name in next.keys.sorted() { visit(name, []) }
    return found
  }
}

extension RepresentationDefinition {
  /// The representations that it names, in cases too.
  var usedNames: [String] {
    switch self {
    case .cell: []
    case .use(let name): [name]
    case .cases(let cases): cases.flatMap(\.representation.usedNames)
    }
  }
}
