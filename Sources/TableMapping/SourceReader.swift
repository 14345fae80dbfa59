internal import Definitions
internal import Expressions
internal import JSON
internal import TableModel

/// Reads the items of one source: takes from the cache what has not changed, and maps the rest.
struct SourceReader {
  private(set) var items: [MappedItem] = []
  private var texts = ItemTexts()
  private var fingerprints: [Fingerprint] = []
  var frames: [ListFrame?] = []
  private(set) var budget: MappingBudget
  let source: MappingPlan.SourcePlan
  let plan: MappingPlan
  let previous: CachedSource?
  private let content: SourceContent
  /// Of what expressions see of whole responses.
  private let seenResponses: Fingerprint
  /// Places in the cache whose looked-up items have changed.
  private let stale: Set<Int>
  private let lookups: Lookups
  private var mapping: ItemMapping
  private(set) var scope: Scope
  /// Where the next item stood the last time, if nothing moved.
  private(set) var expected = 0

  /// - Parameters:
  ///   - scope: With the source's responses, where expressions read them.
  ///   - budget: What the mapping may still take.
  init(
    source: MappingPlan.SourcePlan,
    plan: MappingPlan,
    content: SourceContent,
    previous: CachedSource?,
    lookups: Lookups,
    scope: Scope,
    budget: MappingBudget
  ) {
    (self.source, self.plan, self.content, self.scope, self.budget) = (source, plan, content, scope, budget)
    self.lookups = lookups
    mapping = ItemMapping(plan: plan)
    seenResponses = SourceResponses.fingerprint(of: content.pages, seen: plan.dependencies)
    self.previous = previous?.seenResponses == seenResponses ? previous : nil
    stale = self.previous.map { lookups.stale(in: $0) } ?? []
  }

  mutating func reserveCapacity(_ count: Int) {
    items.reserveCapacity(count)
    texts.reserveCapacity(count)
    fingerprints.reserveCapacity(count)
  }

  /// To be given to the next mapping.
  var cached: CachedSource {
    // The same items in the same places show the same looked-up items.
    let staysSame = previous?.fingerprints == fingerprints
    return CachedSource(
      items: items,
      texts: texts,
      fingerprints: fingerprints,
      seenResponses: seenResponses,
      frames: frames,
      references: staysSame ? previous?.references : nil
    )
  }

  mutating func read() throws(SourceFailure) {
    if let previous, content.items == nil, previous.texts.areParts(of: content.pages) {
      try keep(previous)
    } else if let given = content.items {
      try read(given)
    } else {
      reserveCapacity(previous?.items.count ?? 0)
      for (number, page) in content.pages.enumerated() {
        texts.begin(page)
        budget.charge(page: page)
        do throws(JSONError) {
          if try !compare(page, number: number) { try read(page: page) }
        } catch {
          throw SourceFailure(error, page: number, of: content.pages.count)
        }
        guard !isOverBudget else { throw budget.failure }
      }
    }
    guard !isOverBudget else { throw budget.failure }
  }

  /// What the service owns is bounded where it is added.
  var isOverBudget: Bool { budget.isExceeded && !source.isLocal }

  private mutating func read(_ given: [SourceItem]) throws(SourceFailure) {
    reserveCapacity(given.count)
    for item in given {
      begin(text: item.bytes)
      item.bytes.withUnsafeBytes { bytes in
        if !reuse(bytes, at: bytes.indices, givenID: item.id) {
          _ = mapApart(bytes, at: bytes.indices, givenID: item.id)
        }
      }
      guard !isOverBudget else { throw budget.failure }
    }
  }

  /// The answer is the very one of the last time: what shows another looked-up item is mapped anew, and nothing else
  /// is looked at. O(items), to count what they take; no byte of them is read.
  private mutating func keep(_ previous: CachedSource) throws(SourceFailure) {
    (items, texts, fingerprints, frames) = (previous.items, previous.texts, previous.fingerprints, previous.frames)
    for page in content.pages { budget.charge(page: page) }
    for place in stale {
      texts.withBytes(of: place) { bytes in
        guard let document = try? Document(bytes), let root = try? document.unmanagedRoot() else { return }
        items[place] = mapped(Value(root), at: place, givenID: nil)
        withExtendedLifetime(document) {}
      }
    }
    for item in items { budget.charge(item) }
  }

  // MARK: Items

  /// What is appended from now on are parts of this text.
  mutating func begin(text: [UInt8]) {
    texts.begin(text)
    budget.charge(page: text)
  }

  /// A place to go back to with ``removeAll(after:)``.
  struct Place {
    var count: Int
    var expected: Int
    var budget: MappingBudget
  }

  var place: Place { Place(count: items.count, expected: expected, budget: budget) }

  mutating func removeAll(after place: Place) {
    items.removeLast(items.count - place.count)
    texts.removeLast(texts.count - place.count)
    fingerprints.removeLast(fingerprints.count - place.count)
    (expected, budget) = (place.expected, place.budget)
  }

  func isStale(_ place: Int) -> Bool { !stale.isEmpty && stale.contains(place) }

  /// Takes the item from the cache; false where it is not there. It stands at `range` of the text that was begun.
  @inline(__always)
  mutating func reuse(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, givenID: String?) -> Bool {
    guard let previous, let position = previous.position(of: bytes, givenID: givenID, expected: expected) else {
      return false
    }
    if previous.items[position].index != items.count, plan.dependencies.contains(.index) { return false }
    if isStale(position) { return false }
    take(position, of: previous, at: range)
    return true
  }

  @inline(__always)
  mutating func take(_ position: Int, of previous: CachedSource, at range: Range<Int>) {
    expected = position + 1
    let item = previous.items[position]
    budget.charge(item)
    items.append(item)
    texts.append(range)
    fingerprints.append(previous.fingerprints[position])
  }

  /// False where the item is not JSON; it is skipped then.
  mutating func mapApart(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, givenID: String?) -> Bool {
    do throws(JSONError) {
      let document = try Document(bytes)
      append(bytes, at: range, Value(try document.unmanagedRoot()), givenID: givenID)
      return withExtendedLifetime(document) { true }
    } catch {
      appendMalformed(bytes, at: range, error, givenID: givenID)
      return false
    }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, _ value: Value, givenID: String?) {
    append(bytes, at: range, mapped(value, at: items.count, givenID: givenID))
  }

  private mutating func mapped(_ value: Value, at index: Int, givenID: String?) -> MappedItem {
    scope.item = value
    scope.index = index
    mapping.begin()
    let keys = lookups.plans.isEmpty ? [] : lookups.look(into: &scope) { mapping.warn($0) }
    let outcome = mapping.outcome(in: scope, source: source.name, givenID: givenID)
    return MappedItem(
      source: source.name,
      givenID: givenID,
      index: index,
      outcome: outcome,
      lookupKeys: keys,
      warning: mapping.warning
    )
  }

  mutating func appendMalformed(
    _ bytes: UnsafeRawBufferPointer,
    at range: Range<Int>,
    _ error: JSONError,
    givenID: String?
  ) {
    let skip = MappedItem.Skip(id: givenID, reason: "the item is not JSON: \(error)")
    append(
      bytes,
      at: range,
      MappedItem(source: source.name, givenID: givenID, index: items.count, outcome: .skipped(skip))
    )
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer, at range: Range<Int>, _ item: MappedItem) {
    // A changed item stands where its older self stood: the next one is expected behind it.
    expected += 1
    budget.charge(item)
    items.append(item)
    texts.append(range)
    fingerprints.append(CachedSource.fingerprint(of: bytes, givenID: item.givenID))
  }
}
