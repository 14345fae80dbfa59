internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// One mapping: reads the sources, then puts their rows into sections.
struct MappingRun {
  private let plan: MappingPlan
  private let cache: MappingCache?
  private let parameters: [String: String]
  private let environment: [String: String]
  private var sources: [String: CachedSource] = [:]
  /// In the order of the sources.
  private var items: [MappedItem] = []
  /// Where the items of a source begin.
  private var starts: [String: Int] = [:]
  private var problems: [SourceProblem] = []
  /// Of the first response of all: what `$response` is to headers.
  private var firstResponse: Document?

  init(plan: MappingPlan, cache: MappingCache?, parameters: [String: String], environment: [String: String]) {
    self.plan = plan
    let isSame = cache.map {
      $0.plan === plan && $0.parameters == parameters && $0.environment == environment
    }
    self.cache = isSame == true ? cache : nil
    (self.parameters, self.environment) = (parameters, environment)
  }

  mutating func read(_ source: MappingPlan.SourcePlan, _ content: SourceContent) {
    var reader = SourceReader(
      source: source,
      plan: plan,
      previous: cache?.sources[source.name],
      scope: scope,
      content: content
    )
    do throws(SourceReader.Failure) {
      try reader.read(content)
    } catch {
      problems.append(SourceProblem(source: source.name, detail: error.detail))
      return
    }
    if firstResponse == nil { firstResponse = reader.firstResponse }
    starts[source.name] = items.count
    if items.isEmpty { items = reader.items } else { items += reader.items }
    sources[source.name] = reader.cached
  }

  private var scope: Scope {
    var scope = Scope()
    scope.parameters = parameters
    scope.environment = environment
    return scope
  }

  consuming func finish() -> MappingResult {
    var assembly = SectionAssembly(plan: plan, items: items)
    var report = Report()
    var addressed: [(address: MappedItem.Address, position: Int)] = []
    for position in items.indices {
      let item = items[position]
      let details = item.details
      if let row = item.row, !assembly.add(row, section: item.section, details, ofItemAt: position) {
        // With all of its rows: it is one item.
        report.skipDuplicate(item, at: place(position), row)
        continue
      }
      guard let details else { continue }
      for placement in details.others where !assembly.add(placement, ofItemAt: position) {
        report.skipDuplicate(item, at: place(position), placement.row)
      }
      if let warning = details.warning { report.warn(warning) }
      if let skip = details.skip { report.skip(item, at: place(position), skip) }
      if let address = details.address { addressed.append((address, position)) }
    }
    // Rows come first: what is shown is what an identity names.
    for (address, position) in addressed { assembly.add(address, ofItemAt: position) }
    let (sections, omitted) = assembledSections(assembly, &report)
    let cache = MappingCache(plan: plan, parameters: parameters, environment: environment, sources: sources)
    var result = MappingResult(cache: cache, lookup: assembly.lookup, starts: starts)
    (result.sections, result.omittedSections, result.problems) = (sections, omitted, problems)
    (result.skippedItems, result.skipped, result.warnings) = (report.skippedItems, report.skipped, report.warnings)
    return result
  }

  /// An item's place among those of its source.
  private func place(_ position: Int) -> Int { position - (starts[items[position].source] ?? 0) }

  private func assembledSections(_ assembly: SectionAssembly, _ report: inout Report) -> ([Section], Int) {
    var scope = scope
    if plan.sections.modelDependencies.contains(.response), let root = try? firstResponse?.unmanagedRoot() {
      scope.response = Value(root)
    }
    var mapping = ItemMapping(plan: plan)
    let assembled = assembly.sections { cell, section, key, count in
      scope.key = key.value
      scope.count = count
      do throws(Misfit) {
        return try mapping.model(cell, in: scope)
      } catch {
        // A key that is a number or a boolean, where a field asks for a text: the section's identity, which it has.
        if key.value.kind != .string, let text = key.value.text {
          scope.key = .string(text)
          if let model = try? mapping.model(cell, in: scope) { return model }
        }
        report.warn("header or footer of the section “\(section)”: \(error.reason)")
        return nil
      }
    }
    return withExtendedLifetime(firstResponse) { (assembled.sections, assembled.omitted) }
  }

  private struct Report {
    var skippedItems = 0
    var skipped: [SkippedItem] = []
    var warnings: [String] = []

    mutating func warn(_ warning: String) {
      // The same of many items is said once.
      guard warnings.count < MappingResult.maximumKept, !warnings.contains(warning) else { return }
      warnings.append(warning)
    }

    mutating func skip(_ item: MappedItem, at index: Int, _ skip: MappedItem.Skip) {
      skippedItems += 1
      guard skipped.count < MappingResult.maximumKept else { return }
      skipped.append(
        SkippedItem(
          source: item.source,
          index: index,
          id: skip.id,
          type: skip.type,
          reason: skip.reason,
          field: skip.field
        )
      )
    }

    mutating func skipDuplicate(_ item: MappedItem, at index: Int, _ row: Row) {
      let reason = "another row has the identity “\(row.id)”; `row.id` must differ from item to item"
      skip(item, at: index, MappedItem.Skip(id: row.id, reason: reason))
    }
  }
}
