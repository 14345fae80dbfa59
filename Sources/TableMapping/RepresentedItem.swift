public import TableModel

/// The represented object of a row; of a local source also one that has no row.
public struct RepresentedItem: Sendable {
  private let texts: ItemTexts
  /// Its place among the source's items.
  public let position: Int
  public let source: String
  /// The identity that the service gave it, for an item of a local table.
  public let givenID: String?
  /// Whether it has a row, be it out of sight.
  public let hasRow: Bool
  /// What may be done with it.
  public let permissions: Permissions

  init(_ item: MappedItem, at position: Int, in texts: ItemTexts) {
    (self.texts, self.position) = (texts, position)
    (source, givenID) = (item.source, item.givenID)
    (hasRow, permissions) = (item.row != nil, item.permissions)
  }

  /// As the source gave it. O(bytes): a copy.
  public var bytes: [UInt8] { texts.bytes(of: position) }
}
