import FieldValues
import HashTreeCollections

extension LocalItems {
  /// The item of an identity, be it a number or a text that a client has chosen; nil where there is none. Expected O(log n).
  public func id(of identity: String) -> ItemID? {
    guard let number = ItemID(identity) else { return named[ByteText(identity)] }
    // The number of an item that has a name is nobody's identity.
    return rankByID[number] == nil || !named.isEmpty && self[number]?.name != nil ? nil : number
  }

  func checkIsFree(_ name: String) throws(EditError) {
    // The service itself gives numbers.
    let isNumber = name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !isNumber else { throw .unusableName(name) }
    guard named[ByteText(name)] == nil else { throw .taken(name) }
  }
}
