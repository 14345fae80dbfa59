/// An item as it is written: with the number that orders it among its table's items.
public struct StoredItem: Sendable {
  public let item: Item
  public let rank: Int64

  public init(item: Item, rank: Int64) {
    self.item = item
    self.rank = rank
  }
}

/// Changes of a table's items by edits, for a store to write.
public struct ItemChanges: Sendable {
  /// Added, changed, or moved.
  public var stored: [StoredItem] = []
  public var deleted: [ItemID] = []
  /// Identities below it have been given out.
  public var nextID: UInt64

  public init(nextID: UInt64) { self.nextID = nextID }

  /// Takes the changes that came after these in. O(changes).
  mutating func merge(_ later: ItemChanges) {
    var again = Set(later.deleted)
    for entry in later.stored { again.insert(entry.item.id) }
    stored.removeAll { again.contains($0.item.id) }
    deleted.removeAll { again.contains($0) }
    stored += later.stored
    deleted += later.deleted
    nextID = Swift.max(nextID, later.nextID)
  }
}
