import TableMapping
import TableStore

/// A local source's items, as a mapping takes them.
struct MappedItems: OwnedItems {
  let items: LocalItems

  var count: Int { items.count }
  var owned: [OwnedItem] { items.owned }

  /// O(log n).
  func place(of number: UInt64) -> Int? { items.index(of: ItemID(rawValue: number)) }

  /// O(differences · log n).
  func changes(since earlier: any OwnedItems, atMost maximum: Int) -> [OwnedItemChange]? {
    guard let earlier = earlier as? Self, let differences = items.differences(from: earlier.items, atMost: maximum)
    else {
      return nil
    }
    return differences.map { OwnedItemChange(number: $0.rawValue, after: $1.after.map { OwnedItem($0) }) }
  }
}

extension LocalItems {
  /// O(items).
  var owned: [OwnedItem] { stored.map { OwnedItem($0) } }
}

extension OwnedItem {
  init(_ stored: StoredItem) {
    self.init(number: stored.item.id.rawValue, name: stored.item.name, rank: stored.rank, bytes: stored.item.body)
  }
}
