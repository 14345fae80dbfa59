internal import Expressions
public import JSON

/// The variables of a table's expressions beside its items: the difference between one instance of a table and another.
public struct MappingVariables: Equatable, Sendable {
  /// `$params`.
  public var parameters: [String: String]
  /// `env`.
  public var environment: [String: String]
  /// `$locale`, and what filters and sorting use unless told otherwise: a BCP 47 tag.
  public var locale: String?
  /// `$caller`.
  public var caller: JSONValue

  public init(
    parameters: [String: String] = [:],
    environment: [String: String] = [:],
    locale: String? = nil,
    caller: JSONValue = .null
  ) {
    (self.parameters, self.environment, self.locale, self.caller) = (parameters, environment, locale, caller)
  }

  var scope: Scope {
    var scope = Scope()
    scope.parameters = parameters
    scope.environment = environment
    scope.locale = locale
    scope.caller = Value(caller)
    return scope
  }
}
