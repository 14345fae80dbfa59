import TableMapping

/// The items of a table that no cell took, or whose identity was taken.
package struct SkippedItems: Sendable {
  package struct Item: Sendable {
    package var source: String
    /// Its place among the source's items, from 0.
    package var index: Int
    /// What its row's identity would be, where that could be told.
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

  package var count: Int
  /// The first of them, as many as a mapping keeps.
  package var first: [Item]
}

extension TableContent {
  /// What the last mapping left out. Nothing where readers may not be shown what it was of.
  var skipped: SkippedItems {
    guard let result, !inputs.values.contains(where: \.isConcealed) else { return SkippedItems(count: 0, first: []) }
    return SkippedItems(count: result.skippedItems, first: result.skipped.map(SkippedItems.Item.init))
  }
}
