internal import Expressions
internal import JSON
internal import TableModel

/// What a mapping leaves for the next one. Immutable; to be given back to the same mapper, any other ignores it.
public final class MappingCache: Sendable {
  let plan: MappingPlan
  let variables: MappingVariables
  let sources: [String: CachedSource]
  /// Of the items that the service owns, where edits of them are laid out one by one.
  let layout: LocalLayout?
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
    layout: LocalLayout? = nil
  ) {
    (self.plan, self.variables, self.sources, self.lookups) = (plan, variables, sources, lookups)
    (self.rows, self.layout) = (rows, layout)
  }
}

/// A source's items in their order, and where to find them by their bytes.
struct CachedSource: Sendable {
  let items: [MappedItem]
  let texts: ItemTexts
  /// Of the items' bytes, and of the identities that they were given.
  let fingerprints: [Fingerprint]
  /// Of what expressions saw of whole responses.
  let seenResponses: Fingerprint
  /// Where they stood, page by page; nil where an expression found or made them.
  let lists: [CachedList?]
  let references: LookupReferences
  private let index: IdentityTable

  init(
    items: [MappedItem],
    texts: ItemTexts,
    fingerprints: [Fingerprint],
    seenResponses: Fingerprint,
    lists: [CachedList?],
    references: LookupReferences?
  ) {
    (self.items, self.texts, self.fingerprints) = (items, texts, fingerprints)
    (self.seenResponses, self.lists) = (seenResponses, lists)
    self.references = references ?? LookupReferences()
    var index = IdentityTable(capacity: fingerprints.count)
    // Of identical items the table keeps the first few: each stands for them all.
    for (position, fingerprint) in fingerprints.enumerated() { index.insert(position, under: fingerprint) }
    self.index = index
  }

  /// The list of a page, and which of the items is its first.
  struct CachedList: Sendable {
    let text: ListedText
    let start: Int
  }

  /// The item with these bytes; the one at `expected` is tried first, as most items stay where they were.
  @inline(__always)
  func position(of bytes: UnsafeRawBufferPointer, givenID: String?, expected: Int) -> Int? {
    if expected < items.count, matches(expected, bytes, givenID) { return expected }
    return index.first(Self.fingerprint(of: bytes, givenID: givenID)) { matches($0, bytes, givenID) }
  }

  @inline(__always)
  static func fingerprint(of bytes: UnsafeRawBufferPointer, givenID: String?) -> Fingerprint {
    let fingerprint = Fingerprint(of: bytes)
    return givenID.map { fingerprint.combined(with: Fingerprint(of: $0)) } ?? fingerprint
  }

  @inline(__always)
  private func matches(_ position: Int, _ bytes: UnsafeRawBufferPointer, _ givenID: String?) -> Bool {
    items[position].givenID == givenID && texts.withBytes(of: position) { RawBytes.equal($0, bytes) }
  }
}
