import FieldValues
import JSON

extension ExpressionParser {
  /// A value and the members taken of it.
  mutating func parsePostfix() throws(ExpressionError) -> Node {
    let misnamed = ExpressionError("env takes one name: env.NAME", offset: token.offset)
    var node = try parsePrimary()
    while true {
      let offset = token.offset
      if take(".") {
        node = node.member(JSONKey(try parseMemberName()))
      } else if isNext("["), let open = Optional(token) {
        position += 1
        node = node.element(try parseExpression())
        guard take("]") else { throw unclosed(open, by: "]") }
        // A computed name would read variables that no expression names.
        if case .element(.path(let path), _) = node, path.root == .environment { throw misnamed }
      } else {
        break
      }
      try countOperator(at: offset)
    }
    if case .path(let path) = node, path.root == .environment, path.steps.count != 1 { throw misnamed }
    return node
  }

  private mutating func parseMemberName() throws(ExpressionError) -> String {
    guard case .name(let name) = token.kind else {
      throw unexpected("a member's name after the dot (other names and positions are written ['…'] and [0])")
    }
    position += 1
    return name
  }

  private mutating func parsePrimary() throws(ExpressionError) -> Node {
    let first = token
    switch first.kind {
    case .string(let value):
      position += 1
      return .literal(.string(value))
    case .integer(let value):
      position += 1
      return .literal(.integer(value))
    case .unsigned(let value):
      position += 1
      return .literal(.unsigned(value))
    case .number(let value):
      position += 1
      return .literal(.double(value))
    case .root(let name):
      position += 1
      return .path(Path(root: try root(named: name, at: first.offset)))
    case .name(let name):
      position += 1
      return try parseName(name, at: first)
    case .symbol("("):
      position += 1
      let node = try parseExpression()
      guard take(")") else { throw unclosed(first, by: ")") }
      return node
    case .symbol("["):
      position += 1
      return .list(try parseList(opened: first, until: "]"))
    case .symbol, .end:
      throw unexpected("a value")
    }
  }

  private mutating func parseName(_ name: String, at token: Token) throws(ExpressionError) -> Node {
    switch name {
    case "true": return .literal(.bool(true))
    case "false": return .literal(.bool(false))
    case "null": return .literal(.null)
    case "has" where isNext("("): return try parseHas()
    case "env": return .path(Path(root: .environment))
    case "in", "not":
      position -= 1
      throw unexpected("a value")
    default: break
    }
    guard !isNext("(") else {
      let isFilter = Filter.named(name) != nil
      let hint = isFilter ? "\(name) is a filter: value | \(name)" : "there is no function “\(name)”; only has(path)"
      throw ExpressionError(hint, offset: token.offset)
    }
    if let word = Self.otherLanguages[name], !isNext("."), !isNext("[") {
      throw ExpressionError("`\(name)` would be a member of the item: write `\(word)`", offset: token.offset)
    }
    return .path(Path(root: .names, steps: [.name(JSONKey(name))]))
  }

  /// Names that other languages have for constants. A member of such a name is `$item.True`.
  private static let otherLanguages = [
    "True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "None": "null", "Null": "null", "NULL": "null",
    "nil": "null", "undefined": "null",
  ]

  private mutating func parseHas() throws(ExpressionError) -> Node {
    let open = token
    position += 1
    let argument = token
    guard case .path(let path) = try parsePostfix() else {
      throw ExpressionError("has takes a path, such as has(user.name)", offset: argument.offset)
    }
    guard take(")") else { throw unclosed(open, by: ")") }
    return .has(path)
  }

  private func root(named name: String, at offset: Int) throws(ExpressionError) -> Path.Root {
    if let found = Path.Root.named.first(where: { $0.name == name }) { return found.root }
    if lookups.contains(name) { return .lookup(name) }
    if name == "env" { throw ExpressionError("env is written without $: env.NAME", offset: offset) }
    let nearest = Nearest.name(to: name, among: lookups.sorted() + Path.Root.named.map(\.name))
    let hint =
      nearest.map { "did you mean $\($0)?" }
      ?? "there are \((lookups.sorted().map { "$\($0)" } + [Path.Root.allNames]).joined(separator: ", "))"
    throw ExpressionError("unknown root $\(name); \(hint)", offset: offset)
  }

  /// Expressions with commas between, up to the closing bracket.
  mutating func parseList(opened open: Token, until close: String) throws(ExpressionError) -> [Node] {
    var nodes: [Node] = []
    if take(close) { return nodes }
    while true {
      nodes.append(try parseExpression())
      if take(close) { return nodes }
      guard take(",") else { throw unclosed(open, by: close) }
    }
  }

  /// Parses the filter behind a `|`.
  mutating func parseFilter(of input: Node) throws(ExpressionError) -> Node {
    let first = token
    guard case .name(let name) = first.kind else {
      throw unexpected(isNext("|") ? "a filter (or is written ||)" : "the name of a filter")
    }
    guard let filter = Filter.named(name) else {
      let nearest = Nearest.name(to: name, among: Filter.all.map(\.name))
      let hint = nearest.map { "did you mean \($0)?" } ?? "there are \(Filter.names)"
      throw ExpressionError("unknown filter “\(name)”; \(hint)", offset: first.offset)
    }
    position += 1
    var arguments: [Node] = []
    if isNext("("), let open = Optional(token) {
      position += 1
      arguments = try parseList(opened: open, until: ")")
    }
    guard filter.arity.contains(arguments.count) else {
      throw ExpressionError("\(name) is written \(filter.signature)", offset: first.offset)
    }
    if let fault = filter.fault(of: arguments) { throw ExpressionError(fault, offset: first.offset) }
    return .filter(filter, input, arguments)
  }

  private func unclosed(_ open: Token, by close: String) -> ExpressionError {
    guard token.kind != .end else {
      return ExpressionError("\(open.phrase) is not closed: `\(close)` is missing", offset: open.offset)
    }
    return unexpected("`\(close)`")
  }
}
