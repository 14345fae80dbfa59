import Definitions
import Expressions
import JSON
import TableEncoding
import TableMapping
import TableModel

extension TableContent {
  /// An action that a row offers, as it is shown.
  ///
  /// - Throws: where there is no such row, or it doesn't offer the action.
  func action(_ id: String, of row: String, in table: Table) throws(TableError) -> ActionDefinition {
    guard let path = table.indexPath(of: row), let shown = table[at: path] else {
      throw missing(row, in: table)
    }
    let offered = shown.actions
    guard offered.contains(id), let action = definition.actions.first(where: { $0.id == id }) else {
      let others = offered.map { "`\($0)`" }.joined(separator: ", ")
      throw .notFound("Row `\(row)` offers no action `\(id)`\(others.isEmpty ? "" : ": it offers \(others)").")
    }
    return action
  }
}

extension ActionDefinition {
  /// Returns the effect of the action on an item that the service owns: a merge patch.
  ///
  /// - Parameter sent: by the caller: `$edit`.
  func patch(of row: String, sent: JSONValue, in content: TableContent) throws(TableError) -> JSONValue {
    guard case .patch(let template) = effect else {
      throw .forbidden("The action `\(id)` is a request to an upstream; the items of this table are the service's own.")
    }
    var scope = Scope(item: Value((content.result?.item(row)?.bytes).flatMap { try? JSONValue(parsing: $0) } ?? .null))
    (scope.id, scope.edit) = (.string(row), Value(sent))
    (scope.parameters, scope.environment) = (content.variables.parameters, content.variables.environment)
    scope.locale = content.variables.locale
    scope.caller = Value(content.variables.caller)
    scope.lookups = try content.lookedUp(template.lookups, for: row).mapValues { Value($0) }
    let patch: JSONValue
    do throws(EvaluationError) {
      patch = JSONValue(try template.evaluate(in: scope))
    } catch {
      throw .unprocessable("The action `\(id)` can't be done to row `\(row)`: \(error).")
    }
    guard case .object = patch else { throw .unprocessable("The action `\(id)` makes no merge patch of row `\(row)`.") }
    return patch
  }
}
