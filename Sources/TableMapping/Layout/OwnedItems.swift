/// The items that the service owns, in their order: a value that tells how it differs from another one.
public protocol OwnedItems: Sendable {
  var count: Int { get }

  /// All of them. O(items).
  var owned: [OwnedItem] { get }

  /// Returns an item's place among all, by its number; nil where it is not there.
  func place(of number: UInt64) -> Int?

  /// Returns the items that came, went, moved or were changed since an earlier value, each once.
  ///
  /// - Returns: nil where they are more than `maximum`, or the earlier value is of another type.
  func changes(since earlier: any OwnedItems, atMost maximum: Int) -> [OwnedItemChange]?
}

/// An item that the service owns.
public struct OwnedItem: Sendable {
  /// The service's name for the item: no other item ever has it.
  public var number: UInt64
  /// The identity that a client has chosen; nil: its number's text is the identity. The same as long as the item is there.
  public var name: String?
  /// The item's rank: it grows along the items.
  public var rank: Int64
  /// A JSON object.
  public var bytes: [UInt8]

  public init(number: UInt64, name: String? = nil, rank: Int64, bytes: [UInt8]) {
    (self.number, self.name, self.rank, self.bytes) = (number, name, rank, bytes)
  }

  /// The clients' name for the item.
  var id: String { name ?? String(number) }
}

/// An item that is another one now, or stands elsewhere.
public struct OwnedItemChange: Sendable {
  public var number: UInt64
  /// Nil: it is there no more.
  public var after: OwnedItem?

  public init(number: UInt64, after: OwnedItem?) { (self.number, self.after) = (number, after) }
}
