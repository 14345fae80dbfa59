import JSON

/// The compiled form of an expression.
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
  /// A path from the item inside of a list, and whether it leads to something.
  case repeated(CompiledPath)
  case hasRepeated(CompiledPath)
  /// A value that is one for all items of a source.
  case shared(SharedNode)

  var dependencies: Dependencies {
    switch self {
    case .path(let path), .has(let path): path.dependencies
    case .repeated(let path), .hasRepeated(let path): path.path.dependencies
    case .filter(let filter, let input, let arguments):
      // Inside of a filter over a list, the index is the element's.
      arguments.enumerated().reduce(into: input.dependencies) { dependencies, argument in
        let isForEach = filter.isForEachElement(argument: argument.offset)
        dependencies.formUnion(argument.element.dependencies.subtracting(isForEach ? .index : []))
      }
      .union(filter.localeArgument.map { arguments.count <= $0 } == true ? .locale : [])
    default: Self.union(children)
    }
  }

  /// The names of the lookups that it reads.
  var lookups: Set<String> {
    switch self {
    case .path(let path), .has(let path):
      if case .lookup(let name) = path.root { [name] } else { [] }
    default: children.reduce(into: []) { $0.formUnion($1.lookups) }
    }
  }

  /// See ``Expression/itemMembers``.
  var itemMembers: [String] {
    switch self {
    case .path(let path), .has(let path):
      switch (path.root, path.steps.first) {
      case (.names, .name(let key)?), (.item, .name(let key)?): [key.name]
      case (.item, _): ["$item"]
      default: []
      }
    case .filter(let filter, let input, let arguments) where filter.takesElementExpressions:
      input.itemMembers + arguments.dropFirst().flatMap(\.itemMembers)
    default: children.flatMap(\.itemMembers)
    }
  }

  /// See ``Expression/itemSelection``.
  var itemSelection: MemberSelection {
    switch self {
    case .path(let path), .has(let path): path.itemSelection
    default: children.reduce(into: MemberSelection()) { $0.formUnion($1.itemSelection) }
    }
  }

  var children: [Node] {
    switch self {
    case .literal, .path, .has, .repeated, .hasRepeated: []
    case .shared(let shared): [shared.node]
    case .member(let base, _): [base]
    case .not(let operand), .negative(let operand): [operand]
    case .list(let nodes): nodes
    case .element(let left, let right), .binary(_, let left, let right), .and(let left, let right),
      .or(let left, let right), .coalesce(let left, let right):
      [left, right]
    case .conditional(let condition, let yes, let no): [condition, yes, no]
    case .filter(_, let input, let arguments): [input] + arguments
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

extension Node {
  var memberPath: [String]? {
    guard case .path(let path) = self else { return nil }
    return path.memberNames
  }

  var conjuncts: [Node] {
    if case .and(let left, let right) = self { left.conjuncts + right.conjuncts } else { [self] }
  }

  var cannotFail: Bool {
    switch self {
    case .literal, .path, .has, .repeated, .hasRepeated: true
    case .not, .and, .or, .coalesce, .conditional, .shared, .binary(.equal, _, _), .binary(.notEqual, _, _):
      children.allSatisfy(\.cannotFail)
    case .member, .element, .list, .negative, .binary, .filter: false
    }
  }

  /// A text that tells apart paths, constants and filters applied to them; nil for all else.
  var outline: String? {
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

// MARK: - Longer paths

extension Node {
  func member(_ key: JSONKey) -> Node {
    guard case .path(var path) = self else { return .member(self, key) }
    path.steps.append(.name(key))
    return .path(path)
  }

  /// A constant position or name lengthens a path.
  func element(_ position: Node) -> Node {
    if case .path(var path) = self {
      switch position {
      case .literal(.integer(let value)):
        if let index = Int(exactly: value) {
          path.steps.append(.index(index))
          return .path(path)
        }
      case .literal(.string(let name)):
        path.steps.append(.name(JSONKey(name)))
        return .path(path)
      default: break
      }
    }
    return .element(self, position)
  }
}
