import JSON

extension Node {
  func evaluate(in scope: Scope) throws(EvaluationError) -> Value {
    switch self {
    case .literal(let value): return Value(value)
    case .path(let path): return path.value(in: scope)
    case .member(let base, let key): return try base.evaluate(in: scope)[key] ?? .null
    case .element(let base, let position):
      return try Self.element(of: base.evaluate(in: scope), at: position.evaluate(in: scope))
    case .list(let nodes):
      var elements: [Value] = []
      elements.reserveCapacity(nodes.count)
      for node in nodes { elements.append(try node.evaluate(in: scope)) }
      return .array(elements)
    case .not(let operand): return .bool(!(try operand.evaluate(in: scope).isTruthy))
    case .negative(let operand): return try Arithmetic.negative(of: operand.evaluate(in: scope))
    case .binary(let operation, let left, let right):
      return try operation.apply(left.evaluate(in: scope), right.evaluate(in: scope))
    case .and(let left, let right):
      guard try left.evaluate(in: scope).isTruthy else { return .bool(false) }
      return .bool(try right.evaluate(in: scope).isTruthy)
    case .or(let left, let right):
      if try left.evaluate(in: scope).isTruthy { return .bool(true) }
      return .bool(try right.evaluate(in: scope).isTruthy)
    case .coalesce(let left, let right):
      let value = try left.evaluate(in: scope)
      return value.isNull ? try right.evaluate(in: scope) : value
    case .conditional(let condition, let yes, let no):
      return try (condition.evaluate(in: scope).isTruthy ? yes : no).evaluate(in: scope)
    case .has(let path): return .bool(path.find(in: scope) != nil)
    case .filter(let filter, let input, let arguments):
      return try filter.apply(FilterCall(input: input.evaluate(in: scope), arguments: arguments, scope: scope))
    }
  }

  private static func element(of base: Value, at position: Value) throws(EvaluationError) -> Value {
    if base.isNull || position.isNull { return .null }
    if let index = position.integerValue { return Int(exactly: index).flatMap { base[$0] } ?? .null }
    if let name = position.string { return base[JSONKey(name)] ?? .null }
    throw EvaluationError("[…] takes a position or a name, not \(position.kind.phrase)")
  }
}

extension Value.Kind {
  /// With its article, for messages.
  var phrase: String {
    switch self {
    case .null: "null"
    case .boolean, .number, .string: "a \(rawValue)"
    case .array, .object: "an \(rawValue)"
    }
  }
}
