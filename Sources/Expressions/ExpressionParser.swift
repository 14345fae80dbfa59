import JSON

/// Compiles tokens by recursive descent. From loose to tight:
/// `? :`, `||`, `&&`, comparisons and `in`, filters, `??`, `+ -`, `* / %`, `! -`, members.
///
/// A filter takes the whole sum to its left, and its result can go on as an operand: `a ?? b | upper` filters both,
/// `tags | length > 0` compares a length.
struct ExpressionParser {
  var tokens: [Token]
  var position = 0
  /// Roots beside the language's own.
  let lookups: Set<String>
  private var depth = 0
  private var operators = 0

  init(_ text: String, lookups: Set<String> = []) throws(ExpressionError) {
    tokens = try Lexer.tokens(of: text)
    self.lookups = lookups
  }

  var token: Token { tokens[position] }

  func isNext(_ symbol: String) -> Bool { token.kind == .symbol(symbol) }

  mutating func take(_ symbol: String) -> Bool {
    guard isNext(symbol) else { return false }
    position += 1
    return true
  }

  mutating func parseWhole() throws(ExpressionError) -> Node {
    if token.kind == .end { throw ExpressionError("the expression is empty", offset: 0) }
    let node = try parseExpression()
    guard token.kind == .end else { throw unexpected() }
    return node
  }

  mutating func parseExpression() throws(ExpressionError) -> Node {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Expression.maximumDepth else {
      throw ExpressionError("nested deeper than \(Expression.maximumDepth)", offset: token.offset)
    }
    let condition = try parseOr()
    guard take("?") else { return condition }
    let yes = try parseExpression()
    guard take(":") else {
      throw ExpressionError("`:` is expected: a choice is condition ? this : that", offset: token.offset)
    }
    return .conditional(condition, yes, try parseExpression())
  }

  /// Counts an operator: chains are trees that lean to the left, and evaluating them takes stack too.
  mutating func countOperator(at offset: Int) throws(ExpressionError) {
    operators += 1
    guard operators <= Expression.maximumOperators else {
      throw ExpressionError("more than \(Expression.maximumOperators) operators", offset: offset)
    }
  }

  private mutating func chain(
    _ operand: (inout ExpressionParser) throws(ExpressionError) -> Node,
    _ join: (inout ExpressionParser, Node) throws(ExpressionError) -> Node?
  ) throws(ExpressionError) -> Node {
    var node = try operand(&self)
    while true {
      let offset = token.offset
      guard let next = try join(&self, node) else { return node }
      try countOperator(at: offset)
      node = next
    }
  }

  private mutating func parseOr() throws(ExpressionError) -> Node {
    try chain { (parser) throws(ExpressionError) in
      try parser.parseAnd()
    } _: { (parser, left) throws(ExpressionError) in
      parser.take("||") ? .or(left, try parser.parseAnd()) : nil
    }
  }

  private mutating func parseAnd() throws(ExpressionError) -> Node {
    try chain { (parser) throws(ExpressionError) in
      try parser.parseComparison()
    } _: { (parser, left) throws(ExpressionError) in
      parser.take("&&") ? .and(left, try parser.parseComparison()) : nil
    }
  }

  private mutating func takeComparison() -> BinaryOperator? {
    let found: BinaryOperator? =
      switch token.kind {
      case .symbol(let symbol):
        ["==", "!=", "<", "<=", ">", ">="].contains(symbol) ? BinaryOperator(rawValue: symbol) : nil
      case .name("in"): .isIn
      default: nil
      }
    if found != nil { position += 1 }
    return found
  }

  private mutating func parseComparison() throws(ExpressionError) -> Node {
    let left = try parseFiltered()
    guard let operation = takeComparison() else { return left }
    let right = try parseFiltered()
    let offset = token.offset
    if takeComparison() != nil {
      throw ExpressionError("comparisons don't chain; write a < b && b < c", offset: offset)
    }
    return .binary(operation, left, right)
  }

  private mutating func parseFiltered() throws(ExpressionError) -> Node {
    try chain { (parser) throws(ExpressionError) in
      try parser.parseOperand(nil)
    } _: { (parser, input) throws(ExpressionError) in
      guard parser.take("|") else { return nil }
      // A filtered value may go on as the first operand of `??`, `+`, `*` …
      return try parser.parseOperand(parser.parseFilter(of: input))
    }
  }

  private mutating func parseOperand(_ first: Node?) throws(ExpressionError) -> Node {
    let left = try parseSum(first)
    guard take("??") else { return left }
    depth += 1
    defer { depth -= 1 }
    guard depth <= Expression.maximumDepth else {
      throw ExpressionError("nested deeper than \(Expression.maximumDepth)", offset: token.offset)
    }
    return .coalesce(left, try parseOperand(nil))
  }

  private mutating func parseSum(_ first: Node?) throws(ExpressionError) -> Node {
    try chain { (parser) throws(ExpressionError) in
      try parser.parseProduct(first)
    } _: { (parser, left) throws(ExpressionError) in
      if parser.take("+") { return .binary(.add, left, try parser.parseProduct(nil)) }
      if parser.take("-") { return .binary(.subtract, left, try parser.parseProduct(nil)) }
      return nil
    }
  }

  private mutating func parseProduct(_ first: Node?) throws(ExpressionError) -> Node {
    try chain { (parser) throws(ExpressionError) in
      if let first { return first }
      return try parser.parseUnary()
    } _: { (parser, left) throws(ExpressionError) in
      for operation in [BinaryOperator.multiply, .divide, .remainder] where parser.take(operation.rawValue) {
        return .binary(operation, left, try parser.parseUnary())
      }
      return nil
    }
  }

  private mutating func parseUnary() throws(ExpressionError) -> Node {
    guard isNext("!") || isNext("-") else { return try parsePostfix() }
    depth += 1
    defer { depth -= 1 }
    guard depth <= Expression.maximumDepth else {
      throw ExpressionError("nested deeper than \(Expression.maximumDepth)", offset: token.offset)
    }
    if take("!") { return .not(try parseUnary()) }
    position += 1
    switch try parseUnary() {
    case .literal(.integer(let value)) where value != .min: return .literal(.integer(-value))
    case .literal(.unsigned(let value)):
      return .literal(value == Int64.min.magnitude ? .integer(.min) : .double(-Double(value)))
    // Zero has no sign.
    case .literal(.double(let value)): return .literal(.double(0.0 - value))
    case let operand: return .negative(operand)
    }
  }

  func unexpected(_ expectation: String? = nil) -> ExpressionError {
    let hint: String
    switch token.kind {
    case .symbol(")"): hint = "`)` closes nothing"
    case .symbol("]"): hint = "`]` closes nothing"
    case .name("and"): hint = "“and” is written &&"
    case .name("or"): hint = "“or” is written ||"
    case .name("not"): hint = "“not” is written !"
    case .end: hint = "the expression ends too early"
    default: hint = "\(token.phrase) is unexpected here"
    }
    return ExpressionError(
      expectation.map { "\(hint): \($0) is expected" } ?? hint,
      offset: token.offset
    )
  }
}
