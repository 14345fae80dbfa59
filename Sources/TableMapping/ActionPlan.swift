internal import Definitions
internal import Expressions
internal import JSON
internal import TableEncoding

/// An action of the table, compiled: what rows say of it.
struct ActionPlan: Sendable {
  let id: String
  let condition: Expression?
  /// It is done to an item that the service owns.
  let isPatch: Bool
  private let title: Template
  private let style: String
  /// The action of a title that is the same for all rows, which then share it.
  private let constant: RowAction?

  init(_ definition: ActionDefinition) {
    isPatch = if case .patch = definition.effect { true } else { false }
    (id, condition, title, style) = (definition.id, definition.condition, definition.title, definition.style.rawValue)
    if case .string(let title)? = definition.title.constant {
      constant = RowAction(id: definition.id, title: title, style: style)
    } else {
      constant = nil
    }
  }

  var dependencies: Dependencies { title.dependencies.union(condition?.dependencies ?? []) }

  /// The members of the item that the plan reads.
  var itemSelection: MemberSelection { title.itemSelection.union(condition?.itemSelection ?? MemberSelection()) }

  /// The action for the item in scope; nil where that does not offer it.
  func action(in scope: Scope) throws(EvaluationError) -> RowAction? {
    if let condition, try !condition.isTrue(in: scope) { return nil }
    if let constant { return constant }
    guard let title = try title.text(in: scope) else { throw EvaluationError("the title is no text") }
    return RowAction(id: id, title: title, style: style)
  }
}
