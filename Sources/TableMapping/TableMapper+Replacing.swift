internal import Expressions
internal import JSON
internal import TableModel

/// An item that stands in place of the one that a response has.
struct ReplacedItem: Sendable {
  let item: MappedItem
  let bytes: [UInt8]
}

extension TableMapper {
  /// Maps items that are others now than their response says (``SourceContent/replacing(_:with:)``), where each has its row
  /// in the place of the one before, and all else is the last mapping's. What comes of it is what mapping everything would
  /// make; the cache stays that of the response, so that the next one is compared with what it follows.
  ///
  /// - Parameter last: of the same responses.
  /// - Returns: nil where there is more to it: everything is to be mapped then.
  /// - Complexity: O(replaced items + changes · log² rows + sections).
  public func map(
    replacedIn contents: [String: SourceContent],
    after last: MappingResult,
    variables: MappingVariables
  ) -> MappingResult? {
    let cache = last.cache
    // Settled, there is one source, and no header, footer or other item sees its items.
    guard let settled = cache.settled, cache.plan === plan, cache.variables == variables, last.problems.isEmpty,
      let source = plan.sources.first, !plan.lookups.contains(where: { $0.source.name == source.name }),
      let content = contents[source.name], last.hasList(of: source.name, in: content),
      last.replaced.keys.allSatisfy({ content.replaced[$0] != nil })
    else { return nil }
    let lookups = Lookups(plan.lookups, contents, previous: cache.lookups, variables: variables)
    guard lookups.areThose(cache.lookups) else { return nil }
    var mapper = ItemMapper(source: source, plan: plan, lookups: lookups, scope: variables.scope)
    var result = last
    for (place, bytes) in content.replaced where last.replaced[place]?.bytes != bytes {
      guard settled.lookup.items.indices.contains(place) else { return nil }
      let mapped = bytes.withUnsafeBytes { mapper.item(at: place, $0) }
      guard result.replace(place, with: ReplacedItem(item: mapped, bytes: bytes), on: settled) else { return nil }
    }
    let growth = result.replaced.reduce(0) { growth, replaced in
      growth + replaced.value.bytes.count + replaced.value.item.cost - settled.lookup.items[replaced.key].cost
    }
    var budget = MappingBudget(maximumBytes)
    budget.charge(page: content.pages[0])
    budget.charge(settled.cost + growth)
    guard !budget.isExceeded else { return nil }
    result.byteCount = budget.spent
    return result
  }
}

extension MappingResult {
  /// Whether a source's items stand in one list of its only response, which is the one that was mapped: then one of them can
  /// be replaced (``SourceContent/replacing(_:with:)``).
  public func hasList(of source: String, in content: SourceContent) -> Bool {
    guard let cached = cache.sources[source], content.items == nil, content.pages.count == 1 else { return false }
    return cached.lists.count == 1 && cached.lists[0] != nil && cached.texts.areParts(of: content.pages)
  }

  /// Puts an item's row where that of the item before stands; false where that is not all that there is to do.
  fileprivate mutating func replace(_ place: Int, with new: ReplacedItem, on settled: SettledLayout) -> Bool {
    let before = replaced[place]?.item ?? settled.lookup.items[place]
    guard !new.item.isMalformed, let row = new.item.row, new.item.takesThePlace(of: before),
      let section = settled.section(of: before),
      // The rows that were replaced stand where those did that the response has.
      let position = settled.place(ofRowAt: place, in: section, near: place)
    else { return false }
    let index = settled.sections[..<section].count { $0.shown != nil }
    guard sections.indices.contains(index), sections[index].rows.indices.contains(position) else { return false }
    let shown = sections[index]
    sections[index] = Section(
      id: shown.id,
      header: shown.header,
      footer: shown.footer,
      rows: shown.rows.replacing(position, with: row)
    )
    replaced[place] = new
    return true
  }
}
