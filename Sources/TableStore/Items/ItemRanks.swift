import HashTreeCollections
import TableModel

/// The ranks of items, by their identities: those that were read from a store in lists, which cost little to make, and what
/// edits have made of them since in a tree, of which a copy shares all.
struct ItemRanks: Sendable {
  private let places: NumberedPlaces
  private let ranks: [Int64]
  /// Nil: the item is gone.
  private var changed: TreeDictionary<ItemID, Int64?> = [:]

  init() { (places, ranks) = (NumberedPlaces(ascending: []), []) }

  /// Each item once. O(n) where they come in the order of their identities, else O(n · log n).
  init(_ items: [StoredItem]) {
    let isAscending = zip(items, items.dropFirst()).allSatisfy { $0.item.id < $1.item.id }
    let items = isAscending ? items : items.sorted { $0.item.id < $1.item.id }
    places = NumberedPlaces(ascending: items.map(\.item.id.rawValue))
    ranks = items.map(\.rank)
  }

  /// Expected O(1) where few identities were given up, else O(log n).
  subscript(id: ItemID) -> Int64? {
    get {
      if let changed = changed[id] { return changed }
      return places.place(of: id.rawValue).map { ranks[$0] }
    }
    set {
      // An item that was never read and is gone leaves no trace.
      if newValue == nil, places.place(of: id.rawValue) == nil {
        changed[id] = .none
      } else {
        changed.updateValue(newValue, forKey: id)
      }
    }
  }
}
