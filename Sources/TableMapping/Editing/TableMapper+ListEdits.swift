internal import Expressions
internal import JSON
internal import TableModel

extension TableMapper {
  /// Maps items that edits have made of those of a response (``SourceContent/edits``), and takes all else over from the last
  /// mapping: what comes of it is what mapping everything would make. The cache stays that of the response, so that the next
  /// one is compared with what it follows.
  ///
  /// - Parameter last: of the same responses.
  /// - Returns: nil where it can't be told from the edits alone: everything is to be mapped then.
  /// - Complexity: O(edits since the response + changes · log² rows + sections).
  public func map(
    editsIn contents: [String: SourceContent],
    after last: MappingResult,
    variables: MappingVariables
  ) -> MappingResult? {
    let cache = last.cache
    // Settled, there is one source, and no header, footer or other item sees its items.
    guard let settled = cache.settled, cache.plan === plan, cache.variables == variables, last.problems.isEmpty,
      let source = plan.sources.first, !plan.lookups.contains(where: { $0.source.name == source.name }),
      let content = contents[source.name], let edits = content.edits, last.edits(of: source.name, in: content) != nil,
      let texts = cache.sources[source.name]?.texts
    else { return nil }
    let lookups = Lookups(
      plan.lookups,
      contents,
      previous: cache.lookups,
      variables: variables,
      workPerItem: plan.workPerItem
    )
    guard lookups.areThose(cache.lookups), !edits.areMoved || !plan.dependencies.contains(.index) else { return nil }
    let layout = last.edited?.layout ?? ItemLayout(source: source.name, settled, texts)
    guard let changes = edits.changes(since: last.edited?.edits, of: layout.items) else { return nil }
    var edit = LayoutEdit(layout, plan: plan, scope: variables.scope, lookups: lookups, warnings: [])
    // A warning about one item would have to be taken back with the next edit of it.
    guard edit.lay(changes), edit.report.warnings.isEmpty, last.byteCount + edit.growth <= maximumBytes else {
      return nil
    }
    // As many items as the response had, about: where that is too little, everything is mapped.
    let work = last.work(for: source.name) + edit.workGrowth
    guard work <= last.maximumWork(forItems: texts.count) else { return nil }
    var result = last
    result.edited = MappingResult.EditedList(edits: edits, layout: edit.layout)
    result.show(edit.layout)
    result.byteCount += edit.growth
    result.work[source.name] = work
    return result
  }
}

extension MappingResult {
  /// Returns the edits of a source's items, to be edited on; nil where the items don't stand in one list of its only
  /// response, the one that was mapped. The items are numbered as ``RepresentedItem/position`` and
  /// ``identity(ofItemAt:of:)`` have them. O(1).
  public func edits(of source: String, in content: SourceContent) -> ListEdits? {
    guard let cached = cache.sources[source], content.items == nil, content.pages.count == 1, cached.lists.count == 1,
      cached.lists[0] != nil, cached.texts.areParts(of: content.pages)
    else { return nil }
    return content.edits ?? ListEdits(count: cached.items.count)
  }

  /// A response's list as edits have left it.
  struct EditedList: Sendable {
    let edits: ListEdits
    let layout: ItemLayout
  }

  /// Shows what an edit was laid out on.
  mutating func show(_ layout: ItemLayout) {
    let rowCount = self.rowCount ?? sections.reduce(0) { $0 + $1.rows.count }
    let shown = layout.sections.shown
    let count = shown.rowCount(knowing: rowCount, of: sections)
    (sections, self.rowCount) = (shown, count)
    omittedSections = layout.sections.count - sections.count
    // Without duplicate identities no item is skipped.
    if !layout.hasDuplicates { (skippedItems, firstSkipped) = (layout.items.skipped.count, nil) }
  }
}

extension ListEdits {
  /// Returns the changes of items since the edits that these go on from, nil: since the response; nil where these do
  /// not go on from them. O(edits).
  fileprivate func changes(since before: ListEdits?, of laid: LayoutItems) -> [OwnedItemChange]? {
    let known = before?.items ?? [:]
    guard known.keys.allSatisfy({ items[$0] != nil }) else { return nil }
    return items.compactMap { number, item in
      if let known = known[number], known == item { return nil }
      let old = laid[number]
      // An item that came and went since is no change.
      guard old != nil || item != nil else { return nil }
      return OwnedItemChange(
        number: number,
        before: old.map { OwnedItem(number: number, rank: $0.rank, bytes: $0.bytes) },
        after: item.map { OwnedItem(number: number, rank: $0.rank, bytes: $0.bytes) }
      )
    }
  }
}
