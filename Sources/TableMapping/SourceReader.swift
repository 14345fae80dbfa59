internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// Reads the items of one source: takes from the cache what has not changed, and maps the rest.
struct SourceReader {
  private(set) var items: [MappedItem] = []
  /// The rows of the first of them.
  private var rows: SoleRows?
  private var texts = ItemTexts()
  var lists: [CachedSource.CachedList?] = []
  private(set) var budget: MappingBudget
  var pageEnds: [Int] = []
  /// The places of items in the lists of others, where these are the rows.
  var expanded: ExpandedItems?
  /// There are more items in these than there may be.
  var isCut = false
  let source: MappingPlan.SourcePlan
  let plan: MappingPlan
  let previous: CachedSource?
  /// In place of `previous`: what was made of items that the service owns.
  private let layout: ItemLayout?
  let content: SourceContent
  /// The fingerprint of what expressions see of whole responses.
  private let seenResponses: Fingerprint
  /// Places in the cache whose looked-up items have changed.
  private let stale: Set<Int>
  let lookups: Lookups
  var mapper: ItemMapper
  /// The place of the next item the last time, if nothing moved.
  private(set) var expected = 0
  /// The first one that is not JSON.
  private var broken: MappedItem?
  /// True while all items so far are those of the last time, in their places.
  private var isUnchanged: Bool
  /// The items that may stand elsewhere now, once one is looked for.
  private var former: FormerItems?

  /// - Parameters:
  ///   - scope: With the source's responses, where expressions read them.
  ///   - budget: What the mapping may still take.
  init(
    source: MappingPlan.SourcePlan,
    plan: MappingPlan,
    content: SourceContent,
    previous: CachedSource?,
    layout: ItemLayout?,
    lookups: Lookups,
    scope: Scope,
    budget: MappingBudget
  ) {
    (self.source, self.plan, self.content, self.budget) = (source, plan, content, budget)
    (self.lookups, self.layout) = (lookups, layout)
    mapper = ItemMapper(source: source, plan: plan, lookups: lookups, scope: scope)
    seenResponses = SourceResponses.fingerprint(of: content.pages, seen: plan.dependencies)
    self.previous = previous?.seenResponses == seenResponses ? previous : nil
    stale = self.previous.map { lookups.stale(in: $0) } ?? []
    isUnchanged = self.previous != nil
  }

  /// The rows, where each item has one row and nothing else, and this was noted while they were mapped.
  var soleRows: SoleRows? { rows.flatMap { $0.rows.count == items.count ? $0 : nil } }

  mutating func reserveCapacity(_ count: Int) {
    items.reserveCapacity(count)
    texts.reserveCapacity(count)
  }

  /// To be given to the next mapping.
  var cached: CachedSource {
    // The same items in the same places show the same looked-up items.
    let staysSame = isUnchanged && previous?.items.count == items.count
    return CachedSource(
      items: MappedItems(items),
      texts: texts,
      seenResponses: seenResponses,
      lists: lists,
      pageEnds: pageEnds,
      references: staysSame ? previous?.references : nil,
      expanded: expanded
    )
  }

  mutating func read() throws(SourceFailure) {
    budget.beginSource()
    if let list = source.expands { return try readExpanded(by: list) }
    if let previous, content.items == nil, previous.texts.areParts(of: content.pages) {
      try keep(previous)
    } else if let given = content.items {
      try read(given)
    } else {
      reserveCapacity(previous?.items.count ?? 0)
      for number in content.pages.indices {
        begin(text: content.pages[number])
        do throws(JSONError) {
          try read(page: number)
        } catch {
          throw SourceFailure(error, page: number, of: content.pages.count)
        }
        pageEnds.append(items.count)
        guard !isOverBudget else { throw budget.failure }
      }
      // Items are parsed here for the first time: a document is JSON as a whole, or it is none.
      if let broken { throw failure(of: broken) }
    }
    guard !isOverBudget else { throw budget.failure }
  }

  /// - Parameter broken: an item that is not JSON, of a page that has been read.
  private func failure(of broken: MappedItem) -> SourceFailure {
    let page = pageEnds.firstIndex { broken.index < $0 } ?? 0
    let place = ItemPlace(
      position: broken.index - (page == 0 ? 0 : pageEnds[page - 1]),
      list: lists.indices.contains(page) ? lists[page]?.text : nil,
      page: (page, pageEnds.count)
    )
    let reason = broken.details?.skip?.reason ?? ""
    let cause = reason.hasPrefix(ItemMapper.notJSON) ? reason.dropFirst(ItemMapper.notJSON.count) : reason[...]
    return SourceFailure(malformed: place, because: String(cause))
  }

  /// The service's own items are bounded where they are added.
  var isOverBudget: Bool { budget.isExceeded && !source.isLocal }

