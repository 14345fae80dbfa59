/// The number that the service gives each local item: counted per table, never given twice. It is what the store and the
/// mapping find an item by; clients see it as the item's identity, unless one of them has chosen another (``Item/name``).
///
/// The counter is kept by the store with the items, so a deleted item's number does not come back after a
/// restart either.
public struct ItemID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Reads decimal digits without a leading zero; nil for anything else.
  public init?(_ text: some StringProtocol) {
    var value: UInt64 = 0
    for byte in text.utf8 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      if isTooLarge || overflows { return nil }
      value = sum
    }
    guard let first = text.utf8.first, first != UInt8(ascii: "0") || text.utf8.count == 1 else { return nil }
    rawValue = value
  }

  public var description: String { String(rawValue) }

  public static func < (first: ItemID, second: ItemID) -> Bool { first.rawValue < second.rawValue }
}

/// A local item: an identity and a JSON object. Immutable: an edit makes another one, so `===` tells that
/// nothing changed but perhaps the place.
public final class Item: Sendable {
  public let id: ItemID
  /// The identity that a client has chosen: at least one character that is no digit, so that no number is the same text.
  /// It stays as long as the item does. Nil: the item is called by its number.
  public let name: String?
  /// A JSON object, UTF-8.
  public let body: [UInt8]

  public init(id: ItemID, name: String? = nil, body: [UInt8]) {
    (self.id, self.name, self.body) = (id, name, body)
  }

  /// The clients' name for the item.
  public var identity: String { name ?? id.description }

  /// The same item with another body.
  func with(_ body: [UInt8]) -> Item { Item(id: id, name: name, body: body) }
}

/// The destination of an added or moved item. For a move, places count after the item has left its own.
public enum Place: Hashable, Sendable {
  case end
  /// 0 … count.
  case index(Int)
  case before(ItemID)
  case after(ItemID)
}

/// Why an edit of local items is impossible. Nothing has changed.
public enum EditError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table has no item with this identity (any more).
  case unknownItem(ItemID)
  /// The item named in `before` or `after` is not there.
  case unknownNeighbor(ItemID)
  /// An item can't be placed before or after itself.
  case besideItself(ItemID)
  /// No such index; `count` is the last possible one.
  case indexOutOfRange(Int, count: Int)
  /// An item is a JSON object; `found` names what was given or what the patch would leave.
  case notAnObject(found: String)
  /// The table holds as many items as it may.
  case tooManyItems(limit: Int)
  /// The item alone is larger than one may be.
  case itemTooLarge(bytes: Int, limit: Int)
  /// With it the table's items would be larger than they may be together.
  case tableTooLarge(bytes: Int, limit: Int)
  /// Every identity was given.
  case exhausted
  /// Another item has this identity.
  case taken(String)
  /// A client can't choose this identity: it is a number, or nothing.
  case unusableName(String)

  /// The error and its remedy, for a person.
  public var description: String {
    switch self {
    case .unknownItem(let id): "there is no item \(id)"
    case .unknownNeighbor(let id): "there is no item \(id) to place this one beside"
    case .besideItself(let id): "item \(id) can't be placed beside itself: name another item"
    case .indexOutOfRange(let index, let count): "there is no place \(index): give one from 0 to \(count)"
    case .notAnObject(let found): "an item is a JSON object, and this is \(found)"
    case .tooManyItems(let limit): "the table holds \(limit) items, which is the most it may: delete some first"
    case .itemTooLarge(let bytes, let limit):
      "the item has \(bytes) bytes, and an item may have \(limit) (limits.itemBytes)"
    case .tableTooLarge(let bytes, let limit):
      "the table's items would have \(bytes) bytes, and they may have \(limit) (limits.tableBytes): delete some first"
    case .exhausted: "the table has given out every identity it has"
    case .taken(let name): "there is an item \(name) already"
    case .unusableName(let name): "an item can't be called “\(name)”: numbers are given by the service alone"
    }
  }
}
