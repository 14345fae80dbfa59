internal import Expressions
internal import JSON
internal import TableModel

/// What a mapping leaves for the next one. Immutable; to be given back to the same mapper, any other ignores it.
public final class MappingCache: Sendable {
  let plan: MappingPlan
  let variables: MappingVariables
  let sources: [String: CachedSource]
  /// Of the items that the service owns, where edits of them are laid out one by one.
  let layout: ItemLayout?
  /// Of an upstream's items, where changes of them can be shown where they stand.
  let settled: SettledLayout?
  /// Of the table's lookups, in their order.
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
  /// Of what expressions saw of whole responses.
  let seenResponses: Fingerprint
  /// Where they stood, page by page; nil where an expression found or made them.
  let lists: [CachedList?]
  /// How many items there are up to the end of each page; none where they came one by one.
  let pageEnds: [Int]
  let references: LookupReferences
  /// Where the items stand in lists of others.
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

  /// Whether an item with these bytes stands at a place.
  @inline(__always)
  func has(_ bytes: UnsafeRawBufferPointer, _ givenID: String?, at place: Int) -> Bool {
    items[place].givenID == givenID && texts.withBytes(of: place) { RawBytes.equal($0, bytes) }
  }
}
