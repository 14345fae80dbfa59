internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// One mapping: reads the sources, then puts their rows into sections.
struct MappingRun {
  private let plan: MappingPlan
  private var contents: [String: SourceContent]
  private let variables: MappingVariables
  private let cache: MappingCache?
  private let lookups: Lookups
  private var budget: MappingBudget
  private var sources: [String: CachedSource] = [:]
  /// The responses, for expressions that read them.
  private var responses: [String: SourceResponses] = [:]
  /// In the order of the sources.
  private var items: [MappedItem] = []
  /// The rows of the first of them.
  private var soleRows: SoleRows?
  /// The position of each source's first item.
  private var starts: [String: Int] = [:]
  private var problems: [SourceProblem]
  /// By source.
  private var work: [String: Int] = [:]
  /// The lists of a source's items have more than there may be.
  private var isCut = false

  init(
    plan: MappingPlan,
    _ contents: [String: SourceContent],
    variables: MappingVariables,
    cache: MappingCache?,
    budget: MappingBudget
  ) {
    (self.plan, self.contents, self.variables, self.budget) = (plan, contents, variables, budget)
    for source in plan.sources where contents[source.name]?.edits != nil {
      self.contents[source.name] = contents[source.name]?.settled(at: source.items?.documentPath)
    }
    let isUsable = cache.map { $0.plan === plan && $0.variables == variables }
    self.cache = isUsable == true ? cache : nil
    lookups = Lookups(
      plan.lookups,
      self.contents,
      previous: self.cache?.lookups ?? [],
      variables: variables,
      workPerItem: plan.workPerItem
    )
    problems = lookups.problems
  }

  /// Maps the sources' items, and makes the table's content of them.
  consuming func result() -> MappingResult {
    if let refreshed = refreshedInPlace() { return refreshed }
    for source in plan.sources {
      guard let content = contents[source.name] else { continue }
      do throws(SourceFailure) {
        try read(source, content)
      } catch {
        problems.append(SourceProblem(source: source.name, kind: error.kind, detail: error.detail))
      }
    }
    let responses = responses
    return withExtendedLifetime(responses) { assembled(soleRows.take()) }
  }

  /// Returns the result of a refresh that changes some items in place; nil where there is more to it.
  private mutating func refreshedInPlace() -> MappingResult? {
    guard let cache, let layout = cache.settled, let source = plan.sources.first, let content = contents[source.name],
      let previous = cache.sources[source.name], let before = previous.lists.first.flatMap({ $0?.text }),
      content.items == nil, content.pages.count == 1, !previous.texts.areParts(of: content.pages),
      lookups.areThose(cache.lookups),
      let list = try? content.list(ofPage: 0, at: before.path, after: before)
    else { return nil }
    // Not to be found out again, should there be more to it.
    contents[source.name] = content.knowing([list])
    guard var refresh = RefreshInPlace(list, after: previous, on: layout) else { return nil }
    let mapper = ItemMapper(source: source, plan: plan, lookups: lookups, scope: variables.scope)
    guard refresh.map(with: mapper) else { return nil }
    guard let settled = refresh.settled else { return nil }
    var budget = budget
    budget.beginSource()
    budget.expect(items: list.elements.count)
    budget.charge(page: list.bytes)
    budget.charge(settled.cost, work: settled.work)
    guard !budget.isExceeded else { return nil }
    let references = plan.lookups.isEmpty ? previous.references : nil
    var result = result(settled, of: source, refresh.cached(references))
    result.byteCount = budget.spent
    result.work[source.name] = settled.work
    return result
  }

  private func result(
    _ settled: SettledLayout,
    of source: MappingPlan.SourcePlan,
    _ cached: CachedSource
  ) -> MappingResult {
    let sections = settled.sections.shown
    let cache = MappingCache(
      plan: plan,
      variables: variables,
      sources: [source.name: cached],
      lookups: lookups.indexes,
      rows: Dictionary(sections.map { ($0.id, $0.rows) }) { first, _ in first },
      settled: settled
    )
    var result = MappingResult(cache: cache, lookup: settled.lookup, starts: [source.name: 0])
    (result.sections, result.omittedSections) = (sections, settled.sections.count - sections.count)
    (result.skippedItems, result.firstSkipped) = (settled.skippedItems, settled.firstSkipped)
    result.isTruncated = contents.values.contains(where: \.isTruncated)
    return result
  }

  private mutating func read(_ source: MappingPlan.SourcePlan, _ content: SourceContent) throws(SourceFailure) {
    var scope = variables.scope
    if plan.readsResponses {
      let found = try SourceResponses(content.pages)
      responses[source.name] = found
      (scope.response, scope.pages) = (found.response, found.pages)
    }
    var reader = SourceReader(
      source: source,
      plan: plan,
      content: content,
      previous: cache?.sources[source.name],
      layout: cache?.layout,
      lookups: lookups,
      scope: scope,
      budget: budget
    )
    try reader.read()
    budget = reader.budget
    if reader.isCut { isCut = true }
    work[source.name] = budget.work
    starts[source.name] = items.count
    if items.isEmpty { (items, soleRows) = (reader.items, reader.soleRows) } else { items += reader.items }
    sources[source.name] = reader.cached
  }

