public import JSON

/// A compiled expression: `state == 'open' && !draft`. Compiled once, evaluated for every item.
///
/// See docs/expressions.md for the language.
public struct Expression: Sendable, CustomStringConvertible {
  /// Everything behind one reference, so that a copy costs little.
  private let program: Program

  var root: Node { program.root }

  private final class Program: Sendable {
    let text: String
    let dependencies: Dependencies
    let root: Node
    /// The path, where the whole expression is one: the fast way.
    let path: CompiledPath?
    let lookups: Set<String>
    /// The node that is evaluated: the root, with values that are found once for many items or elements.
    let prepared: Node

    init(text: String, root: Node) {
      (self.text, self.root, dependencies) = (text, root, root.dependencies)
      lookups = root.lookups
      prepared = root.prepared()
      if case .path(let path) = root { self.path = CompiledPath(path) } else { path = nil }
    }
  }

  /// At most so many bytes of text.
  public static let maximumLength = 8 << 10
  /// Operators, parentheses and filters in each other.
  public static let maximumDepth = 64
  /// Operators, filters and steps of paths, all together.
  public static let maximumOperators = 256

  /// Compiles a text.
  ///
  /// - Parameter lookups: names that are roots beside the language's own: `user` makes `$user` one.
  public init(_ text: String, lookups: Set<String> = []) throws(ExpressionError) {
    var parser = try ExpressionParser(text, lookups: lookups)
    program = Program(text: text, root: try parser.parseWhole())
  }

  /// A part of another one, under a text that tells it from other parts.
  init(text: String, _ node: Node) { program = Program(text: text, root: node) }

  /// The path, where the whole expression is one.
  var path: CompiledPath? { program.path }

  /// As it was written.
  public var text: String { program.text }

  /// The roots that the value depends on.
  public var dependencies: Dependencies { program.dependencies }

  /// The lookups whose items it reads.
  public var lookups: Set<String> { program.lookups }

  /// The members of the item in scope that it reads, `$item` where it is the item itself: not those of the elements
  /// that a filter such as `map` visits.
  public var itemMembers: [String] { root.itemMembers }

  /// All that it may read of the item in scope, that which is in scope for the elements of a list included.
  public var itemSelection: MemberSelection { root.itemSelection }

  /// `array` where the value is a list, whatever is in scope: what is written as one, and what `split`, `map` and the
  /// like make. Nil where only the scope tells.
  public var listKind: Value.Kind? {
    switch root {
    case .list: .array
    case .filter(let filter, _, _):
      ["split", "map", "where", "sort", "unique", "keys", "values", "entries"].contains(filter.name) ? .array : nil
    default: nil
    }
  }

  /// The value for what is in the scope. Views in it live as long as the scope's documents.
  public func evaluate(in scope: Scope) throws(EvaluationError) -> Value {
    do throws(EvaluationError) {
      if let path = program.path { return try path.value(in: scope) }
      if scope.budget != nil { return try program.prepared.evaluate(in: scope) }
      return try program.prepared.evaluate(in: scope.budgeted())
    } catch {
      throw dependencies.contains(.environment) ? error.withoutValue : error
    }
  }

  /// The error of a value that does not fit where the expression stands: it shows the value, unless that may be one of
  /// the environment.
  public func misfit(_ expected: String, _ value: Value) -> EvaluationError {
    EvaluationError(dependencies.contains(.environment) ? expected : "\(expected), not \(value.json)")
  }

  /// Returns whether the value counts as true: everything but null, false, 0 and the empty string.
  public func isTrue(in scope: Scope) throws(EvaluationError) -> Bool {
    try evaluate(in: scope).isTruthy
  }

  /// The path, where the expression is nothing but a path into the item or the response: `$response`, `data.members`.
  /// In `items` both mean the response.
  public var documentPath: JSONPath? { program.path?.path.documentPath }

  public var description: String { text }
}

extension Expression: Equatable {
  /// Written the same.
  public static func == (first: Expression, second: Expression) -> Bool { first.text == second.text }
}
