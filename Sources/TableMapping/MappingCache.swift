internal import Expressions
internal import JSON
internal import TableModel

/// The state that a mapping leaves for the next one. Immutable; to be given back to the same mapper, any other ignores
/// it.
public final class MappingCache: Sendable {
  let plan: MappingPlan
  let variables: MappingVariables
  let sources: [String: CachedSource]
  /// The layout of items that the service owns, where edits of them are laid out one by one.
  let layout: ItemLayout?
  /// The layout of an upstream's items, where changes of them can be shown in place.
  let settled: SettledLayout?
  /// The indexes of the table's lookups, in their order.
  let lookups: [LookupIndex?]
  /// By section: so that versions share what they have in common.
  let rows: [String: RowList]

  init(
    plan: MappingPlan,
    variables: MappingVariables,
    sources: [String: CachedSource] = [:],
    lookups: [LookupIndex?],
    rows: [String: RowList] = [:],
    layout: ItemLayout? = nil,
    settled: SettledLayout? = nil
  ) {
    (self.plan, self.variables, self.sources, self.lookups) = (plan, variables, sources, lookups)
    (self.rows, self.layout, self.settled) = (rows, layout, settled)
  }
}

/// A source's items in their order, and where they stand.
struct CachedSource: Sendable {
  let items: MappedItems
  let texts: ItemTexts
  /// The fingerprint of what expressions saw of whole responses.
  let seenResponses: Fingerprint
  /// The items' lists, page by page; nil where an expression found or made the items.
  let lists: [CachedList?]
  /// How many items there are up to the end of each page; none where they came one by one.
  let pageEnds: [Int]
  let references: LookupReferences
  /// The places of items that stand in lists of others.
  let expanded: ExpandedItems?

  init(
    items: MappedItems,
    texts: ItemTexts,
    seenResponses: Fingerprint,
    lists: [CachedList?],
    pageEnds: [Int],
    references: LookupReferences?,
    expanded: ExpandedItems? = nil
  ) {
    (self.items, self.texts) = (items, texts)
    (self.seenResponses, self.lists, self.pageEnds) = (seenResponses, lists, pageEnds)
    self.references = references ?? LookupReferences()
    self.expanded = expanded
  }

  /// The list of a page, and which of the items is its first.
  struct CachedList: Sendable {
    let text: ListedText
    let start: Int
  }

  /// Returns whether an item with these bytes stands at a place.
  @inline(__always)
  func has(_ bytes: UnsafeRawBufferPointer, _ givenID: String?, at place: Int) -> Bool {
    items[place].givenID == givenID && texts.withBytes(of: place) { RawBytes.equal($0, bytes) }
  }
}
