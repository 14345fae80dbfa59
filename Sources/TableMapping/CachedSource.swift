internal import Expressions
internal import JSON
internal import TableModel

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
