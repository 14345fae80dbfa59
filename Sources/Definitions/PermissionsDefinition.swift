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
    /// What holds where the configuration says nothing: as table views do, a row can be edited and moved if there
    /// is somebody to take the edit: the service's own items, or an upstream by the table's `edits`.
    case whereEditable
  }
}
