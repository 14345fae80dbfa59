import TableMapping

/// The items of a table without a row: those that no cell took or whose identity was taken, and those that no section
/// takes.
package struct SkippedItems: Sendable {
  package struct Item: Sendable {
    package var source: String
    /// Its place among the source's items, from 0.
    package var index: Int
    /// The identity that its row would have, where that could be told.
    package var id: String?
    package var type: String?
    package var reason: String
    /// The field of the cell's payload that is to blame, where one is.
    package var field: String?

    fileprivate init(_ item: SkippedItem) {
      (source, index, id, type) = (item.source, item.index, item.id, item.type)
      (reason, field) = (item.reason, item.field)
    }
  }

  package var count = 0
  /// The first of them, as many as a mapping keeps.
  package var first: [Item] = []
  /// The number of items that no section takes.
  package var unplacedCount = 0
  /// The first of them, as many.
  package var unplaced: [Item] = []
}

extension TableContent {
  /// Why an item of a source that a section takes has no row; nil where it has one, where none does, and where that can't be told.
  /// O(1) where it has a row, else of the few that are kept.
  func unfitness(of item: [UInt8], from source: String) -> String? {
    guard let result, let id = identity(of: item, from: source), result.item(id)?.hasRow != true else { return nil }
    return result.skipped.first { $0.source == source && $0.id == id }?.reason
  }

  /// The items that the last mapping left out. None where readers may not be shown their origin. O(items).
  var skipped: SkippedItems {
    guard let result, !inputs.values.contains(where: \.isConcealed) else { return SkippedItems() }
    var skipped = SkippedItems(count: result.skippedItems, first: result.skipped.map(SkippedItems.Item.init))
    guard !isOfCallers else {
      // Items that no section takes are others', and their number is not told by a place among all.
      for index in skipped.first.indices { skipped.first[index].index = index }
      return skipped
    }
    let unplaced = result.unplaced()
    (skipped.unplacedCount, skipped.unplaced) = (unplaced.count, unplaced.first.map(SkippedItems.Item.init))
    return skipped
  }
}
