internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// One mapping of everything: reads the sources, then puts their rows into sections.
struct MappingRun {
  private let plan: MappingPlan
  private let contents: [String: SourceContent]
  private let variables: MappingVariables
  /// The last mapping, by the same plan and with the same variables.
  private let last: MappingResult?
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

  /// - Parameter contents: without edits that are laid over them.
  init(
    plan: MappingPlan,
    _ contents: [String: SourceContent],
    after last: MappingResult?,
    lookups: Lookups,
    variables: MappingVariables,
    budget: MappingBudget
  ) {
    (self.plan, self.contents, self.variables, self.budget) = (plan, contents, variables, budget)
    (self.last, self.lookups, problems) = (last, lookups, lookups.problems)
  }

  /// Maps the sources' items, and makes the table's content of them.
  consuming func result() -> MappingResult {
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
      previous: last?.cache.sources[source.name],
      layout: last?.cache.layout,
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
    let shown = plan.shown(
      &arranged,
      after: last,
      in: { scope(of: $0) },
      list: { list(of: $0) },
      &report
    )
    let sections = shown.compactMap(\.self)
    let layout = layout(Array(zip(arranged, shown)), assembly, report)
    let cache = MappingCache(
      plan: plan,
      variables: variables,
      sources: layout?.items.areOwned == true ? [:] : self.sources,
      lookups: lookups.indexes,
      layout: layout
    )
    var result = MappingResult.Values(cache: cache)
    if layout == nil { (result.lookup, result.starts) = (assembly.lookup, starts) }
    (result.sections, result.omittedSections, result.problems) = (sections, arranged.count - sections.count, problems)
    (result.skippedItems, result.firstSkipped, result.warnings) = (report.skippedItems, report.skipped, report.warnings)
    (result.byteCount, result.work, result.title) = (budget.spent, work, plan.title(for: variables))
    result.isTruncated = isCut || contents.values.contains(where: \.isTruncated)
    return MappingResult(result)
  }

  /// Returns the layout for changes of the only source's items; nil where they are laid out with everything else. O(items).
  private func layout(
    _ sections: [(ArrangedSection, shown: Section?)],
    _ assembly: SectionAssembly,
    _ report: MappingReport
  ) -> ItemLayout? {
    guard let source = plan.sources.first?.name, let items = layoutItems(sections, assembly, report) else { return nil }
    var layout = ItemLayout(
      source: source,
      items,
      sections.map { LayoutSection($0, shown: $1) },
      hasDuplicates: assembly.hasDuplicates,
      cost: budget.spent - (contents[source]?.byteCount ?? 0),
      work: work[source] ?? 0
    )
    layout.owned = contents[source]?.owned
    return layout
  }

  private func layoutItems(
    _ sections: [(ArrangedSection, shown: Section?)],
    _ assembly: SectionAssembly,
    _ report: MappingReport
  ) -> LayoutItems? {
    guard let source = plan.sources.first?.name else { return nil }
    if plan.laysOutEdits, !assembly.hasDuplicates, let content = contents[source], content.owned != nil {
      return LayoutItems(content.items ?? [], assembly.lookup, skipped: assembly.skipped)
    }
    // The next response may take warnings back, and no limit hides rows.
    guard plan.keepsPlaces, report.warnings.isEmpty,
      sections.allSatisfy({ $0.0.rows.count == $0.0.unsortedRows.count }), let texts = self.sources[source]?.texts
    else { return nil }
    return LayoutItems(texts, assembly.lookup, skipped: assembly.skipped)
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

  /// Returns the scope of a header or footer, without the items and what the section says.
  private func scope(of section: ArrangedSection) -> Scope {
    var scope = variables.scope
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
