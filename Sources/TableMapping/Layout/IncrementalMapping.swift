internal import Expressions
internal import JSON
internal import TableModel

/// A mapping that goes on from the last one: what has changed of the only source's items is laid out on what was made of the others.
/// The result equals that of a whole mapping, but for the warnings.
///
/// The changes come from the source's content. The service's own items have a list that tells them. A response's list is compared with
/// that of the response before, and edits may be laid over it.
struct IncrementalMapping {
  private let plan: MappingPlan
  private(set) var contents: [String: SourceContent]
  private let last: MappingResult
  private let layout: ItemLayout
  private let variables: MappingVariables
  private let maximumBytes: Int
  private var mapper: ItemMapper

  private var source: MappingPlan.SourcePlan { plan.sources[0] }

  /// - Parameter last: the last mapping, by the same plan and with the same variables.
  /// - Returns: nil where everything is to be mapped.
  init?(
    _ plan: MappingPlan,
    _ contents: [String: SourceContent],
    after last: MappingResult,
    lookups: Lookups,
    variables: MappingVariables,
    maximumBytes: Int
  ) {
    guard let layout = last.cache.layout, last.problems.isEmpty, lookups.areThose(last.cache.lookups) else {
      return nil
    }
    (self.plan, self.contents, self.last, self.layout) = (plan, contents, last, layout)
    (self.variables, self.maximumBytes) = (variables, maximumBytes)
    mapper = ItemMapper(source: plan.sources[0], plan: plan, lookups: lookups, scope: variables.scope)
  }

  /// Returns nil where what comes of it can't be told from the changes alone, or they are so many that it is faster to map everything.
  ///
  /// - Complexity: O(changes · log² rows + sections), for a response O(items) to see what has changed, without a reference counted, and
  ///   for edits over it O(edits). A header that reads `$items` costs the items of its section.
  mutating func result() -> MappingResult? {
    guard let content = contents[source.name] else { return nil }
    guard var result = result(of: content) else { return nil }
    result.isTruncated = contents.values.contains(where: \.isTruncated)
    return MappingResult(result)
  }

  private mutating func result(of content: SourceContent) -> MappingResult.Values? {
    if let owned = content.owned { return result(of: owned) }
    guard !content.areGiven, content.pages.count == 1 else { return nil }
    return content.edits.map { result(of: $0, over: content) } ?? result(ofResponse: content)
  }

  /// Lays out changes on a layout, and shows what comes of it.
  ///
  /// - Parameter responseBytes: of what the items are parts of.
  private func result(
    _ changes: [LayoutChange],
    on layout: ItemLayout,
    next: (MappedItems, ItemTexts)? = nil,
    responseBytes: Int
  ) -> (result: MappingResult.Values, layout: ItemLayout)? {
    var edit = LayoutEdit(layout, plan: plan, scope: variables.scope)
    guard edit.lay(changes, next: next) else { return nil }
    let (layout, warnings) = (edit.layout, edit.report.warnings)
    // A warning about one item of a response would have to be taken back with the next change of it.
    guard source.isLocal || warnings.isEmpty && isAffordable(layout, responseBytes) else { return nil }
    var result = last.values
    // Items that are left out are where they were.
    if !edit.isInPlace || last.edited != nil, !layout.hasDuplicates { result.firstSkipped = nil }
    // The newest ones: whoever tells of warnings tells of each once.
    let said = last.warnings + warnings.filter { !last.warnings.contains($0) }
    result.warnings = Array(said.suffix(MappingResult.maximumKept))
    (result.edited, result.changeCount) = (nil, changes.count)
    result.show(layout)
    (result.byteCount, result.work[source.name]) = (responseBytes + layout.cost, layout.work)
    return (result, layout)
  }

  private func isAffordable(_ layout: ItemLayout, _ responseBytes: Int) -> Bool {
    var budget = MappingBudget(maximumBytes, workPerItem: plan.workPerItem)
    budget.expect(items: layout.items.mappedCount)
    budget.charge(responseBytes + layout.cost, work: layout.work)
    return !budget.isExceeded
  }

  /// Maps an item, unless its bytes are those that it had. Where an item was undone another one may have its number, and the same bytes.
  private mutating func layoutItem(
    _ bytes: [UInt8],
    _ rank: Int64,
    _ before: LayoutItem?,
    at index: Int,
    givenID: String? = nil
  ) -> LayoutItem {
    let same = before.flatMap { $0.bytes == bytes && $0.mapped.givenID == givenID ? $0.mapped : nil }
    let mapped = same ?? bytes.withUnsafeBytes { mapper.item(at: index, $0, givenID: givenID) }
    return LayoutItem(mapped, rank, .own(bytes))
  }

  /// How many items may come, go or move: where more do, mapping everything is faster, which reads the service's own items one by one
  /// and a response as a whole.
  private func fewMoves(among items: Int) -> Int { max(16, items / (source.isLocal ? 32 : 256)) }

  // MARK: The service's own items

