import TableFinding
import TableMapping
import TableModel
import TableStore

/// A table's searches: its definition, and the finder that runs them. A value; a new configuration makes a new one.
struct TableFinder: Sendable {
  let offer: FindOffer
  let finder: Finder
  /// As tables without rows have it that were made then.
  private let mark: UInt64?

  /// Nil where the table offers nothing.
  init?(_ mapper: TableMapper, _ variables: MappingVariables, memory: FindMemory) {
    guard let offer = mapper.finding(for: variables) else { return nil }
    (self.offer, mark) = (offer, mapper.offer)
    finder = Finder(offer.schema, mapper.framing(for: variables), memory: memory)
  }

  /// Returns whether a table was made by this definition, and is shown by it.
  func describes(_ table: Table) -> Bool {
    offer.schema.describes(table) ?? table.offer.map { $0 == mark } ?? true
  }

  /// Returns whether rows of a table tell which definition they were made by. O(1).
  func hasRows(_ table: Table) -> Bool { offer.schema.describes(table) != nil }

  /// Returns whether a search names only filters and sorts that exist.
  func offers(_ search: FindSearch) -> Bool {
    let schema = offer.schema
    let knowsSort = search.sort.map { sort in schema.sorts.contains { $0.id.utf8.elementsEqual(sort) } } ?? true
    return knowsSort && (search.words.isEmpty || schema.isSearched)
      && search.choices.allSatisfy { choice in
        schema.filters.contains { $0.utf8.elementsEqual(choice.filter) }
      }
  }
}

/// The finders of a table: the present one, and those of the configurations before, each for the versions that were made then.
/// A client that stands at such a version goes on from what it was shown.
struct TableFinders: Sendable {
  /// Nil where the table offers nothing to be found by.
  private(set) var current: TableFinder?
  /// The newest first.
  private var earlier: [TableFinder] = []

  private static let maximumEarlier = 3

  init(_ current: TableFinder?) { self.current = current }

  mutating func replace(with new: TableFinder?) {
    if let current { earlier.insert(current, at: 0) }
    earlier.removeAll { $0.offer.schema == new?.offer.schema }
    earlier = Array(earlier.prefix(Self.maximumEarlier))
    current = new
  }

  /// The one by which a version's rows were made; nil where that is none of these. O(1).
  func maker(of version: Version) -> TableFinder? {
    for finder in [current].compactMap(\.self) + earlier where finder.describes(version.table) {
      return finder
    }
    return nil
  }

  /// The one that finds in a version; nil where its rows were made to be found by another definition, which none of these has.
  /// O(1).
  func finder(in version: Version) -> TableFinder? {
    if let maker = maker(of: version) { return maker }
    guard let current, !current.hasRows(version.table) else { return nil }
    return current
  }

  /// Forgets what was found in versions before one, and in those of other epochs.
  func retire(before first: Finder.Version) {
    for finder in [current].compactMap(\.self) + earlier { finder.finder.retire(before: first) }
  }

  /// The search with a digest, if somebody has made it.
  func search(_ digest: LensTag.Digest) -> FindSearch? {
    ([current].compactMap(\.self) + earlier).lazy.compactMap { $0.finder.search(digest) }.first
  }
}
