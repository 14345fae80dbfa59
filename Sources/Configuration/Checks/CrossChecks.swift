import Definitions
import Expressions
import FieldValues
import JSON

/// Checks that are possible only when everything is read: named things exist, and parts that belong together fit.
struct CrossChecks {
  let reading: Reading
  var definition: ServiceDefinition
  /// By name, the place of a source among the definition's: there may be thousands.
  private let placesOfSources: [String: Int]

  init(reading: Reading, definition: ServiceDefinition) {
    (self.reading, self.definition) = (reading, definition)
    let names = definition.sources.enumerated().map { ($1.name, $0) }
    placesOfSources = Dictionary(names) { first, _ in first }
  }

  /// The definition with what the configuration leaves to be understood; its mistakes are in the reading.
  func completed() -> ServiceDefinition {
    var checks = self
    checks.addBuiltInCell()
    checks.checkNames()
    checks.checkCycles()
    checks.checkPayloads()
    checks.checkTables()
    checks.addForwardedHeaders()
    checks.identifyPagedItems()
    checks.addCallerUses()
    checks.leaveOutEdges()
    checks.warnOfUnused()
    checks.checkLocalSources()
    checks.warnOfUnfilledFields()
    checks.warnOfTypes()
    checks.warnOfGroups()
    checks.warnOfPlainHTTP()
    checks.warnOfEqualSubjects()
    return checks.definition
  }

  func declarations(_ kind: Declaration.Kind) -> [Located<String>] {
    reading.declarations.filter { $0.kind == kind }.map(\.name)
  }

  func source(_ name: String) -> SourceDefinition? { placesOfSources[name].map { definition.sources[$0] } }

  /// Returns whether a table sees a representation, its own or a shared one, be it right or wrong.
  func hasRepresentation(_ name: String, in table: TableDefinition) -> Bool {
    [.representation(table: table.name), .representation(table: nil)].contains { kind in
      declarations(kind).contains { $0.value == name }
    }
  }
}

extension CrossChecks {
  /// Adds the cell of a configuration without cells: it has a title; it may be named, and tables that have neither a
  /// cell nor `$default` show it where no representation takes an item.
  private mutating func addBuiltInCell() {
    guard definition.cells.isEmpty, declarations(.cell).isEmpty else { return }
    definition.cells = [.builtIn]
    let title = Template.builtInTitle
    for index in definition.tables.indices {
      let table = definition.tables[index]
      guard table.cell == nil, !hasRepresentation("$default", in: table) else { continue }
      definition.tables[index].cell = title.map { CellMapping(cell: CellDefinition.builtIn.identifier, payload: $0) }
    }
  }

  /// A table sends on what its sources' `forward` names too.
  private mutating func addForwardedHeaders() {
    for index in definition.tables.indices {
      let table = definition.tables[index]
      definition.tables[index].forwardToAll = table.forward
      for source in table.sources {
        for header in reading.forwardedBySource[source] ?? [] where !definition.tables[index].forwards(header) {
          definition.tables[index].forward.append(header)
        }
      }
    }
  }
}

extension CrossChecks {
  /// The items of a paged source are told from each other by what rows are made of: by the `row.id` of the first table that
  /// shows them, where the item alone has it, else by their `id`.
  private mutating func identifyPagedItems() {
    for index in definition.sources.indices {
      let name = definition.sources[index].name
      guard case .upstream(var upstream) = definition.sources[index].kind, upstream.paging != nil else { continue }
      let templates = definition.tables.flatMap { $0.identities(of: name) }
      upstream.identity = templates.first { $0.dependencies == .item } ?? (try? Template("${id}"))
      definition.sources[index].kind = .upstream(upstream)
    }
  }
}

extension TableDefinition {
  /// The templates for the ids of rows made of a source's items; none where rows are made of the lists in these.
  fileprivate func identities(of source: String) -> [Template] {
    if self.source == source, items != nil { return [] }
    var own: [Template?] = []
    if case .list(let list, _) = sections { own = list.filter { $0.source == source }.map { $0.rowID ?? rowID } }
    return ((self.source == source ? [rowID] : []) + own).compactMap(\.self)
  }
}

