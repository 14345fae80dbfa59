public import Expressions

/// An entry of a row's swipe or context menu: what `tables.NAME.actions.ID` declares.
public struct ActionDefinition: Sendable {
  public var id: String
  /// Sees the item, as payloads do.
  public var title: Template
  public var style: Style
  /// The condition under which a row offers the action; nil: every row does.
  public var condition: Expression?
  public var effect: Effect

  public init(id: String, title: Template, style: Style = .normal, condition: Expression? = nil, effect: Effect) {
    (self.id, self.title, self.style) = (id, title, style)
    (self.condition, self.effect) = (condition, effect)
  }

  /// How clients show it: `UIContextualAction.Style`.
  public enum Style: String, Sendable, CaseIterable { case normal, destructive }

  public enum Effect: Sendable {
    /// Is sent to the upstream, as an edit is.
    case request(EditRequestDefinition)
    /// A merge patch (RFC 7396) of an item that the service owns. Sees the item, `$id`, `$edit` and `$params`.
    case patch(Template)
  }
}
