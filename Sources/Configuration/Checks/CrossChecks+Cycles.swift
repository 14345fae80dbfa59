import Definitions

extension CrossChecks {
  /// Fallbacks and `use` lead somewhere.
  func checkCycles() {
    let places = Dictionary(
      reading.uses.filter { $0.path.last == CellKeys.fallback.name }.map {
        ($0.path.dropLast().last ?? "", $0.name.place)
      },
      uniquingKeysWith: { first, _ in first }
    )
    var next: [String: [String]] = [:]
    for cell in definition.cells { next[cell.identifier] = cell.fallback.map { [$0] } ?? [] }
    for circle in cycles(in: next) {
      report(
        circle,
        "fallbacks go round in a circle",
        "let one of them end without a fallback",
        circle.compactMap { places[$0] }.min()
      )
    }

    for table in [nil] + definition.tables.map(Optional.some) { checkUses(in: table) }
  }

  /// A `use` means the table's own representation first, then the shared one; an own one that uses its name means the
  /// shared one.
  private struct Step: Hashable, Comparable {
    var name: String
    var isShared: Bool

    static func < (first: Step, second: Step) -> Bool {
      (first.name, first.isShared ? 1 : 0) < (second.name, second.isShared ? 1 : 0)
    }
  }

  private func checkUses(in table: TableDefinition?) {
    let own = table.map(\.representations) ?? [:]
    if table != nil, own.isEmpty { return }
    func followers(of step: Step, _ representation: RepresentationDefinition) -> [Step] {
      representation.usedNames.map { name in
        let isItself = step == Step(name: name, isShared: false) && definition.representations[name] != nil
        return Step(name: name, isShared: own[name] == nil || isItself)
      }
    }
    var next: [Step: [Step]] = [:]
    for (representations, isShared) in [(own, false), (definition.representations, true)] {
      for (name, representation) in representations {
        let step = Step(name: name, isShared: isShared)
        next[step] = followers(of: step, representation)
      }
    }
    let uses = reading.uses.filter { $0.path.last == RepresentationKeys.use.name }
    let circles = cycles(in: next).filter { circle in table == nil || circle.contains { !$0.isShared } }
    for circle in circles {
      let owners = circle.map { step in
        table.flatMap { step.isShared ? nil : [ServiceKeys.tables.name, $0.name] } ?? []
          + [ServiceKeys.representations.name, step.name]
      }
      let places = uses.filter { use in owners.contains { use.path.starts(with: $0) } }.map(\.name.place)
      report(
        circle.map(\.name),
        "representations use each other in a circle",
        "let one of them name a cell",
        places.min()
      )
    }
  }

  private func report(_ circle: [String], _ message: String, _ suggestion: String, _ place: TextPosition?) {
    guard let place, let first = circle.first else { return }
    reading.error(at: place, "\(message): \((circle + [first]).joined(separator: " → "))", suggestion)
  }

  /// Each circle once, from its smallest member on.
  private func cycles<Member: Hashable & Comparable>(in next: [Member: [Member]]) -> [[Member]] {
    var done: Set<Member> = []
    var found: [[Member]] = []
    func visit(_ member: Member, _ way: [Member]) {
      if let start = way.firstIndex(of: member) {
        let circle = Array(way[start...])
        let smallest = circle.indices.min { circle[$0] < circle[$1] } ?? 0
        found.append(Array(circle[smallest...] + circle[..<smallest]))
        return
      }
      guard !done.contains(member) else { return }
      for follower in next[member] ?? [] { visit(follower, way + [member]) }
      done.insert(member)
    }
    for member in next.keys.sorted() { visit(member, []) }
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
