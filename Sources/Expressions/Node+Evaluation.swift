import JSON

extension Node {
  func evaluate(in scope: Scope) throws(EvaluationError) -> Value {
    try scope.charge(Cost.operation)
    switch self {
    case .literal(let value): return Value(value)
    case .path(let path): return try path.charged(in: scope) ?? .null
    case .repeated(let path): return try path.value(in: scope)
    case .member(let base, let key): return try base.evaluate(in: scope).member(key, scope) ?? .null
    case .element(let base, let position):
      return try Self.element(of: base.evaluate(in: scope), at: position.evaluate(in: scope), scope)
    case .list(let nodes):
      var elements: [Value] = []
      elements.reserveCapacity(nodes.count)
      for node in nodes { elements.append(try node.evaluate(in: scope)) }
      return .array(elements)
    case .not(let operand): return .bool(!(try operand.evaluate(in: scope).isTruthy))
    case .negative(let operand): return try Arithmetic.negative(of: operand.evaluate(in: scope))
    case .binary(.isIn, let left, .shared(let container)):
      return try Containment.isElement(left.evaluate(in: scope), of: container, scope)
    case .binary(let operation, let left, let right):
      return try operation.apply(left.evaluate(in: scope), right.evaluate(in: scope), scope.budget)
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
    case .has(let path): return .bool(try path.charged(in: scope) != nil)
    case .hasRepeated(let path): return .bool(try path.find(in: scope) != nil)
    case .filter(let filter, .shared(let container), let arguments) where filter.name == "contains":
      guard let element = arguments.first else { return .bool(false) }
      return try Containment.isElement(element.evaluate(in: scope), of: container, scope)
    case .filter(let filter, let input, let arguments):
      let call = FilterCall(input: try input.evaluate(in: scope), arguments: arguments, scope: scope)
      try call.charge(for: filter)
      return try filter.apply(call)
    case .shared(let node):
      guard let values = scope.shared else { return try node.node.evaluate(in: scope) }
      return try values.value(of: node, in: scope)
    }
  }

  private static func element(of base: Value, at position: Value, _ scope: Scope) throws(EvaluationError) -> Value {
    if base.isNull || position.isNull { return .null }
    if let index = position.integerValue {
      guard let index = Int(exactly: index) else { return .null }
      try scope.charge(base.stepsToElement(at: index))
      return base[index] ?? .null
    }
    if position.kind == .string {
      try scope.charge(position.byteCount * Cost.byte)
      return try base.member(JSONKey(position.string ?? ""), scope) ?? .null
    }
    throw EvaluationError("[…] takes a position or a name, not \(position.kind.phrase)")
  }
}
