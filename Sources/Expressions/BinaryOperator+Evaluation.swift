import JSON

extension BinaryOperator {
  func apply(_ left: Value, _ right: Value, _ budget: Budget?) throws(EvaluationError) -> Value {
    switch self {
    case .add: try Arithmetic.sum(left, right, budget)
    case .subtract, .multiply, .divide, .remainder: try Arithmetic.apply(self, left, right)
    case .equal: .bool(try areEqual(left, right, budget))
    case .notEqual: .bool(try !areEqual(left, right, budget))
    case .less: .bool(try compare(left, right, budget) { $0 == .before })
    case .lessOrEqual: .bool(try compare(left, right, budget) { $0 != .after })
    case .greater: .bool(try compare(left, right, budget) { $0 == .after })
    case .greaterOrEqual: .bool(try compare(left, right, budget) { $0 != .before })
    case .isIn: .bool(try Containment.contains(left, in: right, budget))
    }
  }

  private func areEqual(_ left: Value, _ right: Value, _ budget: Budget?) throws(EvaluationError) -> Bool {
    let areEqual = Comparison(budget).areEqual(left, right)
    try budget?.check()
    return areEqual
  }

  /// False where one side is null: what is missing is neither more nor less.
  private func compare(
    _ left: Value,
    _ right: Value,
    _ budget: Budget?,
    _ holds: (Value.Order) -> Bool
  ) throws(EvaluationError) -> Bool {
    if left.isNull || right.isNull { return false }
    let (leftNumber, rightNumber) = (left.countedAsNumber, right.countedAsNumber)
    // Two texts of which one is no number are compared as texts.
    let areNumbers = leftNumber.kind == .number && rightNumber.kind == .number
    let (left, right) = areNumbers ? (leftNumber, rightNumber) : (left, right)
    let (leftKind, rightKind) = (left.kind, right.kind)
    guard leftKind == rightKind, leftKind == .number || leftKind == .string else {
      throw EvaluationError(
        "`\(rawValue)` compares two numbers or two strings, not \(leftKind.phrase) with \(rightKind.phrase)"
      )
    }
    let order = Comparison(budget).order(left, right)
    try budget?.check()
    return holds(order)
  }
}
