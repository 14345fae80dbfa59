public import TableModel

extension TableMapper {
  /// Maps a few items of the table's only source that are others now, and takes all else over from the last mapping: what
  /// comes of it is what mapping everything would make.
  ///
  /// - Parameters:
  ///   - changes: Of items that the service owns, since the last mapping; each item once.
  ///   - contents: Of the sources of lookups: what they had at the last mapping.
  /// - Returns: nil where it can't be told from the changes alone: everything is to be mapped then.
  /// - Complexity: O(changes · log² rows + sections); a header that reads `$items` costs the items of its section.
  public func map(
    _ changes: [OwnedItemChange],
    after last: MappingResult,
    _ contents: [String: SourceContent],
    variables: MappingVariables
  ) -> MappingResult? {
    let cache = last.cache
    guard let layout = cache.layout, cache.plan === plan, cache.variables == variables else { return nil }
    let lookups = Lookups(
      plan.lookups,
      contents,
      previous: cache.lookups,
      variables: variables,
      workPerItem: plan.workPerItem
    )
    guard lookups.areThose(cache.lookups) else { return nil }
    guard !changes.isEmpty else { return last }
    var edit = LayoutEdit(layout, plan: plan, scope: variables.scope, lookups: lookups, warnings: last.warnings)
    guard edit.lay(changes) else { return nil }
    var result = last
    result.cache = MappingCache(plan: plan, variables: variables, lookups: cache.lookups, layout: edit.layout)
    result.work[edit.layout.source, default: 0] += edit.workGrowth
    result.show(edit.layout)
    result.warnings = edit.report.warnings
    return result
  }
}

extension MappingResult {
  /// Goes on from the lists of rows that a table has made of this one's, as they share what they can with those of the
  /// version before it (``Table/sharing(with:)``). O(sections); where all are the same ones, comparisons of references.
  public mutating func goOn(from table: Table) {
    guard !sections.elementsEqual(table.sections, by: ===), var layout else { return }
    var isOther = false
    var others = table.sections.makeIterator()
    for place in layout.sections.indices {
      guard let own = layout.sections[place].shown else { continue }
      guard let other = others.next(), other.id == own.id else { return }
      if other !== own { isOther = layout.sections[place].goOn(from: other) || isOther }
    }
    guard isOther else { return }
    if let edited {
      self.edited = EditedList(edits: edited.edits, layout: layout)
    } else {
      cache = MappingCache(plan: cache.plan, variables: cache.variables, lookups: cache.lookups, layout: layout)
    }
    sections = layout.sections.shown
  }
}
