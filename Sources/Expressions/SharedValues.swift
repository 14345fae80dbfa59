/// A cache of values that expressions found in a source's responses, for all of its items: `id in $response.ids` looks
/// for each item in one set, however long the list is.
///
/// A node that reads nothing of an item (``SharedNode``) is evaluated once, within a budget of its own, and each item
/// is charged the same for it, the first or not. A mapper has one cache for a source, on one thread: values are views
/// on the source's responses.
public final class SharedValues {
  private var known: [ObjectIdentifier: Known] = [:]

  public init() {}

  private struct Known {
    var value: Result<Value, EvaluationError>
    /// The set of its elements, made when one is first looked for.
    var elements: Set<Value>?
  }

  /// The value of a node, which is the same for all items.
  func value(of node: SharedNode, in scope: Scope) throws(EvaluationError) -> Value {
    try known(node, scope).value.get()
  }

  /// Returns whether a list has an element. Expected O(element) once the set is made; nil where the node's value is no
  /// list.
  func contains(_ element: Value, in node: SharedNode, _ scope: Scope) throws(EvaluationError) -> Bool? {
    var found = known(node, scope)
    guard case .array = try found.value.get().kind else { return nil }
    guard let elements = found.elements else {
      let list = try found.value.get()
      // Room for what is alike: a set of the process's own memory, and linear in the response.
      let elements = Set(list.elements ?? [])
      found.elements = elements
      known[ObjectIdentifier(node)] = found
      return elements.contains(element)
    }
    return elements.contains(element)
  }

  private func known(_ node: SharedNode, _ scope: Scope) -> Known {
    if let known = known[ObjectIdentifier(node)] { return known }
    var scope = scope
    scope.budget = Budget(Cost.shared)
    let value: Result<Value, EvaluationError>
    do throws(EvaluationError) {
      value = .success(try node.node.evaluate(in: scope))
    } catch {
      value = .failure(error)
    }
    let known = Known(value: value)
    self.known[ObjectIdentifier(node)] = known
    return known
  }
}

/// A part of an expression that reads nothing of an item, but of the responses: it has one value for all of a source's items.
final class SharedNode: Sendable {
  let node: Node

  init(_ node: Node) { self.node = node }
}