  /// - Parameter soleRows: of all items, where each has one and nothing else; not needed for longer than the assembly takes.
  private func assembled(_ soleRows: consuming SoleRows?) -> MappingResult {
    var report = MappingReport(lookups.warnings)
    let assembly = assembly(soleRows, &report)
    var arranged = assembly.arranged(in: variables.scope, &report)
    var models = SectionModels(plan: plan, rows: arranged.reduce(0) { $0 + $1.rows.count })
    let shown = arranged.indices.map { place in
      let shown = self.section(arranged[place], &models, &report)
      arranged[place].modelWork = models.spent
      return shown
    }
    let sections = shown.compactMap(\.self)
    let rows = Dictionary(sections.map { ($0.id, $0.rows) }) { first, _ in first }
    let layout = layout(Array(zip(arranged, shown)), assembly)
    let lookup = assembly.lookup
    let settled = plan.keepsPlaces ? SettledLayout(Array(zip(arranged, shown)), assembly, report) : nil
    let cache = MappingCache(
      plan: plan,
      variables: variables,
      sources: layout == nil ? self.sources : [:],
      lookups: lookups.indexes,
      rows: rows,
      layout: layout,
      settled: layout == nil ? settled : nil
    )
    var result =
      layout == nil
      ? MappingResult(cache: cache, lookup: lookup, starts: starts) : MappingResult(cache: cache)
    (result.sections, result.omittedSections, result.problems) = (sections, arranged.count - sections.count, problems)
    (result.skippedItems, result.firstSkipped, result.warnings) = (report.skippedItems, report.skipped, report.warnings)
    (result.byteCount, result.work) = (budget.spent, work)
    result.isTruncated = isCut || contents.values.contains(where: \.isTruncated)
    return result
  }

  /// Nil: it is left out.
  private func section(
    _ section: ArrangedSection,
    _ models: inout SectionModels,
    _ report: inout MappingReport
  ) -> Section? {
    models.begin(rows: section.rows.count)
    guard !section.rows.isEmpty || !section.plan.hideEmpty else { return nil }
    let (header, footer) = models.models(
      of: section.id,
      section.plan,
      in: scope(of: section),
      list: { list(of: section) },
      &report
    )
    let rows = cache?.rows[section.id].map { RowList(section.rows, sharing: $0) } ?? RowList(section.rows)
    return Section(id: section.id, header: header, footer: footer, rows: rows)
  }

  /// Returns the layout for edits of a local source's items; nil where an edit is laid out with everything else.
  /// O(items).
  private func layout(_ sections: [(ArrangedSection, shown: Section?)], _ assembly: SectionAssembly) -> ItemLayout? {
    guard plan.laysOutEdits, !assembly.hasDuplicates, let source = plan.sources.first?.name,
      let given = contents[source]?.items,
      let items = LayoutItems(given, assembly.lookup, skipped: assembly.skipped)
    else { return nil }
    return ItemLayout(source: source, items, sections.map { LayoutSection($0, shown: $1) })
  }

  private func assembly(_ soleRows: consuming SoleRows?, _ report: inout MappingReport) -> SectionAssembly {
    if let soleRows, let assembly = SectionAssembly(plan: plan, items: items, soleRows) { return assembly }
    var assembly = SectionAssembly(plan: plan, adding: items)
    var addressed: [(address: MappedItem.Address, position: Int)] = []
    for position in items.indices {
      guard assembly.addRow(ofItemAt: position) else {
        // With all of its rows: it is one item.
        let item = items[position]
        if let row = item.row { report.skipDuplicate(source(of: item), at: place(position), row) }
        continue
      }
      guard assembly.hasDetails(position), let details = items[position].details else { continue }
      let item = items[position]
      for placement in details.others where !assembly.add(placement, ofItemAt: position) {
        report.skipDuplicate(source(of: item), at: place(position), placement.row)
      }
      if let warning = details.warning { report.warn(warning) }
      if let skip = details.skip {
        report.skip(source(of: item), at: place(position), skip)
        assembly.skip(itemAt: position)
      }
      if let address = details.address { addressed.append((address, position)) }
    }
    // Rows come first: what is shown is what an identity names.
    for (address, position) in addressed { assembly.add(address, ofItemAt: position) }
    return assembly
  }

  /// An item's place among those of its source.
  private func place(_ position: Int) -> Int { position - (starts[source(of: items[position])] ?? 0) }

  private func source(of item: MappedItem) -> String { plan.sources[item.source].name }

  /// Returns the scope of a header or footer, without the items.
  private func scope(of section: ArrangedSection) -> Scope {
    var scope = variables.scope
    scope.key = section.key.value
    scope.count = section.rows.count
    if let found = responses[section.plan.source] {
      (scope.response, scope.pages) = (found.response, found.pages)
    }
    return scope
  }

  private func list(of section: ArrangedSection) -> [UInt8] {
    // All are of one source: the section's.
    guard let source = sources[section.plan.source], let start = starts[section.plan.source] else {
      return Array("[]".utf8)
    }
    return source.texts.list(of: section.positions.map { $0 - start })
  }
}
