public import JSON

extension Expression {
  /// The names that lead to the member which the expression reads, where it is nothing but that: `status`,
  /// `meta.section`. What an item is moved to another group by.
  public var memberPath: [String]? { root.memberPath }

  /// The member and the value that make the expression hold, where it compares one with a literal
  /// (`state == 'open'`) or is one, or its negation (`!done`).
  public var satisfyingMember: (path: [String], value: JSONValue)? {
    switch root {
    case .binary(.equal, let left, let right):
      if let path = left.memberPath, case .literal(let value) = right { return (path, value) }
      if let path = right.memberPath, case .literal(let value) = left { return (path, value) }
      return nil
    case .not(let operand): return operand.memberPath.map { ($0, .bool(false)) }
    default: return root.memberPath.map { ($0, .bool(true)) }
    }
  }
}
