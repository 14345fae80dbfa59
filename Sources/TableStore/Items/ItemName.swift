import HashTreeCollections

/// An identity that a client has chosen for an item, told from others by its bytes: two spellings of “é” are two identities,
/// which `String` holds equal.
struct ItemName: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  /// True if a client may not choose the name: the service itself gives numbers.
  var isNumber: Bool { text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }

  static func == (first: ItemName, second: ItemName) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension LocalItems {
  /// The item of an identity, be it a number or a text that a client has chosen; nil where there is none. Expected O(log n).
  public func id(of identity: String) -> ItemID? {
    guard let number = ItemID(identity) else { return named[ItemName(identity)] }
    // The number of an item that has a name is nobody's identity.
    return rankByID[number] == nil || !named.isEmpty && self[number]?.name != nil ? nil : number
  }

  func checkIsFree(_ name: String) throws(EditError) {
    let key = ItemName(name)
    guard !key.isNumber else { throw .unusableName(name) }
    guard named[key] == nil else { throw .taken(name) }
  }
}
