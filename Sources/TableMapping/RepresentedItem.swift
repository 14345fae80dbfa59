public import TableModel

/// The represented object of a row; of a local source also one that has no row.
public struct RepresentedItem: Sendable {
  private let text: Text
  public let source: String
  /// The identity that the service gave it, for an item of a local table.
  public let givenID: String?
  /// Whether it has a row, be it out of sight.
  public let hasRow: Bool
  /// What may be done with it.
  public let permissions: Permissions

  private enum Text: Sendable {
    case part(of: ItemTexts, at: Int)
    case own([UInt8])
    case replaced([UInt8], at: Int)
  }

  init(_ item: MappedItem, of source: String, at position: Int, in texts: ItemTexts) {
    self.init(item, source, .part(of: texts, at: position))
  }

  init(_ item: LaidItem, of source: String) { self.init(item.mapped, source, .own(item.bytes)) }

  init(_ item: ReplacedItem, of source: String, at position: Int) {
    self.init(item.item, source, .replaced(item.bytes, at: position))
  }

  private init(_ item: MappedItem, _ source: String, _ text: Text) {
    self.text = text
    (self.source, givenID) = (source, item.givenID)
    (hasRow, permissions) = (item.row != nil, item.permissions)
  }

  /// Its place among the source's items; nil for one that the service owns, which is found by its identity.
  public var position: Int? {
    switch text {
    case .part(_, let position), .replaced(_, let position): position
    case .own: nil
    }
  }

  /// As the source gave it. O(bytes): a copy.
  public var bytes: [UInt8] {
    switch text {
    case .part(let texts, let position): texts.bytes(of: position)
    case .own(let bytes), .replaced(let bytes, _): bytes
    }
  }
}
