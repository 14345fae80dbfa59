public import Expressions

/// What a swipe or a context menu offers for a row: what `tables.NAME.actions.ID` declares.
public struct ActionDefinition: Sendable {
  public var id: String
  /// Sees the item, as payloads do.
  public var title: Template
  public var style: Style
  /// Whether a row offers it; nil: every row does.
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
