/// `+ - * / %`. Integers stay integers as long as they fit into 64 bits, else become doubles. Null in, null out.
enum Arithmetic {
  /// A value may have so many bytes of text.
  static let maximumText = 1 << 20

  /// Joins texts where either side is one; null is empty text then.
  static func sum(_ left: Value, _ right: Value, _ budget: Budget?) throws(EvaluationError) -> Value {
    guard left.kind == .string || right.kind == .string else { return try apply(.add, left, right) }
    for side in [left, right] where side.kind == .array || side.kind == .object {
      throw EvaluationError("`+` can't join a string and \(side.kind.phrase); `| json` or `| join` make it text")
    }
    try budget?.charge((left.byteCount + right.byteCount) * Cost.byte)
    var text = left.text ?? ""
    right.append(to: &text)
    return try bounded(text, by: "`+`")
  }

  static func bounded(_ text: String, by operation: String) throws(EvaluationError) -> Value {
    guard text.utf8.count <= maximumText else { throw tooLong(operation) }
    return .string(text)
  }

  static func tooLong(_ operation: String) -> EvaluationError {
    EvaluationError("\(operation) makes a text of more than 1 MB")
  }

  static func apply(_ operation: BinaryOperator, _ left: Value, _ right: Value) throws(EvaluationError) -> Value {
    if left.isNull || right.isNull { return .null }
    let (left, right) = (left.countedAsNumber, right.countedAsNumber)
    guard let leftNumber = left.doubleValue, let rightNumber = right.doubleValue else {
      let kinds = "\(left.kind.phrase) and \(right.kind.phrase)"
      throw EvaluationError("`\(operation.rawValue)` needs two numbers, not \(kinds)")
    }
    if case .integer(let left) = left, case .integer(let right) = right {
      if let result = try applyExactly(operation, left, right) { return .integer(result) }
    } else if let left = left.wideInteger, let right = right.wideInteger {
      if let result = try applyExactly(operation, left, right) {
        if let result = Int64(exactly: result) { return .integer(result) }
        if let result = UInt64(exactly: result) { return .unsigned(result) }
      }
    }
    return try applyRounding(operation, leftNumber, rightNumber)
  }

  static func negative(of value: Value) throws(EvaluationError) -> Value {
    let value = value.countedAsNumber
    switch value {
    case .null: return .null
    case .integer(let value) where value != .min: return .integer(-value)
    case .unsigned(let value) where value == Int64.min.magnitude: return .integer(.min)
    default:
      guard let number = value.doubleValue else {
        throw EvaluationError("`-` needs a number, not \(value.kind.phrase)")
      }
      return .number(unsignedZero(-number))
    }
  }

  /// Nil where the result is no integer, or does not fit.
  private static func applyExactly<Integer: FixedWidthInteger & SignedInteger>(
    _ operation: BinaryOperator,
    _ left: Integer,
    _ right: Integer
  ) throws(EvaluationError) -> Integer? {
    let (result, overflow): (Integer, Bool)
    switch operation {
    case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
    case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
    case .remainder:
      guard right != 0 else { throw EvaluationError("`%` by zero") }
      (result, overflow) = left.remainderReportingOverflow(dividingBy: right)
      // The least integer divided by -1 overflows on the way to 0.
      return overflow ? 0 : result
    case .divide:
      guard right != 0 else { throw EvaluationError("`/` by zero") }
      let (quotient, remainder) = left.dividedReportingOverflow(by: right)
      guard !remainder, quotient &* right == left else { return nil }
      return quotient
    default: (result, overflow) = left.addingReportingOverflow(right)
    }
    return overflow ? nil : result
  }

  private static func applyRounding(
    _ operation: BinaryOperator,
    _ left: Double,
    _ right: Double
  ) throws(EvaluationError) -> Value {
    let result: Double
    switch operation {
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide: result = left / right
    case .remainder: result = left.truncatingRemainder(dividingBy: right)
    default: result = left + right
    }
    if right == 0, operation == .divide || operation == .remainder {
      throw EvaluationError("`\(operation.rawValue)` by zero")
    }
    guard result.isFinite else { throw EvaluationError("`\(operation.rawValue)` gives a number too big") }
    return .number(unsignedZero(result))
  }

  /// Zero has no sign: JSON would show it.
  private static func unsignedZero(_ number: Double) -> Double { number + 0.0 }
}

extension Value {
  /// An integer of either form, so wide that sums are exact; nil for other numbers and kinds.
  fileprivate var wideInteger: Int128? {
    switch self {
    case .integer(let value): Int128(value)
    case .unsigned(let value): Int128(value)
    case .null, .bool, .number, .string, .text, .json, .array, .object: nil
    }
  }
}
