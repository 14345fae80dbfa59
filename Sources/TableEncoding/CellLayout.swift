/// How a cell's model is written, compiled from its declaration: what is the same in every row is encoded once.
public struct CellLayout: Sendable {
  public let identifier: String
  /// In the order of the declaration.
  let fields: [Field]
  /// Which field a tap toggles.
  let expansion: Int?
  /// `"cellIdentifier":"…","payload":`
  let opening: [UInt8]

  /// A field, and where its value stands among the values that rows of this layout are made from.
  public struct Field: Sendable {
    public let name: String
    public let slot: Int
    /// `"name":`
    let encodedName: [UInt8]

    public init(name: String, slot: Int) {
      (self.name, self.slot) = (name, slot)
      encodedName = JSONText.encoded(name) + [UInt8(ascii: ":")]
    }
  }

  /// - Parameter expands: the name of the field that a tap toggles.
  public init(identifier: String, fields: [Field], expands: String? = nil) {
    self.identifier = identifier
    self.fields = fields
    expansion = expands.flatMap { name in fields.firstIndex { $0.name == name } }
    opening = Array("\"cellIdentifier\":".utf8) + JSONText.encoded(identifier) + Array(",\"payload\":".utf8)
  }
}