  private mutating func result(of owned: any OwnedItems) -> MappingResult.Values? {
    guard let earlier = layout.owned,
      let differences = owned.changes(since: earlier, atMost: fewMoves(among: owned.count))
    else { return nil }
    let changes = differences.map { change in
      let before = layout.items[change.number]
      let after = change.after.map { layoutItem($0.bytes, $0.rank, before, at: 0, givenID: $0.id) }
      return LayoutChange(number: change.number, before: before, after: after)
    }
    guard var (result, layout) = result(changes, on: layout, responseBytes: 0) else { return nil }
    layout.owned = owned
    result.cache = last.cache.with(layout)
    return result
  }

  // MARK: Edits over a response

  /// The cache stays that of the response, with which the next one is compared.
  private mutating func result(of edits: ListEdits, over content: SourceContent) -> MappingResult.Values? {
    guard last.edits(of: source.name, in: content) != nil,
      !edits.areMoved || !plan.dependencies.contains(.index)
    else { return nil }
    let layout = last.edited?.layout ?? layout
    guard let numbers = edits.numbers(since: last.edited?.edits) else { return nil }
    let changes = numbers.compactMap { number -> LayoutChange? in
      let (before, after) = (layout.items[number], edits.items[number] ?? nil)
      // An item that came and went since is no change.
      guard before != nil || after != nil else { return nil }
      let laid = after.map { layoutItem($0.bytes, $0.rank, before, at: Int(number)) }
      return LayoutChange(number: number, before: before, after: laid)
    }
    guard case (var result, let edited)? = result(changes, on: layout, responseBytes: content.byteCount) else {
      return nil
    }
    result.edited = MappingResult.EditedList(edits: edits, layout: edited)
    return result
  }

  // MARK: The next response

  /// Items that are others where they stood, and no other changes: most of what upstreams answer.
  private mutating func result(ofResponse content: SourceContent) -> MappingResult.Values? {
    guard let previous = last.cache.sources[source.name], previous.lists.count == 1,
      let before = previous.lists[0]?.text
    else { return nil }
    if previous.texts.areParts(of: content.pages) {
      return result([], on: layout, responseBytes: content.byteCount)?.result
    }
    guard let list = try? content.list(ofPage: 0, at: before.path, after: before) else { return nil }
    // Not to be found out again, should everything be mapped.
    contents[source.name] = content.knowing([list])
    guard list.follows(before), list.elements.count == previous.items.count,
      list.elements.count == before.elements.count,
      list.elements.indices.allSatisfy({ list.origin(of: $0) ?? $0 == $0 })
    else { return nil }
    guard let changed = changedItems(of: list) else { return nil }
    let texts = ItemTexts(of: list)
    var items = previous.items
    let changes = changed.map { place, before, mapped in
      items.replace(at: place, with: mapped)
      let rank = ListEdits.rank(ofResponse: place)
      let after = LayoutItem(mapped, rank, .part(of: texts, at: place))
      return LayoutChange(number: UInt64(place), before: before, after: after)
    }
    let laid = result(changes, on: layout, next: (items, texts), responseBytes: list.bytes.count)
    guard case (var result, let layout)? = laid else { return nil }
    let cached = CachedSource(
      items: items,
      texts: texts,
      seenResponses: previous.seenResponses,
      lists: [CachedSource.CachedList(text: list, start: 0)],
      pageEnds: [items.count],
      references: plan.lookups.isEmpty ? previous.references : nil
    )
    result.cache = last.cache.with(layout, [source.name: cached])
    return result
  }

  /// The items with other bytes, by their places, as they were and as they are mapped now. Nil where too many rows move: found before
  /// anything is copied for them.
  private mutating func changedItems(of list: ListedText) -> [(place: Int, before: LayoutItem?, mapped: MappedItem)]? {
    let reader = mapper.reader(of: list)
    var (changed, moves): ([(Int, LayoutItem?, MappedItem)], Int) = ([], 0)
    let few = fewMoves(among: list.elements.count)
    for place in list.elements.indices where list.origin(of: place) == nil {
      let (before, mapped) = (layout.items[UInt64(place)], mapper.item(at: place, place, of: reader))
      if before.map({ !mapped.takesThePlace(of: $0.mapped) }) ?? true { moves += 1 }
      guard moves <= few, moves == 0 || !layout.hasDuplicates else { return nil }
      changed.append((place, before, mapped))
    }
    return changed
  }
}

extension ItemTexts {
  /// The elements of a list.
  fileprivate init(of list: ListedText) {
    self.init()
    reserveCapacity(list.elements.count)
    begin(list.bytes)
    for element in list.elements { append(element.range) }
  }
}

extension ListEdits {
  /// Returns the numbers of the items that are others since the edits that these go on from, nil: since the response; nil where these
  /// do not go on from them. O(edits).
  fileprivate func numbers(since before: ListEdits?) -> [UInt64]? {
    let known = before?.items ?? [:]
    guard known.keys.allSatisfy({ items[$0] != nil }) else { return nil }
    return items.compactMap { number, item in known[number] == item ? nil : number }
  }
}
