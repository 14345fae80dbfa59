public import Expressions

/// The item of another source that belongs to a row: `lookups: {user: {source: users, key: id, on: assignee_id}}` makes
/// the user whose `id` is the item's `assignee_id` known to the table's expressions as `$user`.
public struct LookupDefinition: Sendable {
  /// The root of expressions, without its `$`.
  public var name: String
  public var source: String
  /// An expression of the source's items that gives an item's key. The first item with a key has it.
  public var key: Expression
  /// An expression of the table's items that gives the key to look for. Null finds nothing; a list of keys finds the
  /// list of the items that exist, in its order.
  public var on: Expression

  public init(name: String, source: String, key: Expression, on: Expression) {
    (self.name, self.source, self.key, self.on) = (name, source, key, on)
  }
}
