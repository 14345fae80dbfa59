extension Expression {
  /// The equalities that have to hold for the expression to hold, as far as nothing that is evaluated before them can fail:
  /// of `a == b && c == d && e`, `a == b` and `c == d`. Whoever knows that one doesn't hold need not evaluate the expression.
  public var leadingEqualities: [(left: Expression, right: Expression)] {
    let conjuncts = root.conjuncts
    let reached = conjuncts.prefix { $0.cannotFail }.count
    return conjuncts.prefix(reached + 1).compactMap { node in
      guard case .binary(.equal, let left, let right) = node else { return nil }
      return (Expression(part: left), Expression(part: right))
    }
  }
}

extension Node {
  fileprivate var conjuncts: [Node] {
    if case .and(let left, let right) = self { left.conjuncts + right.conjuncts } else { [self] }
  }

  fileprivate var cannotFail: Bool {
    switch self {
    case .literal, .path, .has: true
    case .not, .and, .or, .coalesce, .conditional, .binary(.equal, _, _), .binary(.notEqual, _, _):
      children.allSatisfy(\.cannotFail)
    case .member, .element, .list, .negative, .binary, .filter: false
    }
  }
}
