import JSON

/// What an expression is compiled to.
indirect enum Node: Sendable {
  case literal(JSONValue)
  case path(Path)
  /// `(…).name`
  case member(Node, JSONKey)
  /// `…[…]` with a computed name or position.
  case element(Node, Node)
  case list([Node])
  case not(Node)
  case negative(Node)
  case binary(BinaryOperator, Node, Node)
  case and(Node, Node)
  case or(Node, Node)
  case coalesce(Node, Node)
  case conditional(Node, Node, Node)
  case has(Path)
  case filter(Filter, Node, [Node])

  var dependencies: Dependencies {
    switch self {
    case .literal: []
    case .path(let path), .has(let path): path.dependencies
    case .member(let base, _): base.dependencies
    case .not(let operand), .negative(let operand): operand.dependencies
    case .list(let nodes): Self.union(nodes)
    case .element(let left, let right), .binary(_, let left, let right), .and(let left, let right),
      .or(let left, let right), .coalesce(let left, let right):
      left.dependencies.union(right.dependencies)
    case .conditional(let condition, let yes, let no): Self.union([condition, yes, no])
    case .filter(let filter, let input, let arguments):
      // Inside of a filter over a list, the index is the element's.
      input.dependencies.union(Self.union(arguments).subtracting(filter.takesElementExpressions ? .index : []))
    }
  }

  /// Whether something in it is evaluated for each element of a list.
  var visitsElements: Bool {
    switch self {
    case .literal, .path, .has: false
    case .member(let base, _): base.visitsElements
    case .not(let operand), .negative(let operand): operand.visitsElements
    case .list(let nodes): nodes.contains(where: \.visitsElements)
    case .element(let left, let right), .binary(_, let left, let right), .and(let left, let right),
      .or(let left, let right), .coalesce(let left, let right):
      left.visitsElements || right.visitsElements
    case .conditional(let condition, let yes, let no): [condition, yes, no].contains(where: \.visitsElements)
    case .filter(let filter, let input, let arguments):
      filter.takesElementExpressions || input.visitsElements || arguments.contains(where: \.visitsElements)
    }
  }

  private static func union(_ nodes: [Node]) -> Dependencies {
    nodes.reduce(into: []) { $0.formUnion($1.dependencies) }
  }
}

enum BinaryOperator: String, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case isIn = "in"
}
