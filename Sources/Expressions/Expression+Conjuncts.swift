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
