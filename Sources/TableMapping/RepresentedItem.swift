public import TableModel

/// The represented object of a row; of a local source also one that has no row.
public struct RepresentedItem: Sendable {
  private let text: LayoutItem.Text
  public let source: String
  /// The identity that the service gave it, for an item of a local table.
  public let givenID: String?
  /// True if it has a row, even one out of sight.
  public let hasRow: Bool
  /// The edits that are allowed.
  public let permissions: Permissions

  /// Its place among the source's items, or where they were edited the number by which it goes on to be edited
  /// (``ListEdits``); nil for one that the service owns, which is found by its identity.
  public let position: Int?

  init(_ item: MappedItem, of source: String, at position: Int, in texts: ItemTexts) {
    self.init(LayoutItem(item, 0, .part(of: texts, at: position)), of: source, at: position)
  }

  init(_ item: LayoutItem, of source: String, at position: Int?) {
    (text, self.source, self.position) = (item.text, source, position)
    (givenID, hasRow, permissions) = (item.mapped.givenID, item.mapped.row != nil, item.mapped.permissions)
  }

  /// As the source gave it. O(bytes): a copy.
  public var bytes: [UInt8] { text.bytes }
}
