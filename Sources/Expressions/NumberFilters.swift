import JSON

/// Filters of numbers, and into numbers and booleans.
enum NumberFilters {
  /// A filter from number to number; null stays null. Texts of numbers count as numbers.
  private static func numeric(
    _ signature: String,
    _ summary: String,
    examples: [(String, String)],
    _ transform: @escaping @Sendable (Double) -> Double
  ) -> Filter {
    Filter(signature, summary, examples: examples, reads: .number(writing: 20)) { (call) throws(EvaluationError) in
      let value = try NumberText.value(call, for: signature)
      guard !value.isExactInteger, let number = value.doubleValue else { return value }
      return NumberText.simplest(transform(number))
    }
  }

  static let all: [Filter] = [
    Filter(
      "number(decimals?, locale?)",
      "Written for people: grouped, with so many decimals (else up to 3).",
      examples: [
        ("1234567 | number", "\"1,234,567\""), ("1234.5 | number(2, 'de')", "\"1.234,50\""),
      ],
      reads: .number(writing: 5_000)
    ) { (call) throws(EvaluationError) in
      let value = try NumberText.value(call, for: "number")
      guard let number = value.doubleValue else { return .null }
      let decimals = try NumberText.decimals(call, 0, for: "number")
      return .string(
        NumberText.decimal(value, number, decimals: decimals, locale: try call.locale(1, of: "number") ?? "en")
      )
    },
    Filter(
      "currency(code, locale?)",
      "An amount of money.",
      examples: [("1234.5 | currency('USD')", "\"$1,234.50\""), ("3 | currency('EUR', 'de')", "\"3,00\u{A0}€\"")],
      reads: .number(writing: 5_000)
    ) { (call) throws(EvaluationError) in
      let value = try NumberText.value(call, for: "currency")
      guard let number = value.doubleValue else { return .null }
      let code = try call.text(0, of: "currency") ?? ""
      guard NumberText.isCurrency(code) else {
        throw EvaluationError("currency takes a code of three capitals such as 'EUR', not", showing: code)
      }
      return .string(
        NumberText.currency(value, number, code: code, locale: try call.locale(1, of: "currency") ?? "en_US")
      )
    },
    Filter(
      "round(decimals?)",
      "The nearest number with so many decimals; halves go away from zero.",
      examples: [("2.5 | round", "3"), ("3.14159 | round(2)", "3.14")],
      reads: .number(writing: 500)
    ) { (call) throws(EvaluationError) in
      let value = try NumberText.value(call, for: "round")
      guard !value.isExactInteger, let number = value.doubleValue else { return value }
      guard let decimals = try NumberText.decimals(call, 0, for: "round"), decimals > 0 else {
        return NumberText.simplest(number.rounded(.toNearestOrAwayFromZero))
      }
      return .number(NumberText.rounded(number, decimals: decimals))
    },
    numeric("floor", "The integer below.", examples: [("2.7 | floor", "2")]) { $0.rounded(.down) },
    numeric("ceil", "The integer above.", examples: [("2.1 | ceil", "3")]) { $0.rounded(.up) },
    Filter("abs", "Without its sign.", examples: [("-3 | abs", "3")], reads: .number(writing: 20)) {
      (call) throws(EvaluationError) in
      guard let number = try call.inputNumber(for: "abs") else { return .null }
      return number < 0 ? try Arithmetic.negative(of: call.input) : call.input.countedAsNumber
    },
    Filter(
      "min(expression?)",
      "The least element, texts of numbers as numbers; null for an empty array.",
      examples: [("[3, 1, 2] | min", "1"), ("labels | min(name)", "\"bug\"")],
      reads: .bytes(1),
      takesElementExpressions: true
    ) { (call) throws(EvaluationError) in try NumberText.extreme(call, "min", .before) },
    Filter(
      "max(expression?)",
      "The greatest element, texts of numbers as numbers; null for an empty array.",
      examples: [("[3, 1, 2] | max", "3"), ("['9.50', '10.25'] | max", "\"10.25\"")],
      reads: .bytes(1),
      takesElementExpressions: true
    ) { (call) throws(EvaluationError) in try NumberText.extreme(call, "max", .after) },
    Filter(
      "sum(expression?)",
      "All numbers added up; nulls are left out.",
      examples: [("[1, 2, 3] | sum", "6"), ("['1.5', 2] | sum", "3.5"), ("labels | sum(name | length)", "5")],
      reads: .bytes(1),
      takesElementExpressions: true
    ) { (call) throws(EvaluationError) in
      guard let elements = try call.inputElements(for: "sum") else { return .null }
      var sum = Value.integer(0)
      for value in call.arguments.isEmpty ? elements : try call.evaluateForEach(elements) where !value.isNull {
        sum = try Arithmetic.apply(.add, sum, value)
      }
      return sum
    },
    Filter(
      "int",
      "As an integer, towards zero: of a number, a text of one, or a boolean.",
      examples: [("'42' | int", "42"), ("-2.9 | int", "-2")],
      reads: .number(writing: 20)
    ) { (call) throws(EvaluationError) in
      if let value = call.input.boolValue { return .integer(value ? 1 : 0) }
      let value = try NumberText.value(call, for: "int")
      guard !value.isExactInteger, let number = value.doubleValue else { return value }
      return NumberText.simplest(number.rounded(.towardZero))
    },
    Filter(
      "float",
      "As a number: of a text of one, or a boolean.",
      examples: [("'2.5' | float", "2.5")],
      reads: .number(writing: 20)
    ) { (call) throws(EvaluationError) in
      if let value = call.input.boolValue { return .integer(value ? 1 : 0) }
      return try NumberText.value(call, for: "float")
    },
    Filter(
      "boolean",
      "As a boolean: the strings false, no, off and 0 are false too.",
      examples: [("'yes' | boolean", "true"), ("'off' | boolean", "false"), ("0 | boolean", "false")],
      reads: .bytes(1)
    ) { (call) throws(EvaluationError) in
      if call.input.isNull { return .null }
      let words = ["false", "no", "off", "0"]
      if let string = call.input.string, string.utf8.count <= 5, words.contains(string.lowercased()) {
        return .bool(false)
      }
      return .bool(call.input.isTruthy)
    },
  ]
}
