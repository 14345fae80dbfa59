public import Expressions

/// `can`: constants or expressions, per row.
public struct PermissionsDefinition: Sendable {
  public var edit = Rule.whereEditable
  public var move = Rule.whereEditable
  public var select = Rule.constant(true)

  public init() {}

  public enum Rule: Equatable, Sendable {
    case constant(Bool)
    case expression(Expression)
    /// The rule where the configuration says nothing. As in table views, a row can be edited and moved if somebody
    /// takes the edit: the service for its own items, an upstream by the table's `edits`.
    case whereEditable
  }
}
