internal import Definitions
internal import Expressions
internal import Synchronization
internal import TableModel

extension TableMapper {
  /// True if this table's members differ only in the items that their sections take, so that they share rows.
  public var sharesRows: Bool { common != nil }

  /// Maps what the sources have, where the rows of the answer are made once for all tables that have it.
  ///
  /// - Returns: nil where the table or the answer is mapped by itself.
  /// - Complexity: for the first table that has the answer as for a mapping; for each other one O(items shown + items changed).
  func part(
    of contents: [String: SourceContent],
    after result: MappingResult?,
    variables: MappingVariables
  ) -> MappingResult? {
    guard let plan = common, contents.count == 1, let shared = contents.values.first?.shared else { return nil }
    // One for all of a member's mappings.
    let known = result?.part?.common.group
    let group = known.flatMap { $0.plan.plan === plan.plan && $0.variables.locale == variables.locale ? $0 : nil }
    guard
      let (mapping, readers) = shared.mapping(
        of: group ?? PartGroup(plan, variables, maximumBytes: maximumBytes),
        contents
      )
    else { return nil }
    var chooser = PartSelection.Chooser(self.plan, mapping, variables)
    let former = result.flatMap { $0.cache.plan === self.plan && $0.cache.variables == variables ? $0 : nil }
    let part: MappedPart
    var isOther = true
    if let before = former?.part, let turnover = mapping.turnover(since: before.common) {
      var selection = before.selection
      isOther = selection.follow(turnover, &chooser)
      part = MappedPart(common: mapping, selection: selection, key: chooser.key)
    } else if let before = former?.part, before.common === mapping {
      (part, isOther) = (before, false)
    } else {
      part = MappedPart(common: mapping, selection: PartSelection(of: mapping, &chooser), key: chooser.key)
    }
    // Excess is reported by a mapping of the table's own.
    guard !chooser.isExhausted else { return nil }
    let isShown = !isOther && former?.skippedItems == 0
    var made = (isShown ? former : nil) ?? assembled(part, variables, after: former)
    made.change { made in
      if let warning = chooser.warning, !made.warnings.contains(warning) { made.warnings.append(warning) }
      (made.part, made.title, made.isTruncated) = (part, title(for: variables), mapping.isTruncated)
      // Each accounts for its share, by how many had come before it: together they account for more than there is.
      made.byteCount = part.selection.items.count * 64 + mapping.byteCount / readers
    }
    return made
  }

  /// Puts the rows of a part into sections.
  private func assembled(_ part: MappedPart, _ variables: MappingVariables, after last: MappingResult?) -> MappingResult
  {
    let items = part.selection.items.map { part.common.source.items[Int($0.position)] }
    var report = MappingReport([])
    var assembly = SectionAssembly(plan: plan, adding: items)
    let source = plan.sources[0].name
    for (position, choice) in part.selection.items.enumerated() {
      let item = items[position]
      if let failure = choice.failure {
        report.skip(source, at: Int(choice.position), MappedItem.Skip(reason: failure))
        continue
      }
      if let row = item.row {
        let placement = MappedItem.Placement(section: Int(choice.section), row: row, sortKeys: item.sortKeys)
        guard assembly.add(placement, ofItemAt: position) else {
          report.skipDuplicate(source, at: Int(choice.position), row)
          continue
        }
      }
      if let warning = item.details?.warning { report.warn(warning) }
      if let skip = item.details?.skip { report.skip(source, at: Int(choice.position), skip) }
    }
    var arranged = assembly.arranged(in: variables.scope, &report)
    let sections = plan.shown(
      &arranged,
      after: last,
      in: { _ in variables.scope },
      list: { _ in [] },
      &report
    )
    .compactMap(\.self)
    let cache = MappingCache(plan: plan, variables: variables, lookups: [])
    var result = MappingResult.Values(cache: cache, lookup: assembly.lookup)
    (result.sections, result.omittedSections) = (sections, arranged.count - sections.count)
    (result.skippedItems, result.firstSkipped, result.warnings) = (report.skippedItems, report.skipped, report.warnings)
    return MappingResult(result)
  }
}
