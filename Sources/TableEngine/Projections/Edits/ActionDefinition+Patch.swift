import Definitions
import Expressions
import JSON
import TableEncoding
import TableMapping
import TableModel

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