  private mutating func read(_ given: [SourceItem]) throws(SourceFailure) {
    reserveCapacity(given.count)
    budget.expect(items: given.count)
    // The service's own items are mapped whatever they cost.
    if source.isLocal, previous == nil, layout == nil, ParallelMapping.isWorthwhile(for: given) {
      let mapping = ParallelMapping(source: source, plan: plan, elements: .given(given), start: items.count)
      var mapped = mapping.run(scope: scope, lookups: lookups, budget: .unlimited)
      budget.charge(mapped.budget.spent, work: mapped.budget.work)
      for item in given {
        budget.charge(page: item.bytes)
        texts.append(item.bytes)
      }
      mapped.budget = budget
      append(mapped)
      return
    }
    for item in given {
      begin(text: item.bytes)
      item.bytes.withUnsafeBytes { bytes in
        if let mapped = layout?.mapped(item), !lookups.haveChanged(for: mapped) {
          append(at: bytes.indices, mapped)
        } else if !reuse(bytes, at: bytes.indices, givenID: item.id) {
          mapApart(bytes, at: bytes.indices, givenID: item.id)
        }
      }
      guard !isOverBudget else { throw budget.failure }
    }
  }

  /// The answer is the very one of the last time: what shows another looked-up item is mapped anew, and nothing else
  /// is looked at. O(items), to count what they take; no byte of them is read.
  private mutating func keep(_ previous: CachedSource) throws(SourceFailure) {
    (items, texts, lists, pageEnds) = (previous.items.array, previous.texts, previous.lists, previous.pageEnds)
    for page in content.pages { budget.charge(page: page) }
    for place in stale {
      items[place] = texts.withBytes(of: place) { mapper.item(at: place, $0) }
    }
    // By the page, as they were read: what later ones may take is not for those before them.
    var start = 0
    for end in pageEnds {
      budget.expect(items: end - start)
      for item in items[start..<end] { budget.charge(item) }
      guard !isOverBudget else { throw budget.failure }
      start = end
    }
  }

  // MARK: Items

  /// Begins a text: the items that are appended from now on are parts of it.
  mutating func begin(text: [UInt8]) {
    texts.begin(text)
    budget.charge(page: text)
  }

  var scope: Scope { mapper.scope }

  /// So many items are read next.
  mutating func expect(items: Int) { budget.expect(items: items) }

  /// Takes the item from the cache; false where it is not there. It stands at `range` of the text that was begun.
  @inline(__always)
  mutating func reuse(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, givenID: String?) -> Bool {
    guard let previous, let place = place(of: bytes, givenID: givenID, in: previous) else { return false }
    guard isUsable(place, of: previous) else { return false }
    take(place, of: previous, at: range)
    return true
  }

  /// Returns the former place of an item with these bytes; the expected one is tried first, as most items stay where
  /// they were.
  @inline(__always)
  private mutating func place(of bytes: UnsafeRawBufferPointer, givenID: String?, in previous: CachedSource) -> Int? {
    if expected < previous.items.count, previous.has(bytes, givenID, at: expected) { return expected }
    if former == nil { former = FormerItems(previous, at: previous.items.indices) }
    return former?.place(of: bytes, givenID: givenID)
  }

  /// For a list whose elements have been compared with those of the last time: what is new to it is looked for among those
  /// that it has not got in step.
  mutating func seek(only places: [Int], of previous: CachedSource) {
    former = FormerItems(previous, at: places)
  }

  /// Returns whether an item of the cache with the same bytes shows the same here.
  @inline(__always)
  func isUsable(_ position: Int, of previous: CachedSource) -> Bool {
    if plan.dependencies.contains(.index), previous.items[position].index != items.count { return false }
    return !isStale(position)
  }

  /// True if an item of the cache shows looked-up items that have changed.
  func isStale(_ position: Int) -> Bool { !stale.isEmpty && stale.contains(position) }

  @inline(__always)
  mutating func take(_ position: Int, of previous: CachedSource, at range: Range<Int>) {
    expected = position + 1
    if position != items.count { isUnchanged = false }
    let item = previous.items[position]
    note(item)
    items.append(item)
    texts.append(range)
  }

  private mutating func mapApart(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, givenID: String?) {
    append(at: range, mapper.item(at: items.count, bytes, givenID: givenID))
  }

  mutating func append(at range: Range<Int>, _ value: Value) {
    append(at: range, mapper.item(at: items.count, value, bytes: range.count))
  }

  /// Takes the element from the cache, or maps it.
  mutating func append(_ element: Int, of reader: ListReader, in list: ListedText) {
    let range = list.elements[element].range
    list.withBytes(of: element) { bytes in
      if reuse(bytes, at: range, givenID: nil) { return }
      append(at: range, mapper.item(at: items.count, element, of: reader))
    }
  }

  /// Takes over what has been mapped on all cores and is paid for.
  mutating func append(_ mapped: ParallelMapping.Outcome, at ranges: some Sequence<Range<Int>>) {
    for range in ranges.prefix(mapped.items.count) { texts.append(range) }
    append(mapped)
  }

  private mutating func append(_ mapped: ParallelMapping.Outcome) {
    budget = mapped.budget
    if broken == nil { broken = mapped.malformed }
    if items.isEmpty { (items, rows) = (mapped.items, mapped.rows) } else { items += mapped.items }
    expected = items.count
    isUnchanged = false
  }

  mutating func append(at range: Range<Int>, _ item: MappedItem) {
    // A changed item stands where its older self stood: the next one is expected behind it.
    expected += 1
    isUnchanged = false
    note(item)
    items.append(item)
    texts.append(range)
  }

  @inline(__always)
  private mutating func note(_ item: MappedItem) {
    budget.charge(item)
    if item.isMalformed, broken == nil { broken = item }
  }
}
