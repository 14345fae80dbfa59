import JSON

extension Expression {
  /// The equalities that have to hold for the expression to hold, as far as nothing that is evaluated before them can fail:
  /// of `a == b && c == d && e`, `a == b` and `c == d`. Whoever knows that one doesn't hold need not evaluate the expression.
  /// Parts that are written alike have the same text.
  public var leadingEqualities: [(left: Expression, right: Expression)] {
    let conjuncts = root.conjuncts
    let reached = conjuncts.prefix { $0.cannotFail }.count
    return conjuncts.prefix(reached + 1).compactMap { node in
      guard case .binary(.equal, let left, let right) = node, let left = Expression(part: left),
        let right = Expression(part: right)
      else { return nil }
      return (left, right)
    }
  }

  /// A part of an expression, with a text of its own; nil where none tells it from others.
  private init?(part node: Node) {
    guard let text = node.outline else { return nil }
    self.init(text: text, node)
  }
}

extension Node {
  var conjuncts: [Node] {
    if case .and(let left, let right) = self { left.conjuncts + right.conjuncts } else { [self] }
  }

  fileprivate var cannotFail: Bool {
    switch self {
    case .literal, .path, .has, .repeated, .hasRepeated: true
    case .not, .and, .or, .coalesce, .conditional, .shared, .binary(.equal, _, _), .binary(.notEqual, _, _):
      children.allSatisfy(\.cannotFail)
    case .member, .element, .list, .negative, .binary, .filter: false
    }
  }

  /// A text that tells apart paths, constants and filters applied to them; nil for all else.
  fileprivate var outline: String? {
    switch self {
    case .literal(let value): String(decoding: value.bytes, as: UTF8.self)
    case .path(let path): path.outline
    case .shared(let shared): shared.node.outline
    case .filter(let filter, let input, let arguments):
      ([input] + arguments).reduce(filter.name as String?) { text, node in
        text.flatMap { text in node.outline.map { "\(text)\n\($0)" } }
      }
    default: nil
    }
  }
}

extension Path {
  fileprivate var outline: String {
    steps.reduce("\(root)") { text, step in
      switch step {
      case .name(let key): "\(text)\n.\(key.name)"
      case .index(let index): "\(text)\n[\(index)]"
      }
    }
  }
}
