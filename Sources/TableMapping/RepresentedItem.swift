/// The represented object of a row.
public struct RepresentedItem: Sendable {
  private let texts: ItemTexts
  private let position: Int
  public let source: String
  /// The identity that the service gave it, for an item of a local table.
  public let givenID: String?

  init(_ item: MappedItem, at position: Int, in texts: ItemTexts) {
    (self.texts, self.position) = (texts, position)
    (source, givenID) = (item.source, item.givenID)
  }

  /// As the source gave it. O(bytes): a copy.
  public var bytes: [UInt8] { texts.bytes(of: position) }
}
