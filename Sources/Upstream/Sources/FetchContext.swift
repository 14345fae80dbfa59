internal import Expressions
public import JSON

/// The values that make a request one instance's own: its parameters, the caller's forwarded headers and values, and
/// the environment.
public struct FetchContext: Sendable {
  public var parameters: [String: String]
  /// Never shown in errors.
  public var environment: [String: String]
  /// The caller's own, as `forward` names them; they take the place of configured ones of the same name.
  public var forwarded: [TransferField]
  /// `$caller`: what the requests read of who asks.
  public var caller: JSONValue

  public init(
    parameters: [String: String] = [:],
    environment: [String: String] = [:],
    forwarded: [TransferField] = [],
    caller: JSONValue = .null
  ) {
    self.parameters = parameters
    self.environment = environment
    self.forwarded = forwarded
    self.caller = caller
  }
}

extension FetchContext {
  /// What every expression of the source may read: `$params`, `env` and `$caller`. O(caller).
  var scope: Scope {
    var scope = Scope()
    scope.parameters = parameters
    scope.environment = environment
    scope.caller = Value(caller)
    return scope
  }
}
