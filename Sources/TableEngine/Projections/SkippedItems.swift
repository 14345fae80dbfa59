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

    init(_ item: SkippedItem) {
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
