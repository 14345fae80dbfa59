import Definitions
import Expressions
import JSON
import TableMapping

/// The ownership of items in a table that shows each caller their own: an edit leaves them among the rows of its
/// caller, as far as that depends on the caller. A row may leave a section's other conditions: `done` moves it out of
/// sight.
struct CallersRows: Sendable {
  /// One for each section of the table's own source; nil: it takes everyone's.
  private let conditions: [Expression?]
  private let variables: MappingVariables

  init(_ content: TableContent) {
    variables = content.variables
    switch content.definition.sections {
    case .single(let section): conditions = [section.predicate?.callerCondition]
    case .list(let sections, _):
      let source = content.definition.source
      conditions = sections.filter { $0.source ?? source == source }.map { $0.predicate?.callerCondition }
    case .groups: conditions = [nil]
    }
  }

  /// Returns whether an item belongs to the callers whose member the table is. An item for which that can't be told
  /// does not.
  func hold(for item: [UInt8]) -> Bool {
    guard let value = try? JSONValue(parsing: item) else { return false }
    var scope = Scope(item: Value(value))
    (scope.parameters, scope.environment) = (variables.parameters, variables.environment)
    (scope.locale, scope.caller) = (variables.locale, Value(variables.caller))
    return conditions.contains { condition in
      guard let condition else { return true }
      return (try? condition.isTrue(in: scope)) ?? false
    }
  }
}

extension LocalDefinition {
  /// Returns the members that an item gets that it lacks, where this caller adds it.
  func defaults(for caller: CallerFields) -> JSONValue {
    defaultTemplate.map { JSONValue(caller.value($0)) } ?? defaultItem
  }
}

extension TableBlueprint {
  /// The items that callers edit through members of their own.
  func callersLog(among logs: [ItemLog]) -> ItemLog? {
    callersLocal.flatMap { local in logs.first { $0.source == local.name } }
  }
}
