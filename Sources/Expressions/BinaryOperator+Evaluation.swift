import JSON

extension BinaryOperator {
  func apply(_ left: Value, _ right: Value) throws(EvaluationError) -> Value {
    switch self {
    case .add: try Arithmetic.sum(left, right)
    case .subtract, .multiply, .divide, .remainder: try Arithmetic.apply(self, left, right)
    case .equal: .bool(left == right)
    case .notEqual: .bool(left != right)
    case .less: .bool(try compare(left, right) { $0 == .before })
    case .lessOrEqual: .bool(try compare(left, right) { $0 != .after })
    case .greater: .bool(try compare(left, right) { $0 == .after })
    case .greaterOrEqual: .bool(try compare(left, right) { $0 != .before })
    case .isIn: .bool(try contains(left, in: right))
    }
  }

  /// False where one side is null: what is missing is neither more nor less.
  private func compare(
    _ left: Value,
    _ right: Value,
    _ holds: (Value.Order) -> Bool
  ) throws(EvaluationError) -> Bool {
    let (leftKind, rightKind) = (left.kind, right.kind)
    if leftKind == .null || rightKind == .null { return false }
    guard leftKind == rightKind, leftKind == .number || leftKind == .string else {
      throw EvaluationError(
        "`\(rawValue)` compares two numbers or two strings, not \(leftKind.phrase) with \(rightKind.phrase)"
      )
    }
    return holds(left.order(to: right))
  }

  private func contains(_ element: Value, in container: Value) throws(EvaluationError) -> Bool {
    switch container.kind {
    case .null: return false
    case .array:
      if case .json(let view) = container { return view.elements.contains { Value($0) == element } }
      return container.elements?.contains(element) ?? false
    case .object: return element.string.map { container[JSONKey($0)] != nil } ?? false
    case .string:
      if element.isNull { return false }
      guard let part = element.string, let whole = container.string else {
        throw EvaluationError("`in` looks for a string in a string, not for \(element.kind.phrase)")
      }
      return TextReplacement.contains(part, in: whole)
    case .boolean, .number:
      throw EvaluationError("`in` looks into an array, an object or a string, not into \(container.kind.phrase)")
    }
  }
}
