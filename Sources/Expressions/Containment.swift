import JSON

/// `in`, and the filter `contains`: an element in a list, a name in an object, a part in a text.
enum Containment {
  static func contains(
    _ element: Value,
    in container: Value,
    _ budget: Budget?
  ) throws(EvaluationError) -> Bool {
    switch container.kind {
    case .null: return false
    case .array:
      let found = holds(element, container, budget)
      try budget?.check()
      return found
    case .object:
      guard let name = element.string else { return false }
      var scope = Scope()
      scope.budget = budget
      try budget?.charge(name.utf8.count * Cost.byte)
      return try container.member(JSONKey(name), scope) != nil
    case .string:
      if element.isNull { return false }
      guard element.kind == .string else {
        throw EvaluationError("`in` looks for a string in a string, not for \(element.kind.phrase)")
      }
      let bytes = container.byteCount + element.byteCount * 4
      try budget?.charge(bytes * Cost.byte)
      return element.withUTF8 { part in container.withUTF8 { TextReplacement.contains(part, in: $0) } }
    case .boolean, .number:
      throw EvaluationError("`in` looks into an array, an object or a string, not into \(container.kind.phrase)")
    }
  }

  /// Ends early where the budget is exhausted.
  private static func holds(_ element: Value, _ container: Value, _ budget: Budget?) -> Bool {
    let comparison = Comparison(budget)
    if case .json(let view) = container {
      return view.elements.contains { comparison.areEqual(Value($0), element) || comparison.isOver }
    }
    return container.elements?.contains { comparison.areEqual($0, element) || comparison.isOver } ?? false
  }

  /// In what is the same for all items of a source: a list is looked through once for all of them.
  static func isElement(
    _ element: Value,
    of node: SharedNode,
    _ scope: Scope
  ) throws(EvaluationError) -> Value {
    guard let shared = scope.shared else {
      return .bool(try contains(element, in: node.node.evaluate(in: scope), scope.budget))
    }
    try scope.budget?.chargeWhole(element, byte: Cost.byte)
    if let found = try shared.contains(element, in: node, scope) { return .bool(found) }
    return .bool(try contains(element, in: shared.value(of: node, in: scope), scope.budget))
  }
}
