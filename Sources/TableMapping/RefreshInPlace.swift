internal import Expressions
internal import JSON
internal import TableModel

/// A refresh that changes some items where they stand, and nothing else: most of what upstreams answer.
///
/// The rows of these items take the places of those that they had, and all else is the last mapping's, what is looked up
/// included: neither are identities claimed again nor sections made anew. What comes of it is what a whole mapping would
/// make.
///
/// - Complexity: O(items) to see what has changed, without a reference counted; besides O(changes · log² rows).
struct RefreshInPlace {
  private let previous: CachedSource
  private let layout: SettledLayout
  private let list: ListedText
  private var items: MappedItems
  /// By section, in ascending places.
  private var rows: [Int: [PlacedRow]] = [:]
  /// The growth of the items' memory, and of their work.
  private var growth = (cost: 0, work: 0)

  /// - Parameter list: the answer's, compared with that of `previous`.
  /// - Returns: nil where an item came, went or moved.
  init?(_ list: ListedText, after previous: CachedSource, on layout: SettledLayout) {
    guard previous.lists.count == 1, let before = previous.lists[0]?.text, list.follows(before),
      list.elements.count == previous.items.count, list.elements.count == before.elements.count,
      list.elements.indices.allSatisfy({ list.origin(of: $0) ?? $0 == $0 })
    else { return nil }
    (self.previous, self.layout, self.list) = (previous, layout, list)
    items = previous.items
  }

  /// Maps what has changed; false where one of the rows has to be laid out anew.
  mutating func map(with mapper: ItemMapper) -> Bool {
    var mapper = mapper
    let reader = mapper.reader(of: list)
    /// By section, how far its rows stand from their items: as far as those before them.
    var shifts: [Int: Int] = [:]
    for position in list.elements.indices where list.origin(of: position) == nil {
      let (old, new) = (items[position], mapper.item(at: position, position, of: reader))
      guard let row = new.row, new.takesThePlace(of: old), let section = layout.section(of: old),
        let place = layout.place(ofRowAt: position, in: section, near: position - shifts[section, default: 0])
      else { return false }
      shifts[section] = position - place
      growth.cost += new.cost - old.cost
      growth.work += new.work - old.work
      items.replace(at: position, with: new)
      rows[section, default: []].append(PlacedRow(place: place, row: row, position: position))
    }
    // Sorted, rows stand in another order than their items.
    for section in rows.keys { rows[section]?.sort { $0.place < $1.place } }
    return true
  }

  /// Returns the state for the next mapping.
  func cached(_ references: LookupReferences?) -> CachedSource {
    var texts = ItemTexts()
    texts.reserveCapacity(items.count)
    texts.begin(list.bytes)
    for element in list.elements { texts.append(element.range) }
    return CachedSource(
      items: items,
      texts: texts,
      seenResponses: previous.seenResponses,
      lists: [CachedSource.CachedList(text: list, start: 0)],
      pageEnds: [items.count],
      references: references
    )
  }

  /// As it is laid out now; nil where a row can't be found.
  var settled: SettledLayout? { layout.replacing(rows, items, growth: growth) }
}

extension MappedItem {
  /// Returns whether its row stands where another item's did, and both items are otherwise alike.
  func takesThePlace(of other: MappedItem) -> Bool {
    guard let row, let otherRow = other.row, row.id.isExactly(otherRow.id), section == other.section else {
      return false
    }
    switch (details, other.details) {
    case (nil, nil): return true
    case (let one?, let other?): return one.placesOnly && other.placesOnly && one.places(as: other)
    default: return false
    }
  }
}

extension MappedItem.Details {
  /// It says where one row stands, and nothing else.
  fileprivate var placesOnly: Bool { others.isEmpty && skip == nil && address == nil && warning == nil }

  /// Returns whether both say the same of the item's place.
  fileprivate func places(as other: MappedItem.Details) -> Bool {
    let isSameGroup =
      switch (group, other.group) {
      case (nil, nil): true
      case (let one?, let other?): one.id.isExactly(other.id) && one.key.isExactly(other.key)
      default: false
      }
    return isSameGroup && sortKeys.count == other.sortKeys.count
      && zip(sortKeys, other.sortKeys).allSatisfy { $0.isExactly($1) }
  }
}
