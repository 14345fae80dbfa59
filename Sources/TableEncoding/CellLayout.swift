/// How a cell's model is written, compiled from its declaration: what is the same in every row is encoded once.
public final class CellLayout: Sendable {
  public let identifier: String
  /// In the order of the declaration.
  let fields: [EncodedField]
  /// The index of the field that a tap toggles.
  let expansion: Int?
  /// `"cellIdentifier":"…","payload":{`
  let opening: [UInt8]
  /// The fields' names, each `"name":`, one behind the other.
  let names: [UInt8]

  /// A field, and where its value stands among the values that rows of this layout are made from.
  public struct Field: Sendable {
    public let name: String
    public let slot: Int

    public init(name: String, slot: Int) { (self.name, self.slot) = (name, slot) }
  }

  /// Without references: a row's fields are written without counting any.
  struct EncodedField: Sendable {
    let slot: Int
    /// The range of the name in `names`.
    let name: Range<Int>
  }

  /// - Parameter expands: the name of the field that a tap toggles.
  public init(identifier: String, fields: [Field], expands: String? = nil) {
    self.identifier = identifier
    var names: [UInt8] = []
    self.fields = fields.map { field in
      let start = names.count
      names += JSONText.encoded(field.name) + [UInt8(ascii: ":")]
      return EncodedField(slot: field.slot, name: start..<names.count)
    }
    self.names = names
    expansion = expands.flatMap { name in fields.firstIndex { $0.name == name } }
    opening = Array("\"cellIdentifier\":".utf8) + JSONText.encoded(identifier) + Array(",\"payload\":{".utf8)
  }

  /// Calls the body with the fields in their order, their encoded names (colon included), and whether a tap toggles it.
  @inline(__always)
  func withFields(_ body: (EncodedField, UnsafeBufferPointer<UInt8>, Bool) -> Void) {
    names.withUnsafeBufferPointer { names in
      for index in fields.indices {
        body(fields[index], UnsafeBufferPointer(rebasing: names[fields[index].name]), index == expansion)
      }
    }
  }

  /// A field's name, encoded: quotes and colon included.
  public func encodedName(at index: Int) -> [UInt8] { Array(names[fields[index].name]) }

  /// The index of the field that a tap toggles.
  public var expandingField: Int? { expansion }
}
