/// An upstream's reasons against one member of the body.
public struct FieldReasons: Hashable, Sendable {
  /// Dotted where the member is inside of others: `address.street`, `lines.0.amount`.
  public var name: String
  /// In the upstream's words; at least one.
  public var reasons: [String]

  public init(name: String, reasons: [String]) { (self.name, self.reasons) = (name, reasons) }
}