extension CrossChecks {
  /// A table depends on what its expressions read of who asks, its sources' requests, and the representations that are
  /// shared by all tables, as far as it may use them.
  private mutating func addCallerUses() {
    guard !reading.callerUses.isEmpty else { return }
    let defaults = sharedDefaults
    for index in definition.tables.indices {
      let table = definition.tables[index]
      let reads = reading.callerUses.filter { path, _ in
        // The caller that adds an item is known then, and not before.
        guard !KnownRoots.isDefaultItem(path) else { return false }
        guard let kind = path.first, let name = path.dropFirst().first else { return false }
        return switch kind {
        case ServiceKeys.tables.name: name == table.name
        case ServiceKeys.sources.name: table.sources.contains(name)
        case ServiceKeys.representations.name: defaults.contains(name) || mayUse(representation: name, table)
        default: false
        }
      }
      definition.tables[index].callerUse = CallerUse(reads.map(\.use))
    }
  }

  /// The shared `$default`, which every table without its own falls back on, and the representations that it uses.
  private var sharedDefaults: Set<String> {
    var (found, next): (Set<String>, [String]) = ([], ["$default"])
    while let name = next.popLast() {
      guard let representation = definition.representations[name], found.insert(name).inserted else { continue }
      next += representation.usedNames
    }
    return found
  }

  /// Types are told by items, and one representation may use another.
  private func mayUse(representation name: String, _ table: TableDefinition) -> Bool {
    if table.rowType != nil || !table.representations.isEmpty { return true }
    return table.cell == nil || table.sections.haveTypes
  }
}

extension SectionsDefinition {
  fileprivate var haveTypes: Bool {
    if case .list(let sections, _) = self { sections.contains { $0.rowType != nil } } else { false }
  }
}

extension Template {
  /// The first of an item's `title`, `name` and `id` as text, else the item's JSON.
  fileprivate static let builtInTitle = try? Template(
    .object([.init(name: "title", value: "${(title ?? name ?? id ?? ($item | json)) | string}")])
  )
}

extension CrossChecks {
  /// Everything that is named is declared.
  func checkNames() {
    let sources = declarations(.source).map(\.value)
    let knownSources = Set(sources)
    for use in reading.uses {
      switch use.kind {
      case .source where knownSources.contains(use.name.value): break
      case .source: check(use, "source", among: sources)
      case .cell: check(use, "cell", among: definition.cells.map(\.identifier) + declarations(.cell).map(\.value))
      case .representation(let table):
        let own = table.map { declarations(.representation(table: $0)).map(\.value) } ?? []
        check(use, "representation", among: own + declarations(.representation(table: nil)).map(\.value))
      case .table: break
      }
    }
  }

  private func check(_ use: Use, _ noun: String, among names: [String]) {
    guard !names.contains(use.name.value) else { return }
    let near = Nearest.name(to: use.name.value, among: names)
    reading.error(
      at: use.name.place,
      "there is no \(noun) \(excerpt(use.name.value))",
      near.map { "did you mean '\($0)'?" }
        ?? (names.isEmpty ? "declare one under `\(noun)s`" : "there is \(some(names))")
    )
  }

  /// A cell is defined and declared: each name stands once.
  private func some(_ names: [String]) -> String {
    var seen: Set<String> = []
    let names = names.filter { seen.insert($0).inserted }
    return names.count > 6
      ? names.prefix(6).joined(separator: ", ") + " …"
      : together(names)
  }
}

extension CrossChecks {
  /// Groups by lists or objects, where it can be known: such an item has no section.
  func warnOfGroups() {
    for table in definition.tables {
      guard case .groups(let groups) = table.sections, let place = reading.groupings[table.name] else { continue }
      let isWhole = wholes(in: table).contains(groups.key.text)
      let known = groups.key.listKind ?? (isWhole ? .object : nil)
      guard let kind = known ?? kindInLocalItems(of: table, groups.key) else { continue }
      let isList = kind == .array
      let list = groups.key.memberPath == nil ? "(\(groups.key.text))" : groups.key.text
      reading.warning(
        at: place,
        "'\(groups.key.text)' is \(isList ? "a list" : "an object"): no section takes such an item",
        isList ? "group by one of its elements: `\(list)[0]`" : "group by one of its members"
      )
    }
  }

  /// Expressions that are an object: the item, what it is found with, and what it came in.
  private func wholes(in table: TableDefinition) -> Set<String> {
    Set(["$item", "$response"] + table.lookups.map { "$\($0.name)" })
  }

  /// Returns the kind of the first local item's value, among items that have one.
  private func kindInLocalItems(of table: TableDefinition, _ key: Expression) -> Value.Kind? {
    guard case .local(let local)? = source(table.source)?.kind else { return nil }
    for item in local.items + [local.defaultItem] {
      var scope = Scope(item: Value(item))
      scope.environment = definition.environment
      guard let kind = (try? key.evaluate(in: scope))?.kind else { continue }
      if kind == .array || kind == .object { return kind }
    }
    return nil
  }
}
